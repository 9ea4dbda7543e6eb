import { isExactNumber, isRecord, type JsonRecord } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';

/** One column: where its value stands in a record, and how people read it. */
export interface Column {
  /** Dotted path into the record as served (`asset.symbol`); the header of the column in CSV. */
  readonly key: string;
  /** Header in a table, where the key is not what people read. */
  readonly header?: string;
  /** Figures stand right-aligned and are never cut. */
  readonly figure?: boolean;
  /** Text that is worth nothing in part: never cut either. */
  readonly whole?: boolean;
  /** A moment in Unix milliseconds: tables show it in the user's zone. */
  readonly moment?: boolean;
  /** A value that is no field of the record but follows from it. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /** The one field of the record that `derive` looks at, where it looks at no other: then it is given nothing else. */
  readonly from?: string;
}

/** What the user chose about how values are shown. */
export interface View {
  /** IANA name; undefined for the machine's own zone. */
  readonly timeZone: string | undefined;
}

/** The columns of a kind of record: those that people read, and those that a file holds. */
export interface Columns {
  readonly table: readonly Column[];
  readonly csv: readonly Column[];
}

/** Columns that follow from the records themselves, where nobody gave their fields. */
export type ColumnsFrom = (records: readonly JsonRecord[]) => Columns;

/** The value at a dotted path; undefined where there is none. */
export function valueAt(record: JsonRecord, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  let value: unknown = record;
  for (const part of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

export function columnValue(record: JsonRecord, column: Column, view: View): unknown {
  return column.derive ? column.derive(record, view) : valueAt(record, column.key);
}

/**
 * Applies `--columns`: `a,b` takes these alone, `+c` adds to the usual ones. A name that is no usual column is
 * taken as a path into the record, so that fields without a column of their own can be had too.
 */
export function chooseColumns(
  usual: readonly Column[],
  known: readonly Column[],
  wanted: readonly string[],
): Column[] {
  const find = (key: string): Column => known.find((column) => column.key === key) ?? { key };
  const added = wanted.filter((name) => name.startsWith('+')).map((name) => find(name.slice(1)));
  const only = wanted.filter((name) => !name.startsWith('+')).map(find);
  const base = only.length > 0 ? only : usual;
  const keys = new Set(base.map((column) => column.key));
  return [...base, ...added.filter((column) => !keys.has(column.key) && keys.add(column.key))];
}

/** Whether `--columns` names the columns itself, rather than adding to the usual ones. */
export function namesAll(chosen: readonly string[]): boolean {
  return chosen.some((name) => !name.startsWith('+'));
}

/** What a record becomes in JSON. */
export type Shape = (record: JsonRecord) => JsonRecord;

export const asServed: Shape = (record) => record;

/**
 * JSON holds whole records as served. `a,b` of `--columns` takes these alone, with their values as served; `+c` stands
 * beside the fields of the record.
 */
export function jsonShape(known: readonly Column[], chosen: readonly string[], view: View): Shape {
  if (chosen.length === 0) return asServed;
  const columns = chooseColumns([], known, chosen);
  const value = (record: JsonRecord, column: Column) => {
    const served = valueAt(record, column.key);
    return served === undefined ? columnValue(record, column, view) : served;
  };
  const picked: Shape = (record) =>
    Object.fromEntries(columns.map((column) => [column.key, value(record, column) ?? null]));
  return namesAll(chosen) ? picked : (record) => ({ ...record, ...picked(record) });
}

/**
 * Watches rows for the columns that the user named and nobody knows: one that no row has was misspelt, and would
 * be an empty column without a word.
 */
export class NameWatch {
  readonly #missing: Set<string>;
  readonly #known: readonly string[];
  #rows = 0;

  constructor(chosen: readonly string[], known: readonly Column[]) {
    this.#known = known.map((column) => column.key);
    const names = chosen.map((name) => name.replace(/^\+/, ''));
    this.#missing = new Set(names.filter((name) => !this.#known.includes(name)));
  }

  /** Whether any name is looked for still. */
  get isLooking(): boolean {
    return this.#missing.size > 0;
  }

  async *over(rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    for await (const row of rows) {
      this.see(row);
      yield row;
    }
  }

  see(row: JsonRecord): void {
    this.#rows += 1;
    for (const name of this.#missing) if (valueAt(row, name) !== undefined) this.#missing.delete(name);
  }

  /** A sentence for each name that no row had. */
  complaints(): string[] {
    if (this.#rows === 0) return [];
    return [...this.#missing].map((name) => {
      const near = nearest(name, this.#known);
      return `No record has ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    });
  }
}

/** Text without structure, where a value has any: numbers with all their digits. */
export function isPlainValue(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null || isExactNumber(value);
}
