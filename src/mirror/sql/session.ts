import { resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { SNAPSHOTS, TABLES, type TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { loadDuckDb } from './library.ts';
import { hasLegs, LEG_TABLES, mentions, patternOf, sqlList } from './names.ts';
import { plannedTables } from './plans.ts';
import { type QueryOptions, runQuery, type SqlResult } from './query.ts';
import { countUnheld, createView, emptyTable } from './tables.ts';

export interface SqlOptions extends Pick<QueryOptions, 'onProgress'> {
  /** Called before a table is loaded, which may take seconds. */
  readonly onTable?: (table: TableName) => void;
}

interface MirrorResult extends SqlResult {
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
  readonly loaded: ReadonlySet<TableName>;
  /**
   * For each table and column, the number of values that do not fit DECIMAL(38,18). The table contains null instead of these
   * values, so sums omit them.
   */
  readonly unheld: ReadonlyMap<TableName, ReadonlyMap<string, number>>;
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
    const empty = await connect("explain_output = 'all'");
    const loaded = new Set<TableName>();
    const unheld = new Map<TableName, ReadonlyMap<string, number>>();
    const earlier = new Set<TableName>();
    const load = async (names: readonly TableName[], signal: AbortSignal) => {
      for (const name of names) {
        if (loaded.has(name) || (!hasLegs(name) && !mirror.manifest.snapshots[name])) continue;
        signal.throwIfAborted();
        options.onTable?.(name);
        await createView(connection, mirror, name);
        await empty.run(emptyTable(name));
        const found = await countUnheld(connection, name);
        if (found.size > 0) unheld.set(name, found);
        loaded.add(name);
      }
    };
    return {
      ...{ loaded, unheld, close },
      query: async (sql, signal) => {
        // A query that mentions no table, such as `SHOW TABLES`, may need all tables.
        const named = TABLES.filter((name) => mentions(sql, name));
        await load(named.length > 0 ? named : TABLES, signal);
        const planned = await plannedTables(empty, sql);
        // The query may read the Parquet files by their paths.
        if (!planned) await load(LEG_TABLES, signal);
        const tables = planned ?? [...loaded];
        const hint = missingLists(mirror, sql);
        const result = await runQuery(sql, { ...options, duck, connection, signal, hint });
        const newTables = tables.filter((name) => !earlier.has(name));
        for (const name of tables) earlier.add(name);
        return { ...result, tables, newTables };
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

/** Returns a hint if the query mentions lists that the mirror does not contain. */
function missingLists({ manifest, update }: Mirror, sql: string): string | undefined {
  const names = SNAPSHOTS.filter((name) => mentions(sql, name) && !manifest.snapshots[name]);
  if (names.length === 0) return undefined;
  const all = SNAPSHOTS.filter((name) => names.includes(name) || manifest.snapshots[name]);
  return `The mirror has no ${names.join(' and no ')}. Read them with: ${update} --tables ${all.join(',')}`;
}
