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

/** A DuckDB session for one state of a mirror. Queries can read only the tables of that mirror. */
export interface SqlSession {
  /**
   * Runs one read-only statement.
   *
   * @throws usage error `DAMAGED_MIRROR`, or an error of {@link runQuery}
   */
  query(sql: string, signal: AbortSignal): Promise<SqlResult>;
  /** The tables that are already loaded. */
  readonly loaded: ReadonlySet<TableName>;
  /** See {@link Tables.unheld}. */
  readonly unheld: Tables['unheld'];
  close(): void;
}

/**
 * These settings disable extensions, stored secrets and temporary files. Then {@link openSql} limits queries to the mirror's
 * files and disables network access.
 */
const SETTINGS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  temp_directory: '',
  // With several threads, DuckDB 1.5 adds partial sums without an overflow check, so a sum could silently be wrong.
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

/** Paths of the Parquet files, which queries read directly. Lists are loaded into memory before a query runs. */
function filePaths(mirror: Mirror): Promise<string[]> {
  const files = mirror.files.filter(({ file }) => file.endsWith('.parquet'));
  return Promise.all(files.map(async (file) => resolve(await mirror.path(file))));
}
