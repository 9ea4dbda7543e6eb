import { type CsvRow, namedSeparator, Scanner, stopText } from '../core/csv-scan.ts';
import { usageError } from '../core/errors.ts';
import { isRecord, LosslessNumber } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { parseStrict } from '../core/strict-json.ts';
import { COLUMNS, fieldHint } from './fields.ts';
import { clip, type PayloadProblem, shown } from './problems.ts';
import { JSON_NUMBER } from './values.ts';

/** A transaction as read from a file, before it is checked. */
export interface SourceRow {
  readonly row: number;
  readonly line?: number | undefined;
  /** Numbers are instances of `LosslessNumber`, which keeps every digit. */
  readonly value: unknown;
}

export interface PayloadSource {
  readonly format: 'json' | 'csv';
  readonly walletId?: unknown;
  readonly rows: readonly SourceRow[];
  /** Problems with the file, or with the shape of its rows. */
  readonly problems: readonly PayloadProblem[];
}

/** The first bytes of .xlsx and .xls files. */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/**
 * Decodes UTF-8 and removes a byte-order mark. Invalid bytes are an error, because replacement characters would change the
 * data.
 *
 * @throws usage error `BAD_ENCODING`
 */
export function decodePayload(bytes: Uint8Array, name: string): string {
  if (WORKBOOKS.some((start) => start.every((byte, at) => bytes[at] === byte))) {
    throw usageError(
      `${name} is a workbook or another archive, not JSON or CSV`,
      'Save the sheet as CSV in UTF-8 (in Excel: "CSV UTF-8").',
      'BAD_ENCODING',
    );
  }
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  try {
    if (!wide) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Invalid bytes also cause the error below.
  }
  throw usageError(
    `${name} is not UTF-8${wide ? ', but UTF-16' : ''}`,
    'Save the file as UTF-8 (in Excel: "CSV UTF-8").',
    'BAD_ENCODING',
  );
}

const PAYLOAD = ['walletId', 'transactions'];

/** Reads JSON or CSV. If `format` is undefined, the content decides. */
export function readSource(content: string, name: string, format?: 'json' | 'csv'): PayloadSource {
  // A CSV header never starts with a bracket or a brace.
  const isJson = format === undefined ? /^\s*[[{]/.test(content) : format === 'json';
  return isJson ? readJsonSource(content, name) : readCsvSource(content, name);
}

/** Reads a payload such as `{ walletId, transactions }`, or a plain list of transactions. */
export function readJsonSource(text: string, name: string): PayloadSource {
  const value = parseStrict(text, name);
  if (Array.isArray(value)) return { format: 'json', rows: asRows(value), problems: [] };
  const body = isRecord(value) ? value : undefined;
  const transactions = body?.['transactions'];
  if (body === undefined || !Array.isArray(transactions)) {
    throw usageError(
      `${name} contains no transactions: it is ${shown(value)}${body ? ` with ${Object.keys(body).slice(0, 10).join(', ') || 'no fields'}` : ''}`,
      'The file must contain { "walletId": …, "transactions": [ … ] }, or a plain list of transactions.',
      'NO_TRANSACTIONS',
    );
  }
  const problems = Object.keys(body)
    .filter((field) => !PAYLOAD.includes(field))
    .map(
      (field): PayloadProblem => ({
        row: null,
        field,
        problem: 'is an unknown field',
        hint: fieldHint(field, PAYLOAD),
      }),
    );
  const walletId = 'walletId' in body ? { walletId: body['walletId'] } : {};
  return { format: 'json', ...walletId, rows: asRows(transactions), problems };
}

function asRows(values: readonly unknown[]) {
  return values.map((value, index) => ({ row: index + 1, value }));
}

const REQUIRED = ['timestamp', 'transactionType', 'transactionId'];

/**
 * Reads CSV. The header contains field paths such as `sentCurrency.amount`, in any order. The separator is a comma, a semicolon
 * or a tab. An empty cell means that the field is missing. A description has two cells, one for
 * `description.title` and one for `description.desc`. If only one of the two cells is empty, its field is an empty string.
 *
 * @throws usage error `BAD_CSV` for invalid CSV or an invalid header
 */
export function readCsvSource(text: string, name: string): PayloadSource {
  const [header, ...lines] = linesOf(text, name);
  if (header === undefined) throw usageError(`${name} is empty`, headerHint(), 'BAD_CSV');
  const columns = header.cells.map((cell) => cell.trim());
  checkHeader(columns, name);
  const problems: PayloadProblem[] = [];
  const rows = lines.map(({ cells, line }, index): SourceRow => {
    const row = index + 1;
    if (cells.length !== columns.length) {
      problems.push({
        row,
        line,
        field: '',
        problem: `has ${cells.length} cells, but the header has ${columns.length}`,
        hint: 'Use double quotes around text that contains a comma or a line break.',
      });
    }
    return { row, line, value: recordOf(columns, cells) };
  });
  return { format: 'csv', rows, problems };
}

function linesOf(text: string, name: string): CsvRow[] {
  const lines: CsvRow[] = [];
  const given = namedSeparator(text);
  const scanner = new Scanner(given ?? delimiterOf(text), (row) => {
    // Skip blank lines, and rows that contain only separators, because spreadsheets often add such rows.
    const isSeparator = given !== undefined && row.line === 1;
    if (!isSeparator && row.cells.some((cell) => cell !== '')) lines.push(row);
  });
  scanner.push(text);
  scanner.end();
  if (scanner.stop)
    throw usageError(`${name} is not valid CSV: ${stopText(scanner.stop)}`, undefined, 'BAD_CSV');
  return lines;
}

/** Detects the separator from the header. Column names contain no commas, semicolons or tabs. */
function delimiterOf(text: string): string {
  const end = text.search(/[\r\n]/);
  const header = end < 0 ? text : text.slice(0, end);
  return [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ',';
}

function checkHeader(columns: readonly string[], name: string): void {
  const known = [...COLUMNS.keys()];
  const unknown = columns.filter((column) => !COLUMNS.has(column));
  const [first] = unknown;
  if (first !== undefined) {
    const hint =
      first === 'walletId'
        ? 'Set one wallet for the whole file: --wallet-id ID.'
        : unknown.length === 1 && nearest(first, known) !== undefined
          ? fieldHint(first, known)
          : headerHint();
    const names = unknown.map((column) => JSON.stringify(clip(column))).join(', ');
    const what = unknown.length === 1 ? 'an unknown column' : 'unknown columns:';
    throw usageError(`${name} has ${what} ${clip(names, 200)}`, hint, 'BAD_CSV');
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
  return `The first line must contain the column names ${REQUIRED.join(', ')}. Optional columns: ${[...COLUMNS.keys()].slice(REQUIRED.length).join(', ')}.`;
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
  // The service requires `title` and `desc` in a description. If `title` or `desc` is missing, send an empty string for it.
  const { description } = record;
  return description === undefined
    ? record
    : { ...record, description: { title: '', desc: '', ...Object(description) } };
}
