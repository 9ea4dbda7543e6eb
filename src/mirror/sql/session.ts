import { resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { loadDuckDb } from './library.ts';
import { LEG_TABLES, patternOf, sqlList } from './names.ts';
import { Plans } from './plans.ts';
import { type QueryOptions, runQuery, type SqlResult } from './query.ts';
import { Tables } from './tables.ts';

export interface SqlOptions extends Pick<QueryOptions, 'onProgress'> {
  /** Called before a table is loaded, which may take seconds. */
  readonly onTable?: (table: TableName) => void;
}

interface MirrorResult extends SqlResult {
  /** The tables that the statement reads. */
  readonly tables: readonly TableName[];
  /** The tables of {@link tables} that no earlier statement of the session read. */
  readonly newTables: readonly TableName[];
}

/** A DuckDB session for one state of a mirror. Queries can read only the tables of that mirror. */
export interface SqlSession {
  /**
   * Runs one read-only statement.
   *
   * @throws usage error `DAMAGED_MIRROR`, or an error of {@link runQuery}
   */
  query(sql: string, signal: AbortSignal): Promise<MirrorResult>;
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

const LOCKS = ['enable_external_access = false', "TimeZone = 'UTC'", 'lock_configuration = true'];

export async function openSql(mirror: Mirror, options: SqlOptions = {}): Promise<SqlSession> {
  const duck = await loadDuckDb();
  const instances: DuckDBInstance[] = [];
  const connect = async (...settings: readonly string[]) => {
    const instance = await duck.DuckDBInstance.create(':memory:', SETTINGS);
    instances.push(instance);
    const connection = await instance.connect();
    for (const setting of [...settings, ...LOCKS]) await connection.run(`SET ${setting}`);
    return connection;
  };
  const close = () => {
    for (const instance of instances) instance.closeSync();
  };
  try {
    const connection = await connect(`allowed_paths = ${sqlList(filePaths(mirror))}`);
    const plans = new Plans(await connect("explain_output = 'all'"));
    const tables = new Tables(connection, plans, mirror, options.onTable);
    const earlier = new Set<TableName>();
    return {
      loaded: tables.loaded,
      unheld: tables.unheld,
      close,
      query: async (sql, signal) => {
        await tables.load(tables.named(sql), signal);
        const planned = await plans.tablesOf(sql);
        // The query may read the Parquet files by their paths.
        if (!planned) await tables.load(LEG_TABLES, signal);
        const read = planned ?? [...tables.loaded];
        const hint = tables.missing(sql);
        const result = await runQuery(sql, { ...options, duck, connection, signal, hint });
        const newTables = read.filter((name) => !earlier.has(name));
        for (const name of read) earlier.add(name);
        return { ...result, tables: read, newTables };
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Paths of the files, and the patterns that match only these paths. DuckDB checks both. */
function filePaths(mirror: Mirror): string[] {
  const paths = mirror.files.map((file) => resolve(mirror.path(file)));
  return [...new Set([...paths, ...paths.map(patternOf)])];
}
