import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { isDecimal } from '../../core/decimal.ts';
import { plural } from '../../core/text.ts';
import { CellValues, type CsvFinding } from './values.ts';

export interface Table {
  /** Undefined if there is only one column. */
  readonly delimiter: string | undefined;
  readonly header: readonly string[];
  /** Number of rows below the header. Blank lines do not count. */
  readonly rows: number;
  readonly findings: readonly CsvFinding[];
}

const DELIMITERS = [',', ';', '\t', '|'];
/** Number of characters to search for the end of the first line. */
const HEAD = 64 * 1024;
/** Maximum length of one row, in characters. A longer row probably contains an unclosed quote. */
const LONGEST_RECORD = 1_000_000;
const SHOWN = 3;

const SEP_LINE: CsvFinding = {
  code: 'SEP_LINE',
  says: 'Only Excel understands the first line (sep=); other programs treat it as the header',
  line: 1,
};

/** Reads and checks a CSV file row by row. */
export async function readTable(text: AsyncIterable<string>): Promise<Table> {
  const { head, whole } = await peek(text);
  const sep = /^sep=(.)$/i.exec(firstLine(head))?.[1];
  const delimiter = sep ?? delimiterOf(head);
  const findings: CsvFinding[] = sep === undefined ? [] : [SEP_LINE];
  let header: readonly string[] | undefined;
  let values: CellValues | undefined;
  let rows = 0;
  const ragged: { line: number; cells: number }[] = [];
  let raggedCount = 0;
  const parser = parse({
    delimiter: delimiter ?? ',',
    info: true,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    ...(sep === undefined ? {} : { from_line: 2 }),
  });
  const source = Readable.from(whole);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      if (header === undefined) {
        header = record;
        values = new CellValues(record);
        continue;
      }
      rows += 1;
      values?.add(record, rows, info.lines);
      if (record.length === header.length) continue;
      raggedCount += 1;
      if (ragged.length < SHOWN) ragged.push({ line: info.lines, cells: record.length });
    }
  } catch (error) {
    const broken = brokenQuote(error);
    if (broken === undefined) throw error;
    findings.push(broken);
  }
  const names = header ?? [];
  findings.unshift(...headerFindings(names));
  if (raggedCount > 0) findings.push(raggedFinding(raggedCount, ragged, names.length));
  findings.push(...(values?.findings() ?? []));
  const isRead = findings.every(({ code }) => code !== 'OPEN_QUOTE');
  if (rows === 0 && isRead) findings.push({ code: 'NO_ROWS', says: 'There are no rows below the header' });
  return { delimiter, header: names, rows, findings };
}

/** Reads ahead: `head` is the beginning of the text, and `whole` is the entire text. */
async function peek(text: AsyncIterable<string>): Promise<{ head: string; whole: AsyncGenerator<string> }> {
  const parts = text[Symbol.asyncIterator]();
  let head = '';
  let over = false;
  while (!over && head.length < HEAD) {
    const { value, done } = await parts.next();
    if (done) over = true;
    else head += value;
  }
  async function* whole(): AsyncGenerator<string> {
    if (head !== '') yield head;
    yield* { [Symbol.asyncIterator]: () => parts };
  }
  return { head, whole: whole() };
}

function firstLine(head: string): string {
  return head.split(/\r\n|\n|\r/).find((line) => line.trim() !== '') ?? '';
}

/** The most frequent separator in the first line, outside quotes. */
function delimiterOf(head: string): string | undefined {
  const bare = firstLine(head).replace(/"[^"]*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length - 1 }));
  const most = counted.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0 ? most.delimiter : undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/;

function headerFindings(header: readonly string[]): CsvFinding[] {
  const names = header.map((name) => name.trim());
  const places = new Map<string, number[]>();
  for (const [at, name] of names.entries()) places.set(name, [...(places.get(name) ?? []), at + 1]);
  const found: CsvFinding[] = [];
  const empty = places.get('') ?? [];
  if (empty.length > 0) {
    found.push({
      code: 'EMPTY_COLUMN_NAME',
      says: `The header has no name for column ${listed(empty)}`,
      line: 1,
    });
  }
  for (const [name, columns] of places) {
    if (name === '' || columns.length === 1) continue;
    const says = `The header uses the name ${JSON.stringify(name)} for ${columns.length} columns: ${listed(columns)}`;
    found.push({ code: 'DUPLICATE_COLUMN_NAME', says, line: 1 });
  }
  const data = names.find((name) => isDecimal(name) || DATE.test(name));
  if (data !== undefined) {
    const says = `The first row looks like data, not like a header: ${JSON.stringify(data)}`;
    found.push({ code: 'NO_HEADER', says, line: 1 });
  }
  return found;
}

function raggedFinding(
  count: number,
  shown: readonly { line: number; cells: number }[],
  columns: number,
): CsvFinding {
  const which = shown.map(({ line, cells }) => `line ${line} has ${cells}`).join(', ');
  const rows = plural(count, 'row has', 'rows have');
  const more = count > shown.length ? ', …' : '';
  const says = `${rows} a different number of cells than the header (${columns}): ${which}${more}`;
  return { code: 'RAGGED_ROWS', says, ...(shown[0] ? { line: shown[0].line } : {}) };
}

function listed(numbers: readonly number[]): string {
  return numbers.length > 10 ? `${numbers.slice(0, 10).join(', ')}, …` : numbers.join(', ');
}

/** Returns a finding if an unclosed quote caused the error. */
function brokenQuote(error: unknown): CsvFinding | undefined {
  const { code, lines } = error as Partial<CsvError> & { lines?: unknown };
  if (code !== 'CSV_QUOTE_NOT_CLOSED' && code !== 'CSV_MAX_RECORD_SIZE') return undefined;
  const says =
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'A quote is not closed, so the rest of the file could not be read'
      : 'A row has more than a million characters, probably because a quote is not closed; the rest of the file was not read';
  return { code: 'OPEN_QUOTE', says, ...(typeof lines === 'number' ? { line: lines } : {}) };
}
