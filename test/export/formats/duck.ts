import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();

/** Rows of a query, as DuckDB gives them: it reads the files by itself, and knows nothing of how they were written. */
export async function ask(sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
