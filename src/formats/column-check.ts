import { type CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type Column, declaredColumn, valueAt } from './columns.ts';
import { OpenFields } from './open.ts';

/**
 * Number of rows that are searched for undeclared `--columns` before anything is written. The number equals the maximum page
 * size for ledgers.
 */
export const LOOKED_THROUGH = 200;

/**
 * Checks `--columns` before anything is written. A name that is not a declared column may still be a field that the
 * specification does not define. To find fields that the specification does not define, the check searches the first rows.
 * Without rows, only declared columns are valid, or every column if the specification defines no fields.
 */
export class ColumnCheck {
  readonly #known: readonly Column[];
  readonly #missing: Set<string>;
  readonly #hasOpenFields: boolean;
  readonly #fields = new OpenFields();
  #rows = 0;

  /**
   * @param chosen values of `--columns`
   * @param known every declared column
   * @param hasOpenFields whether the specification does not define the fields of the rows
   */
  constructor(chosen: readonly string[], known: readonly Column[], hasOpenFields = false) {
    this.#known = known;
    this.#hasOpenFields = hasOpenFields;
    const names = chosen.map((name) => name.replace(/^\+/, ''));
    this.#missing = new Set(names.filter((name) => declaredColumn(name, known, []) === undefined));
  }

  /** Whether at least one name has not been found yet. */
  get isOpen(): boolean {
    return this.#missing.size > 0;
  }

  /**
   * Yields the rows, but holds back the first rows until every name is found.
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

  /** Returns a warning if a column could not be checked, because there were no rows to search. */
  complaints(): string[] {
    if (!this.isOpen || this.#rows > 0) return [];
    return [`Cannot check the column ${list(this.#missing)}: there are no records.`];
  }

  #see(row: JsonRecord): void {
    this.#rows += 1;
    if (!this.isOpen) return;
    this.#fields.add(row);
    for (const name of this.#missing) if (valueAt(row, name) !== undefined) this.#missing.delete(name);
  }

  #require(): void {
    if (!this.isOpen || (this.#hasOpenFields && this.#rows === 0)) return;
    const fields = this.#fields.columns().csv.map(({ key }) => key);
    throw unknownColumn([...this.#missing], this.#known, fields);
  }
}

/**
 * Checks that each name in `--columns` is a declared column. Use this function for records that have only declared fields.
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
  // Also compare the last part of each name, so that `symbl` suggests `asset.symbol`.
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
