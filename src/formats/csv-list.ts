import { stringify } from 'csv-stringify/sync';
import type { JsonRecord } from '../core/json.ts';
import { type Column, columnValue } from './columns.ts';
import { type CsvOptions, csvCell, isLegAmount } from './csv.ts';
import type { Printer } from './format.ts';

export const csvPrinter: Printer = {
  rows: (rows, { columns, view }) => csvLines(rows, columns, { view }),
  record: (record, { columns, view }) => csvLines([record], columns, { view }),
};

/** Yields the records as lines of CSV. If there are no records, yields only the header. */
export async function* csvLines(
  records: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  columns: readonly Column[],
  options: CsvOptions,
): AsyncGenerator<string> {
  // Columns that are derived from the records are unknown if there are no records.
  if (columns.length === 0) return;
  const { view, dialect, separator = ',', isAmount = isLegAmount } = options;
  const excel = dialect === 'excel';
  const line = (cells: readonly string[]): string =>
    stringify([cells], {
      delimiter: separator,
      record_delimiter: excel ? '\r\n' : '\n',
      // Some readers treat any CR or LF as the end of a record, and some remove spaces at the ends of a cell.
      quoted_match: /[\r\n]|^\s|\s$/,
      // A record with one empty cell would be a blank line, which readers skip.
      quoted_empty: columns.length === 1,
    });
  const amounts = columns.map(isAmount);
  const cell = (value: unknown, at: number) => csvCell(value, amounts[at] === true, options);
  let head = (excel ? '\ufeff' : '') + line(columns.map(({ key }) => csvCell(key, false, options)));
  // Write the header together with the first record, so that nothing is written if the first read fails.
  for await (const record of records) {
    yield head + line(columns.map((column, at) => cell(columnValue(record, column, view), at)));
    head = '';
  }
  if (head !== '') yield head;
}
