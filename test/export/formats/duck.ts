import { DuckDBInstance } from '@duckdb/node-api';

/** Rows of a query, as DuckDB gives them: it reads the files by itself, and knows nothing of how they were written. */
export async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
