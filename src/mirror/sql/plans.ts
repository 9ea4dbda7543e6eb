import type { DuckDBConnection } from '@duckdb/node-api';
import { isRecord, parseJson } from '../../core/json.ts';
import { TABLES, type TableName } from '../manifest.ts';
import { quoted } from './names.ts';

export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

function createTable(name: TableName, columns: readonly TypedColumn[]): string {
  const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
  return `CREATE OR REPLACE TABLE ${name} (${typed.join(', ')})`;
}

/**
 * Finds the tables that a query reads, from DuckDB's plan of the query. Plans are made in a database of empty tables, because the
 * plan of a view on Parquet files does not contain the name of the view.
 */
export class Plans {
  readonly #connection: DuckDBConnection;

  /** @param connection a connection to an empty database without access to files */
  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Adds an empty table. */
  async declare(name: TableName, columns: readonly TypedColumn[]): Promise<void> {
    await this.#connection.run(createTable(name, columns));
  }

  /**
   * Returns the tables that a query reads. Returns undefined if DuckDB cannot plan the query here, for example because the query
   * reads a file by its path.
   */
  async tablesOf(sql: string): Promise<readonly TableName[] | undefined> {
    const names = await this.#scanned(sql).catch(() => undefined);
    return names && TABLES.filter((name) => names.has(`memory.main.${name}`));
  }

  async #scanned(sql: string): Promise<ReadonlySet<unknown>> {
    const result = await this.#connection.run(`EXPLAIN (FORMAT json) ${sql}`);
    const rows = await result.getRows();
    // The plan before optimisation, because an optimised plan omits tables whose rows are not needed.
    const [, plan] = rows.find(([name]) => name === 'logical_plan') ?? [];
    const names = new Set<unknown>();
    addTables(parseJson(String(plan)), names);
    return names;
  }
}

function addTables(node: unknown, names: Set<unknown>): void {
  if (Array.isArray(node)) for (const inner of node) addTables(inner, names);
  if (!isRecord(node)) return;
  const { extra_info: info, children } = node;
  if (isRecord(info) && 'Table' in info) names.add(info['Table']);
  addTables(children, names);
}
