import { CsvError, parse } from 'csv-parse/sync';
import { usageError } from '../core/errors.ts';
import { LosslessNumber } from '../core/json.ts';
import { JSON_NUMBER } from './amounts.ts';
import { COLUMNS, hintFor } from './fields.ts';
import type { Problem, Source, SourceRow } from './problems.ts';

const NEEDED = ['timestamp', 'transactionType', 'transactionId'];

interface Line {
  readonly cells: readonly string[];
  /** On which it begins. */
  readonly line: number;
}

/**
 * CSV whose header names fields by their path (`sentCurrency.amount`), in any order; an empty cell is a field that is
 * not there, but for the other half of a description. Commas, semicolons or tabs, LF or CRLF, with a byte-order mark or without.
 *
 * @throws usage error `BAD_CSV` for what is no CSV, or has another header
 */
export function readCsvSource(text: string, name: string): Source {
  const [header, ...lines] = linesOf(text, name);
  if (header === undefined) throw usageError(`${name} is empty`, headerHint(), 'BAD_CSV');
  const columns = header.cells.map((cell) => cell.trim());
  checkHeader(columns, name);
  const problems: Problem[] = [];
  const rows = lines.map(({ cells, line }, index): SourceRow => {
    const row = index + 1;
    if (cells.length !== columns.length) {
      problems.push({
        row,
        line,
        field: '',
        problem: `has ${cells.length} cells, and the header has ${columns.length}`,
        hint: 'Text with a comma or a line break in it must stand in double quotes.',
      });
    }
    return { row, line, value: recordOf(columns, cells) };
  });
  return { format: 'csv', rows, problems };
}

function linesOf(text: string, name: string): Line[] {
  const lines: Line[] = [];
  const bytes = Buffer.from(text);
  const counter = lineCounter(bytes);
  try {
    parse(bytes, {
      bom: true,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { bytes: end }) => {
        const line = counter(end);
        // Spreadsheets leave rows of nothing but separators behind.
        if (cells.some((cell) => cell !== '')) lines.push({ cells, line });
        return null;
      },
    });
    return lines;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageError(`${name} is no CSV: ${error.message}`, undefined, 'BAD_CSV');
  }
}

const [CR, LF] = [13, 10];

/**
 * Counts lines from the bytes: the library counts a CRLF inside a cell twice. Asked for the end of each record in
 * turn, it gives the line on which that record begins.
 */
function lineCounter(bytes: Uint8Array): (end: number) => number {
  let at = 0;
  let line = 1;
  const isBreak = () => bytes[at] === CR || bytes[at] === LF;
  const step = () => {
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) line += 1;
    at += 1;
  };
  return (end) => {
    while (isBreak()) step();
    const begins = line;
    while (at < end) step();
    return begins;
  };
}

/** The header decides, since no name in it can hold any of these. */
function delimiterOf(text: string): string {
  const end = text.search(/[\r\n]/);
  const header = end < 0 ? text : text.slice(0, end);
  return [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ',';
}

function checkHeader(columns: readonly string[], name: string): void {
  const known = [...COLUMNS.keys()];
  const unknown = columns.find((column) => !COLUMNS.has(column));
  if (unknown !== undefined) {
    const hint =
      unknown === 'walletId' ? 'One wallet for the whole file: --wallet-id ID.' : hintFor(unknown, known);
    throw usageError(`${name} has a column ${JSON.stringify(unknown)}, which is no field`, hint, 'BAD_CSV');
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw usageError(`${name} has the column ${twice} twice`, undefined, 'BAD_CSV');
  const missing = NEEDED.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw usageError(`${name} has no column ${missing.join(', no column ')}`, headerHint(), 'BAD_CSV');
  }
}

function headerHint(): string {
  return `Its first line names the columns: ${NEEDED.join(',')}, and any of ${[...COLUMNS.keys()].slice(NEEDED.length).join(', ')}.`;
}

function recordOf(columns: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const [outer = '', inner] = column.split('.');
    const value = COLUMNS.get(column)?.number && JSON_NUMBER.test(cell) ? new LosslessNumber(cell) : cell;
    if (inner === undefined) record[outer] = value;
    else record[outer] = { ...Object(record[outer]), [inner]: value };
  }
  // Both are needed, and a cell cannot say that a text is empty.
  const { description } = record;
  return description === undefined
    ? record
    : { ...record, description: { title: '', desc: '', ...Object(description) } };
}
