import { resolve } from 'node:path';
import type { Mirror } from '../open.ts';
import { loadDuckDb } from './library.ts';
import type { TableName } from './names.ts';
import { listOf } from './names.ts';
import { type QueryOptions, runQuery, type SqlResult } from './query.ts';
import { Tables } from './tables.ts';

export interface SqlOptions extends Pick<QueryOptions, 'onProgress'> {
  /** Called before a table is loaded, which may take seconds. */
  readonly onTable?: (table: TableName) => void;
}

/** The tables of one state of a mirror in DuckDB. Queries can read only these tables. */
export interface SqlSession {
  /**
   * Runs one read-only statement.
   *
   * @throws usage error `SQL_ERROR` with DuckDB's message, `NOT_A_QUERY` for other statements, or `DAMAGED_MIRROR`
   */
  query(sql: string, signal: AbortSignal): Promise<SqlResult>;
  /** Tables that the session has loaded for queries so far. */
  readonly loaded: ReadonlySet<TableName>;
  /** See {@link Tables.unheld}. */
  readonly unheld: ReadonlyMap<string, number>;
  close(): void;
}

/**
 * Initial settings: an in-memory database without extensions, stored secrets or temporary files. After `allowed_paths` is set
 * to the mirror's files, queries can access no other files and no network.
 */
const SETTINGS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  temp_directory: '',
  // With several threads, DuckDB 1.5 does not check for overflow when it combines sums, so a sum could silently be wrong.
  threads: '1',
};

export async function openSql(mirror: Mirror, options: SqlOptions = {}): Promise<SqlSession> {
  const duck = await loadDuckDb();
  const instance = await duck.DuckDBInstance.create(':memory:', SETTINGS);
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    const paths = await filePaths(mirror);
    await connection.run(`SET allowed_paths = ${listOf(paths)}`);
    await connection.run('SET enable_external_access = false');
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run('SET lock_configuration = true');
    const tables = new Tables(connection, mirror, options.onTable);
    return {
      loaded: tables.loaded,
      unheld: tables.unheld,
      close,
      query: async (sql, signal) => {
        await tables.load(sql, signal);
        const hint = tables.missing(sql);
        return runQuery(sql, { ...options, duck, connection, signal, hint });
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The files that queries read directly. Lists are loaded into memory first. */
function filePaths(mirror: Mirror): Promise<string[]> {
  const files = mirror.files.filter(({ file }) => file.endsWith('.parquet'));
  return Promise.all(files.map(async (file) => resolve(await mirror.path(file))));
}
