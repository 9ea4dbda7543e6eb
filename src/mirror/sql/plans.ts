import type { DuckDBConnection } from '@duckdb/node-api';
import { isRecord, parseJson } from '../../core/json.ts';
import { TABLES, type TableName } from '../manifest.ts';

/**
 * Finds the tables that a query reads, from DuckDB's plan of the query. Plans are made in a database of empty tables, because
 * the plan of a view on Parquet files does not contain the name of the view. Returns undefined if DuckDB cannot plan the query
 * in this database, for example because the query reads a file by its path.
 */
export async function plannedTables(
  empty: DuckDBConnection,
  sql: string,
): Promise<readonly TableName[] | undefined> {
  try {
    const rows = await (await empty.run(`EXPLAIN (FORMAT json) ${sql}`)).getRows();
    // The plan before optimisation, because an optimised plan omits tables whose rows are not needed.
    const [, plan] = rows.find(([name]) => name === 'logical_plan') ?? [];
    const names = new Set(scannedIn(parseJson(String(plan))));
    return TABLES.filter((name) => names.has(`memory.main.${name}`));
  } catch {
    return undefined;
  }
}

function scannedIn(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node.flatMap(scannedIn);
  if (!isRecord(node)) return [];
  const { extra_info: info, children } = node;
  return [...(isRecord(info) ? [info['Table']] : []), ...scannedIn(children)];
}
