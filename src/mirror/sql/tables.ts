import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnKind } from '../../formats/kinds.ts';
import { PARTITION, tableColumns } from '../columns.ts';
import { exactOf } from '../leg-rows.ts';
import { partitionOf, type TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { patternOf, quoted, sqlList, sqlText } from './names.ts';

const TYPES: Readonly<Partial<Record<ColumnKind, string>>> = {
  ...{ decimal: 'DECIMAL(38,18)', boolean: 'BOOLEAN', moment: 'TIMESTAMP', count: 'INTEGER' },
};
const typeOf = (kind: ColumnKind) => TYPES[kind] ?? 'VARCHAR';

/** Creates a view on the Parquet files of a table. Checks the files first. */
export async function createView(
  connection: DuckDBConnection,
  mirror: Mirror,
  table: TableName,
): Promise<void> {
  const paths: string[] = [];
  for (const file of mirror.filesOf(table)) paths.push(patternOf(resolve(await mirror.check(file))));
  const selected = tableColumns(table).map(({ name, kind }) => {
    const key = quoted(name);
    if (paths.length === 0) return `CAST(NULL AS ${typeOf(kind)}) AS ${key}`;
    // Times in the Parquet files have the time zone UTC. The cast removes the time zone.
    return kind === 'moment' ? `CAST(${key} AS TIMESTAMP) AS ${key}` : key;
  });
  const workspace = sqlText(partitionOf(mirror.manifest.workspace));
  // Without `hive_partitioning = false`, a folder named `quantity=7` would replace the column `quantity`.
  const source =
    paths.length === 0 ? 'WHERE false' : `FROM read_parquet(${sqlList(paths)}, hive_partitioning = false)`;
  await connection.run(
    `CREATE OR REPLACE VIEW ${table} AS SELECT ${workspace} AS ${PARTITION}, ${selected.join(', ')} ${source}`,
  );
}

/** Returns the statement that creates a table with the same columns and no rows. */
export function emptyTable(table: TableName): string {
  const columns = [{ name: PARTITION, kind: 'text' as const }, ...tableColumns(table)];
  const typed = columns.map(({ name, kind }) => `${quoted(name)} ${typeOf(kind)}`);
  return `CREATE OR REPLACE TABLE ${table} (${typed.join(', ')})`;
}

/** Counts the values of each column that do not fit DECIMAL(38,18), if there are any. */
export async function countUnheld(
  connection: DuckDBConnection,
  table: TableName,
): Promise<ReadonlyMap<string, number>> {
  const decimals = tableColumns(table).flatMap(({ name, kind }) => (kind === 'decimal' ? name : []));
  if (decimals.length === 0) return new Map();
  const counts = decimals.map(
    (key) => `count(*) FILTER (${quoted(key)} IS NULL AND ${quoted(exactOf(key))} IS NOT NULL)`,
  );
  const [row = []] = await (await connection.run(`SELECT ${counts.join(', ')} FROM ${table}`)).getRows();
  const found = decimals.map((key, at): [string, number] => [key, Number(row[at])]);
  return new Map(found.filter(([, count]) => count > 0));
}
