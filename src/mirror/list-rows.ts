import { holdings } from '../api/holdings.ts';
import { integrations } from '../api/integrations.ts';
import { labels } from '../api/labels.ts';
import type { Fields } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { transactions } from '../api/transactions.ts';
import { isExactNumber, type JsonRecord, stringifyJson } from '../core/json.ts';
import { escapeCharacter } from '../core/text.ts';
import { type Columns, valueAt } from '../formats/columns.ts';
import { OpenFields } from '../formats/open.ts';
import { fitsDecimal } from '../formats/parquet/decimal128.ts';
import { cellText } from '../formats/text.ts';
import type { SnapshotName } from './manifest.ts';

/** A column in the table of a list other than ledgers. */
export interface ListColumn {
  /** Path of the field. */
  readonly key: string;
  /** Name of the column in a database: the path, with escapes for characters that a database cannot store in a name. */
  readonly name: string;
  /** `decimal` for fields specified as numbers, `boolean` for fields specified as booleans, and `text` for all other fields. */
  readonly kind: 'decimal' | 'boolean' | 'text';
}

/** The column with the whole record, as JSON. */
export const RECORD = 'record';
/** Maximum number of columns for fields. The values of further fields are only in {@link RECORD}. */
const MOST = 300;

const LISTS: Readonly<Record<SnapshotName, { readonly record: Fields; readonly columns: Columns }>> = {
  transactions,
  integrations,
  holdings,
  labels,
  spam,
};

/** The columns of a list: the fields in the specification, then other fields in order of appearance, then the whole record. */
export async function listColumns(
  name: SnapshotName,
  records: AsyncIterable<JsonRecord>,
): Promise<readonly ListColumn[]> {
  const found = new OpenFields();
  for await (const record of records) found.add(record);
  const { columns, record } = LISTS[name];
  // Skip names that are already taken. Names that differ only in case count as the same name, because databases ignore the case
  // of column names.
  const taken = new Set([RECORD]);
  const named = [...columns.csv, ...found.columns().csv]
    .map(({ key }): ListColumn => ({ key, name: nameOf(key), kind: kindOf(record, key) }))
    .filter(({ name }) => !taken.has(name.toLowerCase()) && taken.add(name.toLowerCase()));
  return [...named.slice(0, MOST), { key: RECORD, name: RECORD, kind: 'text' }];
}

/** Control characters and unpaired surrogates. */
const UNUSABLE = /[\p{Cc}\p{Cs}]/gu;

function nameOf(key: string): string {
  return key.replace(UNUSABLE, escapeCharacter) || '(empty)';
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
