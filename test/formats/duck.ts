import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
// Disable the cache. Otherwise, DuckDB would use cached parts of a file that was just rewritten.
await connection.run('SET enable_external_file_cache = false');

/** Runs a query in DuckDB, which does not share any code with the writer of the files. */
export async function ask(sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
