import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnKind } from '../../formats/kinds.ts';
import { PARTITION, tableColumns } from '../columns.ts';
import { exactOf } from '../leg-rows.ts';
import { type MirrorFile, partitionOf, SNAPSHOTS, TABLES, type TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { hasLegs, mentions, patternOf, quoted, sqlList, sqlText } from './names.ts';
import type { Plans } from './plans.ts';

const TYPES: Readonly<Record<ColumnKind, string>> = {
  decimal: 'DECIMAL(38,18)',
  boolean: 'BOOLEAN',
  moment: 'TIMESTAMP',
  ...{
    count: 'INTEGER',
    number: 'VARCHAR',
    time: 'VARCHAR',
    day: 'VARCHAR',
    text: 'VARCHAR',
    json: 'VARCHAR',
  },
};

/** Creates a view on the Parquet files of each table. */
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
    const { manifest, update } = this.#mirror;
    const names = SNAPSHOTS.filter((name) => mentions(sql, name) && !manifest.snapshots[name]);
    if (names.length === 0) return undefined;
    const all = SNAPSHOTS.filter((name) => names.includes(name) || manifest.snapshots[name]);
    return `The mirror has no ${names.join(' and no ')}. Read them with: ${update} --tables ${all.join(',')}`;
  }

  /** Returns the tables that a query mentions, or all tables if it mentions no table, as in `SHOW TABLES`. */
  named(sql: string): readonly TableName[] {
    const named = TABLES.filter((name) => mentions(sql, name));
    return named.length > 0 ? named : TABLES;
  }

  /** @throws usage error `DAMAGED_MIRROR` */
  async load(names: readonly TableName[], signal: AbortSignal): Promise<void> {
    const { manifest, tables } = this.#mirror;
    for (const name of names) {
      if (this.loaded.has(name) || (!hasLegs(name) && !manifest.snapshots[name])) continue;
      signal.throwIfAborted();
      this.#onTable?.(name);
      await this.#view(name, tables[name]);
      await this.#countUnheld(name);
      this.loaded.add(name);
    }
  }

  async #view(name: TableName, files: readonly MirrorFile[]): Promise<void> {
    const paths: string[] = [];
    for (const file of files) paths.push(patternOf(resolve(await this.#mirror.check(file))));
    const columns = tableColumns(name);
    const selected = columns.map(({ name: column, kind }) => {
      const key = quoted(column);
      if (paths.length === 0) return `CAST(NULL AS ${TYPES[kind]}) AS ${key}`;
      // Times in the Parquet files have the time zone UTC. The cast removes the time zone.
      return kind === 'moment' ? `CAST(${key} AS TIMESTAMP) AS ${key}` : key;
    });
    const workspace = sqlText(partitionOf(this.#mirror.manifest.workspace));
    // Without `hive_partitioning = false`, a folder named `quantity=7` would replace the column `quantity`.
    const source =
      paths.length === 0 ? 'WHERE false' : `FROM read_parquet(${sqlList(paths)}, hive_partitioning = false)`;
    await this.#connection.run(
      `CREATE OR REPLACE VIEW ${name} AS SELECT ${workspace} AS ${PARTITION}, ${selected.join(', ')} ${source}`,
    );
    await this.#plans.declare(name, [
      { name: PARTITION, type: TYPES.text },
      ...columns.map(({ name: column, kind }) => ({ name: column, type: TYPES[kind] })),
    ]);
  }

  async #countUnheld(name: TableName): Promise<void> {
    const decimals = tableColumns(name).flatMap(({ name: column, kind }) =>
      kind === 'decimal' ? column : [],
    );
    if (decimals.length === 0) return;
    const counts = decimals.map(
      (key) => `count(*) FILTER (${quoted(key)} IS NULL AND ${quoted(exactOf(key))} IS NOT NULL)`,
    );
    const result = await this.#connection.run(`SELECT ${counts.join(', ')} FROM ${name}`);
    const [row = []] = await result.getRows();
    const found = decimals.map((key, at): [string, number] => [key, Number(row[at])]);
    const unheld = found.filter(([, count]) => count > 0);
    if (unheld.length > 0) this.unheld.set(name, new Map(unheld));
  }
}
