import { type CsvRow, Scanner, type Stop, stopText } from '../core/csv-scan.ts';
import { CellEvidence, type CsvFinding, CsvFindings } from './finding.ts';
import { structureOf } from './structure.ts';
import { Table } from './table.ts';

export interface TextTable {
  /** The separator; undefined if the file has only one column. */
  readonly delimiter: string | undefined;
  readonly header: readonly string[];
  /** Number of rows below the header. */
  readonly rows: number;
  readonly findings: readonly CsvFinding[];
}

/** Number of characters at the start of a file from which the separator and the header are detected. */
const HEAD = 64 * 1024;

const SEP_LINE: CsvFinding = {
  code: 'SEP_LINE',
  level: 'warning',
  says: 'Only Excel understands the first line (sep=); other programs treat it as the header',
  line: 1,
};

/** Reads and checks a CSV file. Memory does not grow with the file, apart from the hashes of the rows. */
export async function readCsvTable(parts: AsyncIterable<string>): Promise<TextTable> {
  const { head, isWhole, whole } = await peek(parts);
  const { delimiter, headerLine, hasSepLine } = structureOf(head, isWhole);
  const table = new Table(headerLine ?? 1, 'line', delimiter === ',' || delimiter === undefined);
  const misplaced = new CellEvidence();
  const take = (row: CsvRow) => {
    if (!hasSepLine || row.line > 1) table.add(row);
  };
  const scanner = new Scanner(delimiter ?? ',', take, {
    onMisplaced: (text, line) => misplaced.add(text, 0, line),
  });
  for await (const part of whole) scanner.push(part);
  scanner.end();
  table.end();
  const quotes = new CsvFindings('line');
  quotes.add('MISPLACED_QUOTE', misplaced, 'each line number is that of the opening quote');
  const findings = [...(hasSepLine ? [SEP_LINE] : []), ...table.findings(), ...quotes.all];
  const { stop } = scanner;
  if (stop !== undefined) findings.push(stopped(stop));
  if (table.rows === 0 && stop === undefined) {
    findings.push({ code: 'NO_ROWS', level: 'error', says: 'There are no rows below the header' });
  }
  return { delimiter, header: table.header, rows: table.rows, findings };
}

function stopped(stop: Stop): CsvFinding {
  const text = stopText(stop);
  const code = stop.reason === 'long' ? 'LONG_LINE' : 'OPEN_QUOTE';
  const says = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}; the file was not read from this line on`;
  return { code, level: 'error', says, line: stop.line };
}

/** Reads ahead: `head` is the beginning of the text, and `whole` is the entire text. */
async function peek(
  text: AsyncIterable<string>,
): Promise<{ head: string; isWhole: boolean; whole: AsyncGenerator<string> }> {
  const parts = text[Symbol.asyncIterator]();
  let head = '';
  let isWhole = false;
  while (!isWhole && head.length < HEAD) {
    const { value, done } = await parts.next();
    if (done) isWhole = true;
    else head += value;
  }
  async function* whole(): AsyncGenerator<string> {
    if (head !== '') yield head;
    yield* { [Symbol.asyncIterator]: () => parts };
  }
  return { head, isWhole, whole: whole() };
}
