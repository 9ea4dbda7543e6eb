import { type CellValue, readXlsx, type Sheet, type Workbook } from 'hucre/xlsx';
import type { CsvRow } from '../core/csv-scan.ts';
import { isDecimal } from '../core/plain.ts';
import { plural } from '../core/text.ts';
import { CellEvidence, type CsvFinding, CsvFindings, quotedText } from './finding.ts';
import { headerOf } from './structure.ts';
import { Table } from './table.ts';

export interface WorkbookTable {
  readonly sheets: readonly string[] | null;
  readonly header: readonly string[] | null;
  readonly rows: number | null;
  readonly findings: readonly CsvFinding[];
}

/** The library reads a workbook as a whole. Larger workbooks are not inspected, so that they do not exhaust the memory. */
const LARGEST = 64 * 1024 * 1024;

/**
 * Reads and checks the first sheet with content.
 *
 * @param size bytes
 */
export async function readWorkbook(bytes: AsyncIterable<Uint8Array>, size: number): Promise<WorkbookTable> {
  const none = { sheets: null, header: null, rows: null };
  if (size > LARGEST) {
    const says = 'The workbook has more than 64 MiB, and its content is not inspected';
    return { ...none, findings: [{ code: 'NOT_INSPECTED', level: 'warning', says }] };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk));
  let workbook: Workbook;
  try {
    workbook = await readXlsx(Buffer.concat(chunks));
  } catch {
    const says = 'The workbook cannot be read: it is damaged, or it is another zip file';
    return { ...none, findings: [{ code: 'UNREADABLE_WORKBOOK', level: 'error', says }] };
  }
  const sheets = workbook.sheets.map(({ name }) => name);
  const sheet = workbook.sheets.find((one) => !isHidden(one) && one.rows.some(hasText));
  const findings = workbookFindings(workbook, sheet);
  if (sheet === undefined) {
    const says = 'No visible sheet has content';
    return { ...none, sheets, findings: [...findings, { code: 'NO_ROWS', level: 'error', says }] };
  }
  return { sheets, ...readSheet(sheet, findings) };
}

function isHidden({ hidden, veryHidden }: Sheet): boolean {
  return hidden === true || veryHidden === true;
}

function hasText(cells: readonly CellValue[]): boolean {
  return cells.some((cell) => cell !== null && cell !== '');
}

function workbookFindings({ sheets, dateSystem }: Workbook, checked: Sheet | undefined): CsvFinding[] {
  const found: CsvFinding[] = [];
  const others = sheets.filter((sheet) => sheet !== checked && sheet.rows.some(hasText));
  if (others.length > 0 && checked !== undefined) {
    const names = others
      .map((sheet) => `${quotedText(sheet.name)}${isHidden(sheet) ? ' (hidden)' : ''}`)
      .join(', ');
    const says = `Only the sheet ${quotedText(checked.name)} was checked; other sheets with content: ${names}`;
    found.push({ code: 'SEVERAL_SHEETS', level: 'warning', says });
  }
  if (dateSystem === '1904') {
    const says =
      'The workbook counts days from 1904; a program that counts from 1900 reads each date 1,462 days too early';
    found.push({ code: 'DATE_SYSTEM', level: 'warning', says });
  }
  return found;
}

function readSheet(sheet: Sheet, before: readonly CsvFinding[]): Omit<WorkbookTable, 'sheets'> {
  const rows = sheet.rows.map((cells, at) => rowOf(cells, at + 1));
  const full = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const header = full[headerOf(padded(full))];
  const width = header?.cells.length ?? 0;
  const headerLine = header?.line ?? 1;
  const table = new Table(headerLine, 'row', true);
  for (const row of rows) table.add(row.line < headerLine ? row : widened(row, width));
  table.end();
  const findings = [...before, ...table.findings(), ...storageFindings(sheet, headerLine, table)];
  if (table.rows === 0)
    findings.push({ code: 'NO_ROWS', level: 'error', says: 'There are no rows below the header' });
  return { header: table.header, rows: table.rows, findings };
}

function rowOf(values: readonly CellValue[], line: number): CsvRow {
  const cells = values.map(textOf);
  while (cells.length > 0 && cells.at(-1) === '') cells.pop();
  return { cells, line, raw: JSON.stringify(cells) };
}

function textOf(value: CellValue): string {
  if (value === null) return '';
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace(/T00:00:00\.000Z$/, '');
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

/** A sheet does not store empty cells at the end of a row. */
function widened(row: CsvRow, width: number): CsvRow {
  if (row.cells.length === 0 || row.cells.length >= width) return row;
  return { ...row, cells: [...row.cells, ...Array<string>(width - row.cells.length).fill('')] };
}

/** Pads rows to the width of the header, because a sheet does not store the empty cells at the end of a row. */
function padded(rows: readonly CsvRow[]): CsvRow[] {
  const width = Math.max(0, ...rows.slice(0, 200).map(({ cells }) => cells.length));
  return rows.slice(0, 200).map((row) => (row.cells.length * 2 > width ? widened(row, width) : row));
}

/** Findings about how the sheet stores its cells. */
function storageFindings(sheet: Sheet, headerLine: number, table: Table): readonly CsvFinding[] {
  const { header } = table;
  const last = sheet.rows.length;
  const row = (at: number) => Math.max(0, at - headerLine + 1);
  const ofColumns = [...table.kinds.entries()].flatMap(([at, kind]) => {
    const texts = new CellEvidence();
    for (let line = headerLine; line < last; line++) {
      const value = sheet.rows[line]?.[at];
      if (typeof value === 'string' && kind === 'amount' && isDecimal(value.trim()))
        texts.add(value, row(line), line + 1);
    }
    const own = new CsvFindings('row', header[at] ?? '');
    own.add('TEXT_NUMBERS', texts);
    return own.all;
  });
  const found = new CsvFindings('row');
  const empty = new CellEvidence();
  for (const [key, { formula, value }] of sheet.cells ?? []) {
    const line = Number(key.split(',')[0]);
    if (formula !== undefined && value === null && line >= headerLine)
      empty.add(`=${formula}`, row(line), line + 1);
  }
  const why = 'open the workbook in a spreadsheet and save it, so that it contains the results';
  found.add('FORMULA_WITHOUT_VALUE', empty, why);
  const merges = new CellEvidence();
  for (const { startRow, endRow, startCol, endCol } of sheet.merges ?? []) {
    if (endRow + 2 < headerLine || startRow >= last) continue;
    const isTitle = startRow + 1 < headerLine && endCol - startCol + 1 >= header.length;
    if (!isTitle)
      merges.add(`${cellName(startRow, startCol)}:${cellName(endRow, endCol)}`, row(startRow), startRow + 1);
  }
  found.add('MERGED_CELLS', merges, 'only the first cell of a range has a value');
  const hidden = new CellEvidence();
  for (const [at, { hidden: isRowHidden }] of [...(sheet.rowDefs ?? [])].sort(
    ([left], [right]) => left - right,
  )) {
    if (isRowHidden === true && at >= headerLine && at < last) hidden.add('', row(at), at + 1);
  }
  found.add('HIDDEN_ROWS', hidden, 'programs read hidden rows like others');
  const columns = header.filter((_, at) => sheet.columns?.[at]?.hidden === true);
  if (columns.length > 0) {
    const says = `${plural(columns.length, 'column is', 'columns are')} hidden: ${columns.map(quotedText).join(', ')}`;
    found.all.push({ code: 'HIDDEN_COLUMNS', level: 'warning', says });
  }
  return [...ofColumns, ...found.all];
}

function cellName(row: number, column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return `${name}${row + 1}`;
}
