import { createHash } from 'node:crypto';
import { OutputError, systemCode, UsageError, usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import { claimsOf } from '../claims.ts';
import type { MirrorManifest } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { hasLegs, quoted } from '../sql/names.ts';
import type { Database, ResultRow } from './database.ts';
import type { LoadTable } from './tables.ts';
import type { DatabaseTarget } from './target.ts';

/** The table format that this version writes. If a schema has a later format, this version cannot update it. */
const LOAD_FORMAT = 1;

/** A table with a single row. The row identifies the books in the schema, and records the time of the load. */
const LOAD = 'mirror_load';
/** A table that lists the loaded tables, with the row count of each table and whether its rows are verified. */
const TABLES = 'mirror_tables';
/** A table that lists the loaded mirror files. */
export const FILES = 'mirror_files';

interface Shape {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly indexed: readonly string[];
}

const STATE: readonly Shape[] = [
  {
    name: LOAD,
    columns: {
      ...{ format: 'integer', tool: 'text', address: 'text', workspace: 'text', loaded_at: 'timestamptz' },
    },
    indexed: [],
  },
  {
    name: TABLES,
    columns: { name: 'text', rows: 'bigint', verified: 'boolean', why: 'text', read_at: 'timestamptz' },
    indexed: [],
  },
  {
    name: FILES,
    columns: {
      ...{ id: 'integer', table_name: 'text', file: 'text', sha256: 'text', rows: 'bigint', sums: 'jsonb' },
    },
    indexed: [],
  },
];

/** The column that connects a row with its file. Only tables that a load created have this column. */
const FILE = 'mirror_file';

function shapeOf({ name, columns, indexed }: LoadTable): Shape {
  const types = columns.map((column) => [column.name, column.type]);
  return { name, columns: { ...Object.fromEntries(types), [FILE]: 'integer' }, indexed: [FILE, ...indexed] };
}

/** A schema in a database. Call all methods in the same transaction. */
export class DatabaseSchema {
  readonly #database: Database;
  readonly #target: DatabaseTarget;
  readonly #name: string;

  constructor(database: Database, target: DatabaseTarget, name: string) {
    this.#database = database;
    this.#target = target;
    this.#name = name;
  }

  table(name: string): string {
    return `${quoted(this.#name)}.${quoted(name)}`;
  }

  /**
   * Waits until no other load is writing to the schema, then blocks all other loads until the transaction ends.
   *
   * @throws usage error `LOAD_RUNNING`
   */
  async lock(): Promise<void> {
    const key = createHash('sha256').update(this.#name).digest().readInt32BE();
    await this.#database.query(`SET LOCAL lock_timeout = '${PATIENCE}s'`);
    try {
      await this.#database.query('SELECT pg_advisory_xact_lock($1::int, $2::int)', [LOCK, key]);
    } catch (error) {
      const { cause } = error as OutputError;
      if (systemCode(cause) !== LOCK_TIMEOUT) throw error;
      throw new UsageError('LOAD_RUNNING', `Another load is writing to ${this.#where}`, {
        hint: 'Run the command again when the other load has finished.',
        cause: error,
      });
    }
    await this.#database.query('SET LOCAL lock_timeout TO DEFAULT');
  }

  /**
   * Creates the schema and its tables. If the schema belongs to this mirror, creates only the tables, columns and indexes that
   * are missing.
   *
   * @returns the tables that were created or got a column, so that all their rows must be sent
   * @throws usage error `LOAD_TOO_NEW`, `OTHER_BOOKS`, `FOREIGN_TABLES` or `CHANGED_TABLE`; OutputError `DATABASE_ENCODING`
   */
  async prepare(tables: readonly LoadTable[], manifest: MirrorManifest): Promise<ReadonlySet<string>> {
    await this.#checkEncoding();
    const shapes = [...STATE, ...tables.map(shapeOf)];
    const found = await this.#columns(shapes.map(({ name }) => name));
    const isOurs = found.some(({ name }) => name === LOAD);
    if (isOurs) await this.#checkIdentity(manifest);
    else if (found.length > 0) throw this.#foreign([...new Set(found.map(({ name }) => String(name)))]);
    const incomplete = new Set<string>();
    for (const shape of shapes) {
      const held = found.filter(({ name }) => name === shape.name);
      if (await this.#complete(shape, held)) incomplete.add(shape.name);
    }
    if (!isOurs) {
      await this.#database.query(`INSERT INTO ${this.table(LOAD)} VALUES ($1, $2, $3, $4, now())`, [
        ...[LOAD_FORMAT, VERSION, manifest.address, manifest.workspace],
      ]);
    }
    return incomplete;
  }

  /** Records the time of the load. For each table, records the row count and whether the rows are verified. */
  async record(tables: readonly LoadTable[], mirror: Mirror): Promise<void> {
    const { snapshots } = mirror.manifest;
    const ledgers = claimsOf(mirror, {});
    await this.#database.query(`UPDATE ${this.table(LOAD)} SET tool = $1, format = $2, loaded_at = now()`, [
      VERSION,
      LOAD_FORMAT,
    ]);
    await this.#database.query(`DELETE FROM ${this.table(TABLES)}`);
    for (const { name } of tables) {
      const { verified, why } = (hasLegs(name) ? ledgers.claim : snapshots[name]) ?? {};
      const readAt = hasLegs(name) ? ledgers.readAt : snapshots[name]?.readAt;
      await this.#database.query(
        `INSERT INTO ${this.table(TABLES)} SELECT $1, count(*), $2, $3, $4 FROM ${this.table(name)}`,
        [name, verified ?? null, why ?? null, readAt ?? null],
      );
    }
  }

  get #where(): string {
    return `the schema ${showText(this.#name)} in ${this.#target.name}`;
  }

  async #checkEncoding(): Promise<void> {
    const [row] = await this.#database.query(
      'SELECT pg_encoding_to_char(encoding) AS name FROM pg_database WHERE datname = current_database()',
    );
    if (row?.['name'] === 'UTF8') return;
    throw new OutputError(
      'DATABASE_ENCODING',
      `${this.#target.name} has the encoding ${String(row?.['name'])}, which cannot store all text`,
      { hint: "Create another database: CREATE DATABASE books ENCODING 'UTF8' TEMPLATE template0" },
    );
  }

  /** Returns the columns of the tables that exist. Creates the schema if necessary. */
  async #columns(names: readonly string[]): Promise<readonly ResultRow[]> {
    const [schema] = await this.#database.query('SELECT oid FROM pg_namespace WHERE nspname = $1', [
      this.#name,
    ]);
    if (schema) return this.#database.query(COLUMNS, [schema['oid'], names]);
    await this.#database.query(`CREATE SCHEMA ${quoted(this.#name)}`);
    return [];
  }

  /**
   * Creates a table, or its missing columns and indexes.
   *
   * @param found the columns of the table; empty if it does not exist
   * @returns whether columns were missing
   */
  async #complete({ name, columns, indexed }: Shape, found: readonly ResultRow[]): Promise<boolean> {
    const held = new Map(found.map((row) => [row['column'], row]));
    const isTable = found.every((row) => row['is_table'] === true);
    if (found.length > 0 && !(isTable && (!(FILE in columns) || held.has(FILE)))) throw this.#foreign([name]);
    const missing = Object.entries(columns).filter(([column]) => !held.has(column));
    const typed = missing.map(
      ([column, type]) => `${quoted(column)} ${type}${column === FILE ? ' NOT NULL' : ''}`,
    );
    if (found.length === 0)
      await this.#database.query(`CREATE TABLE ${this.table(name)} (${typed.join(', ')})`);
    else if (missing.length > 0) {
      const added = typed.map((column) => `ADD COLUMN ${column}`);
      await this.#database.query(`ALTER TABLE ${this.table(name)} ${added.join(', ')}`);
    }
    for (const [column, type] of Object.entries(columns)) {
      const heldType = held.get(column)?.['type'] ?? type;
      if (heldType !== type) throw this.#changed(name, column, String(heldType), type);
    }
    for (const column of indexed) {
      if (held.get(column)?.['is_indexed'] === true) continue;
      await this.#database.query(`CREATE INDEX ON ${this.table(name)} (${quoted(column)})`);
    }
    return missing.length > 0;
  }

  #foreign(names: readonly string[]) {
    return usageError(
      `Cannot load into ${this.#where}: it already contains ${names.join(', ')}, but no table ${LOAD} or column ${FILE} shows that cryptodata created ${names.length === 1 ? 'it' : 'them'}`,
      'Load into another schema: --schema NAME. If the schema does not exist, it is created.',
      'FOREIGN_TABLES',
    );
  }

  #changed(table: string, column: string, type: string, wanted: string) {
    return usageError(
      `Cannot load into ${this.#where}: the column ${column} of ${table} has the type ${type} instead of ${wanted}`,
      `Change the column back, or drop the table ${table}. The next load creates it again.`,
      'CHANGED_TABLE',
    );
  }

  async #checkIdentity({ address, workspace }: MirrorManifest): Promise<void> {
    const [row] = await this.#database.query(`SELECT * FROM ${this.table(LOAD)}`);
    if (Number(row?.['format']) > LOAD_FORMAT) {
      throw usageError(
        `A newer version of cryptodata wrote ${this.#where} (format ${String(row?.['format'])}; this version writes ${LOAD_FORMAT})`,
        'Update cryptodata.',
        'LOAD_TOO_NEW',
      );
    }
    if (row?.['address'] === address && row['workspace'] === workspace) return;
    const other = [row?.['workspace'], row?.['address']].filter((part) => part != null).join(' of ');
    throw usageError(
      `Cannot load into ${this.#where}: it contains ${other === '' ? `books without an entry in ${LOAD}` : `other books (${showText(other)})`}`,
      'Load each mirror into its own schema: --schema NAME.',
      'OTHER_BOOKS',
    );
  }
}

/** Selects the columns of tables. A table without columns has one row. */
const COLUMNS = `
  SELECT c.relname AS name, c.relkind IN ('r', 'p') AS is_table, a.attname AS column,
    replace(a.atttypid::regtype::text, 'timestamp with time zone', 'timestamptz') AS type,
    EXISTS (
      SELECT FROM pg_index i
      WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indisvalid AND i.indpred IS NULL
    ) AS is_indexed
  FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = $1 AND c.relname = ANY ($2) ORDER BY c.relname`;

/**
 * How long a load waits for another load to end, in seconds. The server may still be running the last statement of a load that
 * was killed.
 */
const PATIENCE = 8;
/** Distinguishes this lock from other advisory locks. The number contains the ASCII codes of "mirr". */
const LOCK = 0x6d697272;
const LOCK_TIMEOUT = '55P03';
