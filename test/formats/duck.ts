import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
// It would keep parts of a file that is written anew within the same moment, and take them for those of the new one.
await connection.run('SET enable_external_file_cache = false');

/** Rows of a query, as DuckDB gives them: it reads the files by itself, and knows nothing of how they were written. */
export async function ask(sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
