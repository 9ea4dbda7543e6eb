import { isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { machineZone } from './moments.ts';

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
  /** A value that is ISO 8601 in the zone of the view: a workbook holds it as a date. */
  readonly isTime?: boolean;
  /** A value for programs: a workbook hides it. */
  readonly internal?: boolean;
  /** A value that is no field of the record but follows from it. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /** The one field of the record that `derive` looks at, where it looks at no other: then it is given nothing else. */
  readonly from?: string;
}

/** How values are shown. */
export interface View {
  /** IANA name of the zone of days and times. */
  readonly timeZone: string;
}

/**
 * @param timeZone this machine's zone if not given; it is looked up when it is first needed, which takes 20 ms
 * @param onUnknown told, each time, that it is unknown and UTC takes its place
 */
export function viewOf(timeZone: string | undefined, onUnknown: () => void = () => {}): View {
  if (timeZone !== undefined) return { timeZone };
  return {
    get timeZone() {
      const zone = machineZone();
      if (zone === undefined) onUnknown();
      return zone ?? 'UTC';
    },
  };
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
 * Applies `--columns`: `a,b` selects these alone, `+c` adds to the usual ones. A name is the key of a column, its heading
 * in a table, or a path into the record, for fields without a column of their own.
 */
export function chooseColumns(
  usual: readonly Column[],
  known: readonly Column[],
  wanted: readonly string[],
): Column[] {
  const find = (name: string): Column => declaredColumn(name, usual, known) ?? { key: name };
  const added = wanted.filter((name) => name.startsWith('+')).map((name) => find(name.slice(1)));
  const only = wanted.filter((name) => !name.startsWith('+')).map(find);
  const base = only.length > 0 ? only : usual;
  const keys = new Set(base.map((column) => column.key));
  return [...base, ...added.filter((column) => !keys.has(column.key) && keys.add(column.key))];
}

/** The column of a name among the usual ones of a format, or else among all. */
export function declaredColumn(
  name: string,
  usual: readonly Column[],
  known: readonly Column[],
): Column | undefined {
  const isName = (text: string | undefined) => text?.toLowerCase() === name.toLowerCase();
  for (const columns of [usual, known]) {
    const found =
      columns.find(({ key }) => key === name) ??
      columns.find(({ key, header }) => isName(header) || (header === undefined && isName(key)));
    // A heading comes from a table: the other formats have their own column for the same field.
    if (found) return usual.find(({ key }) => key === found.key) ?? found;
  }
  return undefined;
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
  // A field that the records have comes before a heading of a table: `asset` is the whole asset.
  const fields = known.map(({ key }) => ({ key: key.replace(/\..*/, '') }));
  const columns = chosen.map((given) => {
    const name = given.replace(/^\+/, '');
    const key =
      declaredColumn(name, [...known.filter(({ header }) => !header), ...fields], known)?.key ?? name;
    return known.find((column) => column.key === key) ?? { key };
  });
  const value = (record: JsonRecord, column: Column) => {
    const served = valueAt(record, column.key);
    return served === undefined ? columnValue(record, column, view) : served;
  };
  const picked: Shape = (record) =>
    Object.fromEntries(columns.map((column) => [column.key, value(record, column) ?? null]));
  return namesAll(chosen) ? picked : (record) => ({ ...record, ...picked(record) });
}

/** Text without structure, where a value has any: numbers with all their digits. */
export function isPlainValue(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null || isExactNumber(value);
}
