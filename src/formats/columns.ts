import type { Column, Columns, View } from '../api/columns.ts';
import { fieldAt, isExactNumber, type JsonRecord } from '../core/json.ts';
import { once } from '../core/once.ts';
import { machineZone } from './moments.ts';

export type { Column, Columns, View };

/**
 * @param timeZone default: the machine's time zone. Finding this time zone takes 20 ms, so it is done only on first use.
 * @param onUnknown called if the machine's time zone is unknown; UTC is then used
 */
export function viewOf(timeZone: string | undefined, onUnknown: () => void = () => {}): View {
  if (timeZone !== undefined) return { timeZone };
  const zone = once(() => {
    const name = machineZone();
    if (name === undefined) onUnknown();
    return name ?? 'UTC';
  });
  return {
    get timeZone() {
      return zone();
    },
  };
}

/** Derives columns from records with undeclared fields. */
export type ColumnsFrom = (records: readonly JsonRecord[]) => Columns;

/** Returns the value at a dotted path, or undefined if the path does not exist. */
export function valueAt(record: JsonRecord, path: string): unknown {
  return Object.hasOwn(record, path) ? record[path] : fieldAt(record, path);
}

export function columnValue(record: JsonRecord, column: Column, view: View): unknown {
  return column.derive ? column.derive(record, viewFor(record, view)) : valueAt(record, column.key);
}

export function viewFor(record: JsonRecord, view: View): View {
  return view.of?.(record) ?? view;
}

/**
 * Applies `--columns`. `a,b` selects only these columns, and `+c` adds a column to the default columns. A column is
 * named by its key or by its heading in a table. A field without a column is named by its path.
 */
export function chooseColumns(
  usual: readonly Column[],
  known: readonly Column[],
  wanted: readonly string[],
): Column[] {
  // A column that the user selected must always be shown, so remove `drop`.
  const find = (name: string): Column => {
    const { drop: _, ...column } = declaredColumn(name, usual, known) ?? { key: name };
    return column;
  };
  const added = wanted.filter((name) => name.startsWith('+')).map((name) => find(name.slice(1)));
  const only = wanted.filter((name) => !name.startsWith('+')).map(find);
  return eachOnce([...(only.length > 0 ? only : usual), ...added]);
}

/** Removes repeated columns. A column may have several names, but a JSON record cannot have a field twice. */
function eachOnce(columns: readonly Column[]): Column[] {
  return columns.filter(({ key }, index) => columns.findIndex((column) => column.key === key) === index);
}

/** Finds a column by name. Searches the default columns of the format before all other columns. */
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
    // Only table columns have headings. If a heading was given, prefer the format's own column for the same field.
    if (found) return usual.find(({ key }) => key === found.key) ?? found;
  }
  return undefined;
}

/** Whether `--columns` replaces the default columns, instead of only adding columns. */
export function namesAll(chosen: readonly string[]): boolean {
  return chosen.some((name) => !name.startsWith('+'));
}

/** Converts a record for JSON output. */
export type Shape = (record: JsonRecord) => JsonRecord;

export const asServed: Shape = (record) => record;

/**
 * By default, JSON contains whole, unchanged records. `--columns a,b` selects only these fields, with unchanged values. `+c`
 * adds a field to the record.
 */
export function jsonShape(known: readonly Column[], chosen: readonly string[], view: View): Shape {
  if (chosen.length === 0) return asServed;
  const columns = jsonColumns(known, chosen);
  const value = (record: JsonRecord, column: Column) => {
    const served = valueAt(record, column.key);
    return served === undefined ? columnValue(record, column, view) : served;
  };
  const picked: Shape = (record) =>
    Object.fromEntries(columns.map((column) => [column.key, value(record, column) ?? null]));
  return namesAll(chosen) ? picked : (record) => ({ ...record, ...picked(record) });
}

/** Applies `--columns` to JSON records. */
export function jsonColumns(known: readonly Column[], chosen: readonly string[]): Column[] {
  // A field of the record takes precedence over a table heading: `asset` selects the whole `asset` object.
  const fields = known.map(({ key }) => ({ key: key.replace(/\..*/, '') }));
  const columns = chosen.map((given) => {
    const name = given.replace(/^\+/, '');
    const key =
      declaredColumn(name, [...known.filter(({ header }) => !header), ...fields], known)?.key ?? name;
    return known.find((column) => column.key === key) ?? { key };
  });
  return eachOnce(columns);
}

/** Whether the value is a string, a number, a boolean, null or undefined. */
export function isPlainValue(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null || isExactNumber(value);
}
