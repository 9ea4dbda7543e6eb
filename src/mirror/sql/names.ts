import { SNAPSHOTS } from '../manifest.ts';

/** Tables of a mirror. */
export const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A list of strings in SQL. */
export function listOf(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}]`;
}

/** Whether a query mentions the name of a table. */
export function mentions(sql: string, table: TableName): boolean {
  return new RegExp(`\\b${table}\\b`, 'i').test(sql);
}
