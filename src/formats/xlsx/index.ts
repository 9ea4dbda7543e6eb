import { OutputError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { Column } from '../columns.ts';
import type { Layout, RecordCheck } from '../format.ts';
import { ledgerKind, openKind } from '../kinds.ts';
import type { About, ByteSink, RecordFile } from '../record-file.ts';
import { sheetsText } from '../sheets.ts';
import { xlsxSumKind } from '../summed-file.ts';
import { type CellOptions, xlsxCells } from './cells.ts';
import {
  aboutSheet,
  columnLetters,
  contentTypes,
  LARGEST_ROW,
  LARGEST_SHEET,
  ROOT_RELATIONS,
  STYLES,
  sheetHead,
  sheetName,
  sheetTail,
  type WrittenSheet,
  workbook,
  workbookRelations,
} from './parts.ts';
import { type ZipEntry, ZipFile } from './zip.ts';

export interface XlsxOptions extends CellOptions {
  readonly columns: readonly Column[];
  /** Name of the first sheet (default: `ledgers`). */
  readonly title?: string;
  /** Maximum number of rows per sheet, including the header. */
  readonly sheetRows?: number;
}

export function xlsxFile(sink: ByteSink, layout: Layout): RecordFile {
  return createXlsx(sink, xlsxOptions(layout));
}

/** Checks that each text of a record fits in a cell. */
export function xlsxCheck(layout: Layout): RecordCheck {
  const { check } = xlsxCells(layout.columns, xlsxOptions(layout));
  return { check, kinds: new Map() };
}

function xlsxOptions({ columns, view, guard, whole, sums, openFields }: Layout): XlsxOptions {
  const title = sums ? 'sums' : openFields ? 'transactions' : 'ledgers';
  const kindOf = sums ? xlsxSumKind : openFields ? openKind : ledgerKind;
  return { columns, view, guard, title, kindOf, showInternal: !whole };
}

/** Number of characters of XML per compression call. */
const CHUNK = 64 * 1024;
/** Maximum size of a sheet's XML in bytes, because a ZIP entry stores its length in four bytes. */
const LARGEST_PART = 2 ** 32 - 2 ** 28;

/** Creates an XLSX workbook row by row (ECMA-376 part 1, SpreadsheetML). When a sheet is full, a new sheet begins. */
export function createXlsx(sink: ByteSink, options: XlsxOptions): RecordFile {
  const { columns, title = 'ledgers', sheetRows = LARGEST_SHEET } = options;
  const cells = xlsxCells(columns, options);
  if (columns.length === 0 || cells.columns.length > LARGEST_ROW) {
    throw new OutputError('XLSX_COLUMNS', `An XLSX sheet must have 1 to ${LARGEST_ROW} columns`, {
      hint: 'Select columns with `columns`.',
    });
  }
  const zip = new ZipFile(sink);
  const sheets: WrittenSheet[] = [];
  /** Names of the sheets with records. */
  const names: string[] = [];
  let entry: ZipEntry | undefined;
  let rowsOfSheet = 0;
  let pending = '';
  let packing: Promise<void> = Promise.resolve();

  /** Waits until the previous compression has finished, then begins to compress the buffered XML. */
  const flush = async (): Promise<void> => {
    const xml = Buffer.from(pending, 'utf8');
    pending = '';
    await packing;
    packing = entry?.write(xml) ?? packing;
    // If `packing` rejects, the next flush reports the error. Until then, this handler prevents an unhandled rejection.
    packing.catch(() => {});
  };
  const part = async (name: string, xml: string): Promise<void> => {
    const one = zip.entry(name);
    await one.write(Buffer.from(xml, 'utf8'));
    await one.end();
  };
  const endSheet = async (): Promise<void> => {
    if (!entry) return;
    const last = columnLetters(cells.columns.length - 1);
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
    pending = `${sheetHead(cells.columns)}<row r="1">${cells.header()}</row>`;
    rowsOfSheet = 1;
  };

  const row = (record: JsonRecord): void => {
    rowsOfSheet += 1;
    pending += `<row r="${rowsOfSheet}">${cells.row(record, rowsOfSheet)}</row>`;
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
    async finish(about = []) {
      if (sheets.length === 0 && !entry) await beginSheet();
      await endSheet();
      names.push(...sheets.map(({ name }) => name));
      const full: About = names.length > 1 ? [['Sheets', sheetsText(names)]] : [];
      sheets.push({ name: 'About' });
      await part(
        `xl/worksheets/sheet${sheets.length}.xml`,
        aboutSheet([...about, ...full, ...cells.notes()]),
      );
      await part('xl/workbook.xml', workbook(sheets));
      await part('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
      await part('[Content_Types].xml', contentTypes(sheets));
      await zip.finish();
    },
    sheets: () => names,
  };
}
