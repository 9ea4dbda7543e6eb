import { holdings } from '../api/holdings.ts';
import { integrations } from '../api/integrations.ts';
import { labels } from '../api/labels.ts';
import type { Fields } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { transactions } from '../api/transactions.ts';
import { isExactNumber, isRecord, type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { type Columns, valueAt } from '../formats/columns.ts';
import { fitsDecimal } from '../formats/parquet/decimal128.ts';
import { readParquet } from '../formats/parquet/read.ts';
import { cellText } from '../formats/text.ts';
import { type OpenFile, openParquet } from './leg-file.ts';
import { exactOf, snakeCase } from './leg-rows.ts';
import type { SnapshotName } from './manifest.ts';

/** A column in the table of a list other than ledgers. */
export interface ListColumn {
  /** Path of the field. */
  readonly key: string;
  /** Name of the column: the path in snake case. */
  readonly name: string;
  /** `decimal` for fields specified as numbers, `boolean` for fields specified as booleans, `json` for the record, and `text` for all other fields. */
  readonly kind: 'decimal' | 'boolean' | 'text' | 'json';
}

/** The column with the whole record, as JSON. */
export const RECORD = 'record';
const LISTS: Readonly<Record<SnapshotName, { readonly record: Fields; readonly columns: Columns }>> = {
  transactions,
  integrations,
  holdings,
  labels,
  spam,
};

/** The columns of a list: the fields in the specification, then the whole record. They never change. */
export function listColumns(name: SnapshotName): readonly ListColumn[] {
  const { columns, record } = LISTS[name];
  const named = columns.csv.map(({ key }) => ({ key, name: snakeCase(key), kind: kindOf(record, key) }));
  return [...named, { key: RECORD, name: RECORD, kind: 'json' }];
}

/** The columns of a list in a Parquet file: each decimal is followed by a column for values that do not fit. */
export function listFileColumns(name: SnapshotName): readonly Pick<ListColumn, 'name' | 'kind'>[] {
  return listColumns(name).flatMap((column) =>
    column.kind === 'decimal' ? [column, { name: exactOf(column.name), kind: 'text' } as const] : [column],
  );
}

/** Opens a file for the records of a list. */
export function openListFile(path: string, name: SnapshotName): Promise<OpenFile> {
  const columns = listColumns(name);
  const kinds = new Map(listFileColumns(name).map(({ name, kind }) => [name, kind]));
  const read = (record: JsonRecord) =>
    columns.flatMap((column): unknown[] => {
      const value = listValue(record, column);
      if (column.kind !== 'decimal') return [value];
      const served = valueAt(record, column.key) ?? null;
      return [value, value === null && served !== null ? cellText(served) : null];
    });
  return openParquet(
    path,
    [...kinds.keys()].map((key) => ({ key })),
    read,
    ({ key }) => kinds.get(key) ?? 'text',
  );
}

/** Yields the records of a list exactly as the service returned them. */
export async function* readListFile(path: string): AsyncGenerator<JsonRecord> {
  for await (const group of readParquet(path, { columns: [RECORD], isJson: true })) {
    for (const text of Array.from(group.column(RECORD) ?? [])) {
      const record = typeof text === 'string' ? parseJson(text) : undefined;
      if (!isRecord(record)) throw new SyntaxError(`${RECORD} is not an object`);
      yield record;
    }
  }
}

function kindOf(record: Fields, key: string): ListColumn['kind'] {
  const type = Object.hasOwn(record, key) ? record[key]?.schema['type'] : undefined;
  const types = Array.isArray(type) ? type : [type];
  return types.includes('number') ? 'decimal' : types.includes('boolean') ? 'boolean' : 'text';
}

/**
 * Returns the value of a column as text or a boolean. Returns null if the field is missing, or if its value does not have the
 * type of the column.
 */
export function listValue(record: JsonRecord, { key, kind }: ListColumn): string | boolean | null {
  if (key === RECORD) return stringifyJson(record);
  const value = valueAt(record, key);
  if (value === undefined || value === null) return null;
  if (kind === 'text') return cellText(value);
  if (kind === 'boolean') return typeof value === 'boolean' ? value : null;
  if (typeof value !== 'number' && !isExactNumber(value)) return null;
  const text = cellText(value);
  return fitsDecimal(text) ? text : null;
}
