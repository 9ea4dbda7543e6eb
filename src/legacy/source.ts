import { CsvError, parse } from 'csv-parse/sync';
import { usageError } from '../core/errors.ts';
import { isRecord, LosslessNumber } from '../core/json.ts';
import { parseStrict } from '../core/strict-json.ts';
import { COLUMNS, hintFor } from './fields.ts';
import { type Problem, shown } from './problems.ts';
import { JSON_NUMBER } from './values.ts';

/** One transaction of a file, before any check. */
export interface SourceRow {
  readonly row: number;
  readonly line?: number | undefined;
  /** Numbers are `LosslessNumber`, with all digits. */
  readonly value: unknown;
}

/** The content of a file. */
export interface Source {
  readonly format: 'json' | 'csv';
  /** The wallet id, if the file contains one. */
  readonly walletId?: unknown;
  readonly rows: readonly SourceRow[];
  /** Problems with the file, or with the shape of its rows. */
  readonly problems: readonly Problem[];
}

/**
 * Decodes UTF-8 and removes a byte-order mark. Invalid bytes are an error, because a replacement character would alter data.
 *
 * @throws usage error `BAD_ENCODING`
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  try {
    if (!wide) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The usage error below reports the invalid bytes.
  }
  throw usageError(
    `${name} is not UTF-8${wide ? ', but UTF-16' : ''}`,
    'Save the file as UTF-8 (in Excel: "CSV UTF-8").',
    'BAD_ENCODING',
  );
}

const PAYLOAD = ['walletId', 'transactions'];

/** Reads JSON or CSV. Detects the format if `format` is undefined. */
export function readSource(content: string, name: string, format?: 'json' | 'csv'): Source {
  // No CSV header starts with a bracket.
  const isJson = format === undefined ? /^\s*[[{]/.test(content) : format === 'json';
  return isJson ? readJsonSource(content, name) : readCsvSource(content, name);
}

/** Reads the payload `{ walletId, transactions }`, or only the list of transactions. */
export function readJsonSource(text: string, name: string): Source {
  const value = parseStrict(text, name);
  if (Array.isArray(value)) return { format: 'json', rows: asRows(value), problems: [] };
  const body = isRecord(value) ? value : undefined;
  const transactions = body?.['transactions'];
  if (body === undefined || !Array.isArray(transactions)) {
    throw usageError(
      `${name} contains no transactions: it is ${shown(value)}${body ? ` with ${Object.keys(body).slice(0, 10).join(', ') || 'no fields'}` : ''}`,
      'The file must be { "walletId": …, "transactions": [ … ] }, or only the list of transactions.',
      'NO_TRANSACTIONS',
    );
  }
  const problems = Object.keys(body)
    .filter((field) => !PAYLOAD.includes(field))
    .map(
      (field): Problem => ({
        row: null,
        field,
        problem: 'is an unknown field',
        hint: hintFor(field, PAYLOAD),
      }),
    );
  const walletId = 'walletId' in body ? { walletId: body['walletId'] } : {};
  return { format: 'json', ...walletId, rows: asRows(transactions), problems };
}

function asRows(values: readonly unknown[]) {
  return values.map((value, index) => ({ row: index + 1, value }));
}

const REQUIRED = ['timestamp', 'transactionType', 'transactionId'];

interface Line {
  readonly cells: readonly string[];
  /** Number of the first line of the row. */
  readonly line: number;
}

/**
 * Reads CSV whose header names fields by their path (`sentCurrency.amount`), in any order. The separator is a comma, a semicolon
 * or a tab. An empty cell is a missing field. If only one of the two cells of a description is empty, the empty cell is an empty
 * string.
 *
 * @throws usage error `BAD_CSV` for invalid CSV or an invalid header
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
        problem: `has ${cells.length} cells, but the header has ${columns.length}`,
        hint: 'Put text with a comma or a line break in double quotes.',
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
        // Skip rows that contain only separators, which spreadsheets often add.
        if (cells.some((cell) => cell !== '')) lines.push({ cells, line });
        return null;
      },
    });
    return lines;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageError(`${name} is not valid CSV: ${error.message}`, undefined, 'BAD_CSV');
  }
}

const [CR, LF] = [13, 10];

/**
 * Returns a function that finds the number of a record's first line, given the position where the record ends. Call the
 * function for each record in order. The CSV library's own line count is wrong: a CRLF inside a cell counts twice.
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

/** The separator in the header. Column names contain no commas, semicolons or tabs. */
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
      unknown === 'walletId' ? 'Set one wallet for the whole file: --wallet-id ID.' : hintFor(unknown, known);
    throw usageError(`${name} has an unknown column ${JSON.stringify(unknown)}`, hint, 'BAD_CSV');
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw usageError(`${name} has a duplicate column: ${twice}`, undefined, 'BAD_CSV');
  const missing = REQUIRED.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw usageError(
      `${name} does not have the ${missing.length === 1 ? 'column' : 'columns'} ${missing.join(', ')}`,
      headerHint(),
      'BAD_CSV',
    );
  }
}

function headerHint(): string {
  return `The first line must name the columns: ${REQUIRED.join(',')}, and any of ${[...COLUMNS.keys()].slice(REQUIRED.length).join(', ')}.`;
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
  // A description requires `title` and `desc`. If one of the two cells is empty, send an empty string.
  const { description } = record;
  return description === undefined
    ? record
    : { ...record, description: { title: '', desc: '', ...Object(description) } };
}
