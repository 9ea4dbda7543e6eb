import { isExactNumber, isRecord, type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { valueAt } from '../formats/columns.ts';
import { fitsDecimal } from '../formats/parquet/decimal128.ts';
import { readParquet } from '../formats/parquet/read.ts';
import { cellText } from '../formats/text.ts';
import { type ListColumn, listColumns, RECORD } from './columns.ts';
import { writeTableFile } from './leg-file.ts';
import type { SnapshotName } from './manifest.ts';

/** Writes the records of a list to a file. */
export function writeListFile(path: string, name: SnapshotName, records: AsyncIterable<JsonRecord>) {
  const columns = listColumns(name);
  const read = (record: JsonRecord) =>
    columns.flatMap((column): unknown[] => {
      const value = listValue(record, column);
      if (column.kind !== 'decimal') return [value];
      const served = valueAt(record, column.key) ?? null;
      return [value, value === null && served !== null ? cellText(served) : null];
    });
  return writeTableFile(path, name, read, records);
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
