import { stringify } from 'csv-stringify/sync';
import type { JsonRecord } from '../base/json.ts';
import { type Column, columnValue, type View } from './columns.ts';
import { cellText, guardCell } from './text.ts';

export interface CsvOptions {
  readonly view: View;
  /** Guards free text against formulas and terminal escapes; on unless the user says off. */
  readonly guard?: boolean;
  /** `excel` adds a byte-order mark and ends lines with CRLF. */
  readonly dialect?: 'plain' | 'excel';
}

/** Records as CSV (RFC 4180), the header first, also where there is no record. */
export async function* csvLines(
  records: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  columns: readonly Column[],
  options: CsvOptions,
): AsyncGenerator<string> {
  const guard = options.guard === false ? (text: string) => text : guardCell;
  const layout = {
    record_delimiter: options.dialect === 'excel' ? 'windows' : 'unix',
    // The library quotes its own line ending only; a lone CR or LF would end the record for a reader too.
    quoted_match: /[\r\n]|^\s|\s$/,
    // A record of one empty cell would be a blank line, which readers skip.
    quoted_empty: columns.length === 1,
  };
  const line = (cells: string[]) => stringify([cells], layout);
  // Nothing came, and nobody knows what could have.
  if (columns.length === 0) return;
  if (options.dialect === 'excel') yield '\ufeff';
  yield line(columns.map((column) => guard(column.key)));
  for await (const record of records) {
    yield line(columns.map((column) => guard(cellText(columnValue(record, column, options.view)))));
  }
}
