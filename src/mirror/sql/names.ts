import { SNAPSHOTS } from '../manifest.ts';

export const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];

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
