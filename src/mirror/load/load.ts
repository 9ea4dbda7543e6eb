import { NetworkError, UnverifiedError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import type { TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { quoted } from '../sql/names.ts';
import { connectToDatabase, type Database, type DatabaseOptions } from './database.ts';
import { DatabaseSchema, FILES } from './schema.ts';
import { FileCounter, type FileSums, storedSums, sumDifferences, sumsQuery } from './sums.ts';
import { type LoadTable, type LoadUnit, loadTables } from './tables.ts';
import type { DatabaseTarget } from './target.ts';
import { copyLine } from './values.ts';

export interface LoadOptions extends DatabaseOptions {
  readonly target: DatabaseTarget;
  readonly schema: string;
  /** Whether to send every file again, including loaded files. */
  readonly full: boolean;
  readonly onProgress?: (progress: LoadProgress) => void;
}

export interface LoadProgress {
  readonly step: 'connect' | 'send' | 'insert' | 'verify';
  readonly table?: TableName;
  readonly rows: number;
  readonly total: number;
}

export interface LoadedTable {
  readonly name: TableName;
  /** Number of rows in the table after the load. */
  readonly rows: number;
  readonly sent: number;
  /** Number of earlier rows that were deleted. */
  readonly removed: number;
  readonly files: number;
  readonly filesSent: number;
  /** Number of amounts that NUMERIC cannot store, by column. */
  readonly unheld: Readonly<Record<string, number>>;
}

/**
 * A window or a file of the mirror whose rows were loaded into a table. In the loaded rows, the `mirror_file` column contains
 * `id`.
 */
interface LoadedFile extends FileSums {
  readonly id: number;
  readonly table: string;
  readonly file: string;
  readonly sha256: string;
}

interface TablePlan {
  readonly table: LoadTable;
  readonly kept: readonly LoadedFile[];
  /** Files that were loaded earlier, but are no longer in the mirror. */
  readonly dropped: readonly LoadedFile[];
  readonly missing: readonly LoadUnit[];
}

/**
 * Updates tables in PostgreSQL to match a mirror. Uses a single transaction. Without `full`, sends only files that are not
 * loaded yet.
 *
 * @throws UnverifiedError `LOAD_DIFFERS` if row counts or sums differ after the load; the transaction is rolled back
 */
export async function loadMirror(mirror: Mirror, options: LoadOptions): Promise<readonly LoadedTable[]> {
  const { target, onProgress } = options;
  onProgress?.({ step: 'connect', rows: 0, total: 0 });
  const database = await connectToDatabase(target, options);
  try {
    // Ignore errors, because older servers and some operating systems do not support `client_connection_check_interval`.
    await database.query("SET client_connection_check_interval = '1s'").catch(() => undefined);
    await database.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    for (const setting of SETTINGS) await database.query(`SET LOCAL ${setting}`);
    const loaded = await load(mirror, database, options);
    await database.query('COMMIT').catch((error: unknown) => {
      if (!(error instanceof NetworkError)) throw error;
      throw error.explained({
        hint: `It is unknown whether ${target.name} has the new state. Run the command again.`,
      });
    });
    await database.close();
    return loaded;
  } catch (error) {
    database.abandon();
    throw error;
  }
}

/** Settings for the transaction, which override settings from the environment and the server. */
const SETTINGS = [
  "client_encoding = 'UTF8'",
  'client_min_messages = warning',
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
];

async function load(
  mirror: Mirror,
  database: Database,
  { target, schema: schemaName, full, onProgress }: LoadOptions,
): Promise<readonly LoadedTable[]> {
  const schema = new DatabaseSchema(database, target, schemaName);
  const tables = loadTables();
  await schema.lock();
  const incomplete = await schema.prepare(tables, mirror.manifest);
  const isFull = ({ name }: LoadTable) => full || incomplete.has(FILES) || incomplete.has(name);
  const loaded = await loadedFiles(database, schema);
  const plans = tables.map((table) => {
    const held = isFull(table) ? [] : loaded.filter((file) => file.table === table.name);
    return planOf(table, mirror, held);
  });
  const total = plans.reduce((sum, { missing }) => sum + rowsOf(missing), 0);
  let [rows, nextId] = [0, 1 + Math.max(0, ...loaded.map(({ id }) => id))];
  const results: LoadedTable[] = [];
  for (const { table, kept, dropped, missing } of plans) {
    const place = { table: table.name, total };
    const work = { database, schema, table };
    const units = missing.map((unit) => ({ unit, id: nextId++ }));
    const sent = await stage(work, units, () => {
      rows += 1;
      if (rows % 1000 === 0) onProgress?.({ ...place, step: 'send', rows });
    });
    onProgress?.({ ...place, step: 'insert', rows });
    const removed = await removeRows(work, isFull(table) ? undefined : dropped);
    await insertRows(work, sent);
    onProgress?.({ ...place, step: 'verify', rows });
    const now = [...kept, ...sent];
    await verify(work, target, now);
    results.push({
      ...{ name: table.name, rows: rowsOf(now), sent: rowsOf(sent), removed },
      ...{ files: now.length, filesSent: sent.length, unheld: unheldOf(now) },
    });
  }
  await schema.record(tables, mirror);
  return results;
}

async function loadedFiles(database: Database, schema: DatabaseSchema): Promise<readonly LoadedFile[]> {
  const found = await database.query(`SELECT * FROM ${schema.table(FILES)}`);
  return found.map(({ id, table_name: table, file, sha256, rows, sums }) => ({
    ...{ id: Number(id), table: String(table), file: String(file), sha256: String(sha256) },
    ...storedSums(rows, sums),
  }));
}

function planOf(table: LoadTable, mirror: Mirror, loaded: readonly LoadedFile[]): TablePlan {
  const keyOf = (name: string, sha256: string) => `${sha256} ${name}`;
  const units = table.units(mirror);
  const wanted = new Set(units.map(({ name, sha256 }) => keyOf(name, sha256)));
  const known = new Set(loaded.map(({ file, sha256 }) => keyOf(file, sha256)));
  const isWanted = ({ file, sha256 }: LoadedFile) => wanted.has(keyOf(file, sha256));
  return {
    table,
    kept: loaded.filter(isWanted),
    dropped: loaded.filter((file) => !isWanted(file)),
    missing: units.filter(({ name, sha256 }) => !known.has(keyOf(name, sha256))),
  };
}

interface Work {
  readonly database: Database;
  readonly schema: DatabaseSchema;
  readonly table: LoadTable;
}

const stageOf = ({ name }: LoadTable) => `pg_temp.${quoted(`stage_${name}`)}`;
const namesOf = ({ columns }: LoadTable) =>
  [...columns.map(({ name }) => quoted(name)), 'mirror_file'].join(', ');

async function stage(
  { database, table }: Work,
  units: readonly { readonly unit: LoadUnit; readonly id: number }[],
  onRow: () => void,
): Promise<readonly LoadedFile[]> {
  const typed = table.columns.map(({ name, type }) => `${quoted(name)} ${type}`);
  await database.query(
    `CREATE TEMP TABLE ${stageOf(table)} (${typed.join(', ')}, mirror_file integer) ON COMMIT DROP`,
  );
  const sent: LoadedFile[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const { unit, id } of units) {
      const counter = new FileCounter(table.columns);
      let chunk = '';
      for await (const cells of unit.read()) {
        counter.add(cells);
        chunk += copyLine([...cells, String(id)]);
        onRow();
        if (chunk.length < CHUNK) continue;
        yield chunk;
        chunk = '';
      }
      if (chunk !== '') yield chunk;
      const sums = counter.result();
      if (sums.rows !== unit.rows) throw new Error(`${unit.name} has ${sums.rows} of ${unit.rows} rows`);
      sent.push({ id, table: table.name, file: unit.name, sha256: unit.sha256, ...sums });
    }
  }
  if (units.length > 0) await database.copy(`COPY ${stageOf(table)} (${namesOf(table)}) FROM STDIN`, lines());
  return sent;
}

const CHUNK = 65_536;

/** Deletes the rows of the given files, or all rows if no files are given. Uses DELETE because TRUNCATE would block readers. */
async function removeRows(
  { database, schema, table }: Work,
  dropped: readonly LoadedFile[] | undefined,
): Promise<number> {
  const [from, files] = [schema.table(table.name), schema.table(FILES)];
  if (!dropped) {
    const [found] = await database.query(`SELECT count(*) AS rows FROM ${from}`);
    await database.query(`DELETE FROM ${from}`);
    await database.query(`DELETE FROM ${files} WHERE table_name = $1`, [table.name]);
    return Number(found?.['rows']);
  }
  const ids = dropped.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await database.query(`DELETE FROM ${from} WHERE mirror_file = ANY ($1::int[])`, [ids]);
  await database.query(`DELETE FROM ${files} WHERE id = ANY ($1::int[])`, [ids]);
  return rowsOf(dropped);
}

async function insertRows({ database, schema, table }: Work, sent: readonly LoadedFile[]): Promise<void> {
  const names = namesOf(table);
  if (sent.length > 0) {
    await database.query(
      `INSERT INTO ${schema.table(table.name)} (${names}) SELECT ${names} FROM ${stageOf(table)}`,
    );
  }
  for (const { id, file, sha256, rows, sums } of sent) {
    await database.query(
      `INSERT INTO ${schema.table(FILES)} (id, table_name, file, sha256, rows, sums) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, table.name, file, sha256, rows, JSON.stringify(sums)],
    );
  }
}

async function verify(
  { database, schema, table }: Work,
  target: DatabaseTarget,
  files: readonly LoadedFile[],
): Promise<void> {
  // Run deferred constraints and triggers now, because they may change rows.
  await database.query('SET CONSTRAINTS ALL IMMEDIATE');
  const rows = await database.query(sumsQuery(schema.table(table.name), table.columns));
  const found = new Map(rows.map((row) => [Number(row['mirror_file']), row]));
  const wrong = files.flatMap((file) =>
    sumDifferences(table.columns, file, found.get(file.id)).map((text) => `${file.file}: ${text}`),
  );
  const known = new Set(files.map(({ id }) => id));
  const strange = rows.filter((row) => !known.has(Number(row['mirror_file'])));
  if (strange.length > 0)
    wrong.push(
      `${rowsOf(strange.map((row) => ({ rows: Number(row['rows']) })))} rows do not belong to a file`,
    );
  const [first] = wrong;
  if (first === undefined) return;
  throw new UnverifiedError(
    'LOAD_DIFFERS',
    `${showText(table.name)} in ${target.name} would differ from the mirror, so nothing was committed: ${showText(first)}`,
    {
      hint: 'If rows were changed by hand, send everything again with --full. Otherwise, remove the trigger, rule or policy that changes rows of the table.',
      details: wrong.slice(0, MOST_DETAILS),
    },
  );
}

const MOST_DETAILS = 20;

function rowsOf(files: readonly { readonly rows: number }[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

function unheldOf(files: readonly LoadedFile[]): Record<string, number> {
  const unheld: Record<string, number> = {};
  for (const { sums } of files) {
    for (const [name, sum] of Object.entries(sums)) {
      if (sum.unheld > 0) unheld[name] = (unheld[name] ?? 0) + sum.unheld;
    }
  }
  return unheld;
}
