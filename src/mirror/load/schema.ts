import { createHash } from 'node:crypto';
import { OutputError, systemCode, UsageError, usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import { claimsOf } from '../claims.ts';
import type { MirrorManifest } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { hasLegs, quoted } from '../sql/names.ts';
import type { Database } from './database.ts';
import type { LoadTable } from './tables.ts';
import type { Target } from './target.ts';

/** The table format that this version writes. If a schema has a later format, this version cannot update it. */
const LOAD_FORMAT = 1;

/** A table with a single row. The row identifies the books in the schema, and records the time of the load. */
const LOAD = 'mirror_load';
/** A table that lists the loaded tables, with the row count of each table and whether its rows are verified. */
const TABLES = 'mirror_tables';
/** A table that lists the loaded mirror files. */
export const FILES = 'mirror_files';

const STATE: Readonly<Record<string, string>> = {
  [LOAD]: 'format integer, tool text, address text, workspace text, loaded_at timestamptz',
  [TABLES]: 'name text, rows bigint, verified boolean, why text, read_at timestamptz',
  [FILES]: 'id integer, table_name text, file text, sha256 text, rows bigint, sums jsonb',
};

/** A schema in a database. Call all methods in the same transaction. */
export class Schema {
  readonly #database: Database;
  readonly #target: Target;
  readonly #name: string;

  constructor(database: Database, target: Target, name: string) {
    this.#database = database;
    this.#target = target;
    this.#name = name;
  }

  /** The SQL name of a table, with its schema. */
  table(name: string): string {
    return `${quoted(this.#name)}.${quoted(name)}`;
  }

  /**
   * Waits until no other load is writing to the schema. Then blocks other loads until the transaction ends.
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
   * Creates the schema and its tables, or checks that existing tables belong to this mirror.
   *
   * @throws usage error `LOAD_TOO_NEW`, `OTHER_BOOKS` or `FOREIGN_TABLES`; OutputError `DATABASE_ENCODING`
   */
  async prepare(tables: readonly LoadTable[], manifest: MirrorManifest): Promise<void> {
    await this.#checkEncoding();
    const names = [...tables.map(({ name }) => name), ...Object.keys(STATE)];
    const found = await this.#existing(names);
    if (found.includes(LOAD)) return this.#checkIdentity(manifest);
    if (found.length > 0) {
      throw usageError(
        `Cannot load into ${this.#where}: it already contains ${found.join(', ')}, which cryptodata did not create`,
        'Load into another schema: --schema NAME. If the schema does not exist, it is created.',
        'FOREIGN_TABLES',
      );
    }
    for (const [name, columns] of Object.entries(STATE))
      await this.#database.query(`CREATE TABLE ${this.table(name)} (${columns})`);
    for (const table of tables) await this.#create(table);
    await this.#database.query(`INSERT INTO ${this.table(LOAD)} VALUES ($1, $2, $3, $4, now())`, [
      LOAD_FORMAT,
      VERSION,
      manifest.address,
      manifest.workspace,
    ]);
  }

  /** Records the time of the load. For each table, records the row count and whether the rows are verified. */
  async record(tables: readonly LoadTable[], mirror: Mirror): Promise<void> {
    const { snapshots } = mirror.manifest;
    const ledgers = claimsOf(mirror, {});
    await this.#database.query(`UPDATE ${this.table(LOAD)} SET tool = $1, loaded_at = now()`, [VERSION]);
    await this.#database.query(`DELETE FROM ${this.table(TABLES)}`);
    for (const { name } of tables) {
      const state = hasLegs(name) ? ledgers : snapshots[name];
      await this.#database.query(
        `INSERT INTO ${this.table(TABLES)} SELECT $1, count(*), $2, $3, $4 FROM ${this.table(name)}`,
        [name, state?.verified ?? null, state?.why ?? null, state?.readAt ?? null],
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

  async #existing(names: readonly string[]): Promise<string[]> {
    const [schema] = await this.#database.query('SELECT oid FROM pg_namespace WHERE nspname = $1', [
      this.#name,
    ]);
    if (!schema) {
      await this.#database.query(`CREATE SCHEMA ${quoted(this.#name)}`);
      return [];
    }
    const rows = await this.#database.query(
      'SELECT relname FROM pg_class WHERE relnamespace = $1 AND relname = ANY ($2) ORDER BY relname',
      [schema['oid'], names],
    );
    return rows.map(({ relname }) => String(relname));
  }

  async #checkIdentity({ address, workspace }: MirrorManifest): Promise<void> {
    const [format] = await this.#database.query(`SELECT format FROM ${this.table(LOAD)}`);
    if (Number(format?.['format']) > LOAD_FORMAT) {
      throw usageError(
        `A newer version of cryptodata wrote ${this.#where} (format ${String(format?.['format'])}; this version writes ${LOAD_FORMAT})`,
        'Update cryptodata.',
        'LOAD_TOO_NEW',
      );
    }
    const [row] = await this.#database.query(`SELECT address, workspace FROM ${this.table(LOAD)}`);
    if (row?.['address'] === address && row['workspace'] === workspace) return;
    const other = [row?.['workspace'], row?.['address']].filter((part) => part != null).join(' of ');
    throw usageError(
      `Cannot load into ${this.#where}: it contains other books (${showText(other)})`,
      'Load each mirror into its own schema: --schema NAME.',
      'OTHER_BOOKS',
    );
  }

  async #create({ name, columns, indexed }: LoadTable): Promise<void> {
    const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
    await this.#database.query(
      `CREATE TABLE ${this.table(name)} (${typed.join(', ')}, mirror_file integer NOT NULL)`,
    );
    for (const column of ['mirror_file', ...indexed])
      await this.#database.query(`CREATE INDEX ON ${this.table(name)} (${quoted(column)})`);
  }
}

/**
 * How long a load waits for another load to end, in seconds. The server may still be running the last statement of a load that
 * was killed.
 */
const PATIENCE = 8;
/** Distinguishes this lock from other advisory locks. The number contains the ASCII codes of "mirr". */
const LOCK = 0x6d697272;
const LOCK_TIMEOUT = '55P03';
