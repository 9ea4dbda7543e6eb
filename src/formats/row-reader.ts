import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Column, View } from './columns.ts';

/** A field to read: the index of its column, and the inner fields to read if the value is a record. */
interface Field {
  /** Index of the field's column; undefined if the field has no column. */
  at: number | undefined;
  inner: Fields | undefined;
}
type Fields = Map<string, Field>;

/**
 * Returns a function that reads the values of all columns in one pass over a record. The function returns the same values as
 * `columnValue`, but calling `columnValue` for each column would be several times slower. Each call overwrites the array that
 * the previous call returned.
 */
export function rowReader(
  columns: readonly Column[],
  view: View,
): (record: JsonRecord) => readonly unknown[] {
  const values: unknown[] = new Array(columns.length).fill(undefined);
  const fields: Fields = new Map();
  const first = new Map<string, number>();
  const copies: { readonly from: number; readonly to: number }[] = [];
  const derived: { readonly to: number; readonly derive: NonNullable<Column['derive']> }[] = [];
  columns.forEach(({ key, derive }, to) => {
    const from = first.get(key);
    if (derive) derived.push({ to, derive });
    else if (from !== undefined) copies.push({ from, to });
    else {
      first.set(key, to);
      fieldAt(fields, [key]).at = to;
      fieldAt(fields, key.split('.')).at = to;
    }
  });

  const readInner = (record: JsonRecord, wanted: Fields): void => {
    for (const name in record) {
      const field = wanted.get(name);
      if (field === undefined) continue;
      const value = record[name];
      // A field whose name is the whole dotted path takes precedence over the nested field.
      if (field.at !== undefined && values[field.at] === undefined) values[field.at] = value;
      if (field.inner !== undefined && isRecord(value)) readInner(value, field.inner);
    }
  };
  return (record) => {
    values.fill(undefined);
    for (const name in record) {
      const field = fields.get(name);
      if (field === undefined) continue;
      const value = record[name];
      if (field.at !== undefined) values[field.at] = value;
      if (field.inner !== undefined && isRecord(value)) readInner(value, field.inner);
    }
    for (const { to, derive } of derived) values[to] = derive(record, view);
    for (const { from, to } of copies) values[to] = values[from];
    return values;
  };
}

function fieldAt(fields: Fields, path: readonly string[]): Field {
  const [name = '', ...rest] = path;
  let field = fields.get(name);
  if (!field) {
    field = { at: undefined, inner: undefined };
    fields.set(name, field);
  }
  if (rest.length === 0) return field;
  field.inner ??= new Map();
  return fieldAt(field.inner, rest);
}
