import { SNAPSHOTS } from '../manifest.ts';

const LEG_TABLES = ['ledgers', 'ledgers_history'] as const;
export const TABLES = [...LEG_TABLES, ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];
export type LegTable = (typeof LEG_TABLES)[number];

/** Whether the rows of a table are legs: current legs, or earlier values of legs. */
export function hasLegs(table: TableName): table is LegTable {
  return LEG_TABLES.some((name) => name === table);
}

/** Quotes an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Writes strings as a list literal in SQL. */
export function listOf(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}]`;
}

export function mentions(sql: string, table: TableName): boolean {
  return new RegExp(`\\b${table}\\b`, 'i').test(sql);
}
