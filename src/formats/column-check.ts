import { type CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type Column, declaredColumn, valueAt } from './columns.ts';
import { OpenFields } from './open.ts';

/** Rows that are looked through for a field before anything is written: as many as the largest page of ledgers. */
export const LOOKED_THROUGH = 200;

/**
 * Checks `--columns`. A name that no declared column has may be a field that the specification does not show: the first
 * rows decide. Nothing is written before they do.
 */
export class ColumnCheck {
  readonly #known: readonly Column[];
  readonly #missing: Set<string>;
  readonly #fields = new OpenFields();
  #rows = 0;

  /**
   * @param chosen values of `--columns`
   * @param known every declared column
   */
  constructor(chosen: readonly string[], known: readonly Column[]) {
    this.#known = known;
    const names = chosen.map((name) => name.replace(/^\+/, ''));
    this.#missing = new Set(names.filter((name) => declaredColumn(name, known, []) === undefined));
  }

  /** Whether only rows can show that every name is right. */
  get isOpen(): boolean {
    return this.#missing.size > 0;
  }

  /**
   * The same rows, the first ones held back until they have shown every name.
   *
   * @throws usage error `BAD_COLUMN`
   */
  async *over(rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    const held: JsonRecord[] = [];
    for await (const row of rows) {
      if (this.#rows < LOOKED_THROUGH) this.#see(row);
      if (this.isOpen && this.#rows < LOOKED_THROUGH) {
        held.push(row);
        continue;
      }
      this.#require();
      yield* held.splice(0);
      yield row;
    }
    this.#require();
    yield* held;
  }

  /** A warning if there was no row to look through. */
  complaints(): string[] {
    if (!this.isOpen || this.#rows > 0) return [];
    return [`No record shows whether there is a column ${list(this.#missing)}.`];
  }

  #see(row: JsonRecord): void {
    this.#rows += 1;
    if (!this.isOpen) return;
    this.#fields.add(row);
    for (const name of this.#missing) if (valueAt(row, name) !== undefined) this.#missing.delete(name);
  }

  #require(): void {
    if (!this.isOpen || this.#rows === 0) return;
    const fields = this.#fields.columns().csv.map(({ key }) => key);
    throw unknownColumn([...this.#missing], this.#known, fields);
  }
}

/**
 * Checks `--columns` of records that have no other fields than the declared ones.
 *
 * @throws usage error `BAD_COLUMN`
 */
export function requireColumns(chosen: readonly string[], known: readonly Column[]): void {
  const names = chosen.map((name) => name.replace(/^\+/, ''));
  const unknown = names.filter((name) => declaredColumn(name, known, []) === undefined);
  if (unknown.length > 0) throw unknownColumn(unknown, known, []);
}

function unknownColumn(
  names: readonly string[],
  known: readonly Column[],
  fields: readonly string[],
): CryptodataError {
  const valid = [...new Set([...known.map(({ key }) => key), ...fields])];
  const headings = known.flatMap(({ header }) => header ?? []);
  // `symbl` is near to the end of `asset.symbol`.
  const ends = new Map(valid.map((key) => [key.replace(/.*\./, ''), key]));
  const near = new Set(
    names.flatMap((name) => {
      const end = ends.get(nearest(name, ends.keys()) ?? '');
      return nearest(name, [...valid, ...headings]) ?? end ?? [];
    }),
  );
  const meant = near.size === 0 ? '' : `Did you mean ${[...near].join(', ')}? `;
  return usageError(
    `Unknown column ${list(names)}`,
    `${meant}The columns are ${valid.join(', ')}.`,
    'BAD_COLUMN',
  );
}

function list(names: Iterable<string>): string {
  return [...names].map((name) => JSON.stringify(name)).join(', ');
}
