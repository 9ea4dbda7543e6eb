import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { shellWord } from '../../core/text.ts';
import { type Column, valueAt } from '../../formats/columns.ts';
import type { ColumnKind } from '../../formats/kinds.ts';
import { HISTORY_COLUMNS, historyKind } from '../history.ts';
import { exactOf, LEG_COLUMNS, legKind } from '../leg-rows.ts';
import { listColumns, listValue } from '../list-rows.ts';
import { type MirrorFile, SNAPSHOTS, type SnapshotName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { type LegTable, mentions, patternOf, quoted, sqlList, TABLES, type TableName } from './names.ts';
import { createTable, type Plans } from './plans.ts';

/** Number of rows to append before a flush. */
const BATCH = 10_000;

const TYPES: Readonly<Record<ColumnKind, string>> = {
  decimal: 'DECIMAL(38,18)',
  boolean: 'BOOLEAN',
  moment: 'TIMESTAMP',
  ...{ number: 'VARCHAR', count: 'VARCHAR', time: 'VARCHAR', day: 'VARCHAR', text: 'VARCHAR' },
};

/**
 * Creates tables. Parquet files become views, and lists are loaded into memory. DuckDB does not read
 * the list files itself, because it would round their numbers.
 */
export class Tables {
  readonly loaded = new Set<TableName>();
  /**
   * For each table and column, the number of values that do not fit DECIMAL(38,18). The table contains null instead of these
   * values, so sums omit them.
   */
  readonly unheld = new Map<TableName, Map<string, number>>();
  readonly #connection: DuckDBConnection;
  readonly #mirror: Mirror;
  readonly #plans: Plans;
  readonly #onTable: ((table: TableName) => void) | undefined;

  constructor(
    connection: DuckDBConnection,
    plans: Plans,
    mirror: Mirror,
    onTable?: (table: TableName) => void,
  ) {
    this.#connection = connection;
    this.#plans = plans;
    this.#mirror = mirror;
    this.#onTable = onTable;
  }

  /** Returns a hint if the query mentions lists that the mirror does not contain. */
  missing(sql: string): string | undefined {
    const { manifest, directory } = this.#mirror;
    const names = SNAPSHOTS.filter((name) => mentions(sql, name) && !manifest.snapshots[name]);
    if (names.length === 0) return undefined;
    const all = SNAPSHOTS.filter((name) => names.includes(name) || manifest.snapshots[name]);
    return `The mirror has no ${names.join(' and no ')}. Read them with: cryptodata mirror ${shellWord(directory)} --tables ${all.join(',')}`;
  }

  /** Returns the tables that a query mentions, or all tables if it mentions no table, as in `SHOW TABLES`. */
  named(sql: string): readonly TableName[] {
    const named = TABLES.filter((name) => mentions(sql, name));
    return named.length > 0 ? named : TABLES;
  }

  /** @throws usage error `DAMAGED_MIRROR` */
  async load(names: readonly TableName[], signal: AbortSignal): Promise<void> {
    const { ledgers, history, snapshots } = this.#mirror.manifest;
    for (const name of names) {
      if (this.loaded.has(name)) continue;
      signal.throwIfAborted();
      this.#onTable?.(name);
      if (name === 'ledgers') {
        const files = ledgers.windows.flatMap(({ file }) => file ?? []);
        await this.#view(name, files, LEG_COLUMNS, legKind);
        await this.#countUnheld(name);
      } else if (name === 'ledgers_history') {
        await this.#view(name, history, HISTORY_COLUMNS, historyKind);
        await this.#countUnheld(name);
      } else if (snapshots[name]) await this.#list(name, signal);
      else continue;
      this.loaded.add(name);
    }
  }

  async #view(
    name: TableName,
    files: readonly MirrorFile[],
    columns: readonly Column[],
    kindOf: (column: Column) => ColumnKind,
  ): Promise<void> {
    const paths: string[] = [];
    for (const file of files) paths.push(patternOf(resolve(await this.#mirror.check(file))));
    const selected = columns.map((column) => {
      const [key, kind] = [quoted(column.key), kindOf(column)];
      if (paths.length === 0) return `CAST(NULL AS ${TYPES[kind]}) AS ${key}`;
      // Times in the Parquet files have the time zone UTC. The cast removes the time zone.
      return kind === 'moment' ? `CAST(${key} AS TIMESTAMP) AS ${key}` : key;
    });
    // Without `hive_partitioning = false`, a folder named `quantity=7` would replace the column `quantity`.
    const source =
      paths.length === 0 ? 'WHERE false' : `FROM read_parquet(${sqlList(paths)}, hive_partitioning = false)`;
    await this.#connection.run(`CREATE VIEW ${name} AS SELECT ${selected.join(', ')} ${source}`);
    await this.#plans.declare(
      name,
      columns.map((column) => ({ name: column.key, type: TYPES[kindOf(column)] })),
    );
  }

  async #countUnheld(name: LegTable): Promise<void> {
    const decimals = LEG_COLUMNS.filter((column) => legKind(column) === 'decimal').map(({ key }) => key);
    const counts = decimals.map(
      (key) => `count(*) FILTER (${quoted(key)} IS NULL AND ${quoted(exactOf(key))} IS NOT NULL)`,
    );
    const result = await this.#connection.run(`SELECT ${counts.join(', ')} FROM ${name}`);
    const [row = []] = await result.getRows();
    for (const [at, key] of decimals.entries()) this.#addUnheld(name, key, Number(row[at]));
  }

  #addUnheld(name: TableName, column: string, count: number): void {
    if (count === 0) return;
    const counts = this.unheld.get(name) ?? new Map<string, number>();
    this.unheld.set(name, counts.set(column, (counts.get(column) ?? 0) + count));
  }

  async #list(name: SnapshotName, signal: AbortSignal): Promise<void> {
    // An earlier load may have been interrupted.
    this.unheld.delete(name);
    const columns = await listColumns(name, this.#mirror.snapshot(name));
    const typed = columns.map(({ name, kind }) => ({ name, type: TYPES[kind] }));
    await this.#plans.declare(name, typed);
    await this.#connection.run(createTable(name, typed));
    const appender = await this.#connection.createAppender(name);
    let rows = 0;
    for await (const record of this.#mirror.snapshot(name)) {
      for (const column of columns) {
        const value = listValue(record, column);
        if (value === null) {
          appender.appendNull();
          if (column.kind === 'decimal' && valueAt(record, column.key) != null) {
            this.#addUnheld(name, column.name, 1);
          }
        } else if (typeof value === 'boolean') appender.appendBoolean(value);
        else appender.appendVarchar(value);
      }
      appender.endRow();
      rows += 1;
      if (rows % BATCH !== 0) continue;
      appender.flushSync();
      signal.throwIfAborted();
    }
    appender.closeSync();
  }
}
