import { CryptodataError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { Column, View } from '../../output/columns.ts';
import { rowReader } from '../../output/row-reader.ts';
import { cellText, guardCell } from '../../output/text.ts';
import { type KindOf, ledgerKind } from './kinds.ts';
import { type ByteSink, nameOf, type RecordFile } from './record-file.ts';
import {
  columnLetters,
  contentTypes,
  LARGEST_ROW,
  LARGEST_SHEET,
  ROOT_RELATIONS,
  STYLE,
  STYLES,
  sheetHead,
  sheetName,
  sheetTail,
  type WrittenSheet,
  workbook,
  workbookRelations,
} from './xlsx-parts.ts';
import { fitsExcel, inlineText, isPlain, LARGEST_CELL } from './xlsx-text.ts';
import { type ZipEntry, ZipFile } from './zip.ts';

export interface XlsxOptions {
  readonly columns: readonly Column[];
  readonly view: View;
  /** Guards free text as in CSV: a text cell is no formula, but becomes one where the sheet is saved as CSV. */
  readonly guard: boolean;
  /** Decimals as numbers, where Excel keeps every digit of them; the others stay text. */
  readonly numbers: boolean;
  /** Name of the first sheet; `ledgers` where not given. */
  readonly title?: string;
  /** What the columns hold; those of a ledger, where not given. */
  readonly kindOf?: KindOf;
  /** Rows of a sheet with its header, where that is fewer than a sheet holds. */
  readonly sheetRows?: number;
}

/** Characters of XML that are gathered before they are packed. */
const CHUNK = 64 * 1024;
/** Bytes of XML with which a sheet ends whatever its rows: an entry of a ZIP archive has four bytes for its length. */
const LARGEST_PART = 2 ** 32 - 2 ** 28;

/**
 * An XLSX workbook (ECMA-376 part 1, SpreadsheetML), written row by row: a sheet, and another one whenever one is full.
 *
 * Text, decimals and numbers that a double cannot hold are text cells, character for character. JSON numbers and
 * booleans are cells of their kinds, but a whole number of sixteen digits or more is text: Excel would show zeros for its
 * last ones. What is null or missing is an empty cell.
 */
export function createXlsx(sink: ByteSink, options: XlsxOptions): RecordFile {
  const { columns, title = 'ledgers', sheetRows = LARGEST_SHEET, kindOf = ledgerKind } = options;
  if (columns.length === 0 || columns.length > LARGEST_ROW) {
    throw new CryptodataError('output', 'XLSX_COLUMNS', `An XLSX sheet has 1 to ${LARGEST_ROW} columns`, {
      hint: 'Name the columns with --columns.',
    });
  }
  const read = rowReader(columns, options.view);
  const letters = columns.map((_, at) => columnLetters(at));
  const decimal = columns.map((column) => options.numbers && kindOf(column) === 'decimal');
  const guard = options.guard ? guardCell : (text: string) => text;
  const zip = new ZipFile(sink);
  const sheets: WrittenSheet[] = [];
  let entry: ZipEntry | undefined;
  let rowsOfSheet = 0;
  let rows = 0;
  let pending = '';
  let packing: Promise<void> = Promise.resolve();

  /** Hands the gathered XML over to be packed; what was handed over before must be packed by then. */
  const flush = async (): Promise<void> => {
    const xml = Buffer.from(pending, 'utf8');
    pending = '';
    await packing;
    packing = entry?.write(xml) ?? packing;
    // It is awaited with the next one, which may be a while.
    packing.catch(() => {});
  };
  const part = async (name: string, xml: string): Promise<void> => {
    const one = zip.entry(name);
    await one.write(Buffer.from(xml, 'utf8'));
    await one.end();
  };
  const endSheet = async (): Promise<void> => {
    if (!entry) return;
    const last = letters.at(-1) ?? 'A';
    pending += sheetTail(last, rowsOfSheet);
    sheets.push({ name: sheetName(title, sheets.length), range: `$A$1:$${last}$${rowsOfSheet}` });
    await flush();
    await packing;
    await entry.end();
    entry = undefined;
  };
  const beginSheet = async (): Promise<void> => {
    if (sheets.length === 0) {
      await part('_rels/.rels', ROOT_RELATIONS);
      await part('xl/styles.xml', STYLES);
    }
    entry = zip.entry(`xl/worksheets/sheet${sheets.length + 1}.xml`);
    const header = columns
      .map(
        ({ key }, at) =>
          `<c r="${letters[at]}1" s="${STYLE.bold}" t="inlineStr">${inlineText(guard(key))}</c>`,
      )
      .join('');
    pending = `${sheetHead(columns.map(({ key }) => key))}<row r="1">${header}</row>`;
    rowsOfSheet = 1;
  };

  const textCell = (reference: string, text: string, at: number, record: JsonRecord): string => {
    const start = `<c r="${reference}" s="${STYLE.text}" t="inlineStr">`;
    if (text.length <= LARGEST_CELL && isPlain(text)) return `${start}<is><t>${text}</t></is></c>`;
    const guarded = guard(text);
    if (guarded.length > LARGEST_CELL) throw tooLong(record, rows, columns[at]?.key ?? '', guarded.length);
    return `${start}${inlineText(guarded)}</c>`;
  };
  const cell = (value: unknown, at: number, record: JsonRecord): string => {
    if (value === null || value === undefined) return '';
    const reference = `${letters[at]}${rowsOfSheet}`;
    if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if (typeof value === 'number') {
      if (!Number.isInteger(value)) return `<c r="${reference}"><v>${value}</v></c>`;
      if (Math.abs(value) < 1e15) return `<c r="${reference}" s="${STYLE.whole}"><v>${value}</v></c>`;
    }
    const text = cellText(value);
    if (decimal[at] && typeof value === 'string' && fitsExcel(text))
      return `<c r="${reference}"><v>${text}</v></c>`;
    return textCell(reference, text, at, record);
  };
  const row = (record: JsonRecord): void => {
    rowsOfSheet += 1;
    const values = read(record);
    let cells = '';
    for (let at = 0; at < values.length; at += 1) cells += cell(values[at], at, record);
    pending += `<row r="${rowsOfSheet}">${cells}</row>`;
    rows += 1;
  };
  const isFull = () => entry === undefined || rowsOfSheet >= sheetRows || entry.size >= LARGEST_PART;

  return {
    add(record) {
      if (isFull()) {
        return endSheet()
          .then(beginSheet)
          .then(() => row(record));
      }
      row(record);
      return pending.length >= CHUNK ? flush() : undefined;
    },
    async finish() {
      if (sheets.length === 0 && !entry) await beginSheet();
      await endSheet();
      await part('xl/workbook.xml', workbook(sheets));
      await part('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
      await part('[Content_Types].xml', contentTypes(sheets));
      await zip.finish();
    },
  };
}

function tooLong(record: JsonRecord, row: number, key: string, length: number): CryptodataError {
  return new CryptodataError(
    'output',
    'XLSX_CELL',
    `Row ${nameOf(record, row)}: ${key} has ${length.toLocaleString('en')} characters; a cell of XLSX holds ${LARGEST_CELL.toLocaleString('en')}`,
    { hint: 'Leave the column out with --columns, or write csv, jsonl or parquet.' },
  );
}
