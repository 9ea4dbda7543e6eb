import { sep } from 'node:path';
import type { TableName } from '../manifest.ts';

export const LEG_TABLES = ['ledgers', 'ledgers_history'] as const;
export type LegTable = (typeof LEG_TABLES)[number];

/** Whether the rows of a table are legs: current legs, or earlier values of legs. */
export function hasLegs(table: TableName): table is LegTable {
  return LEG_TABLES.some((name) => name === table);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Writes a path for `read_parquet`, so that it matches only itself. DuckDB reads `*`, `?` and `[` as a pattern, unless they are
 * in brackets. In a pattern, DuckDB splits a path at every backslash, also at one that is part of a name.
 */
export function patternOf(path: string): string {
  if (!/[*?[]/.test(path)) return path;
  return path.replace(/[*?[]/g, '[$&]').replaceAll('\\', sep === '\\' ? '/' : '?');
}

export function mentions(sql: string, table: TableName): boolean {
  return new RegExp(`\\b${table}\\b`, 'i').test(sql);
}
