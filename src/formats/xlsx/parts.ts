import { type JsonRecord, stringifyJson } from '../../core/json.ts';
import type { About } from '../record-file.ts';
import { cellText } from '../text.ts';
import { escapeAttribute, escapeXml, inlineText, LARGEST_CELL } from './text.ts';

// The parts of a workbook except the rows of its sheets (ECMA-376 part 1, chapters 12 and 18). No part contains the current
// time or the name of a person, so the same records always produce the same bytes.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Maximum number of rows in an Excel sheet, including the header. */
export const LARGEST_SHEET = 1_048_576;
/** Maximum number of columns in an Excel sheet. */
export const LARGEST_ROW = 16_384;

/** Indexes of the cell formats in {@link STYLES}. */
export const CELL_STYLE = { bold: 1, text: 2, whole: 3, amount: 4, time: 5, day: 6 } as const;

/**
 * `text` has the number format @, so that the text does not become a number or a formula if a user edits the cell. `whole` and
 * `amount` show all digits, because spreadsheets write only the visible digits to CSV. `time` shows milliseconds. Without
 * milliseconds, Excel would round the last half second of a year up to the next year.
 */
export const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="0.00################"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

export const ROOT_RELATIONS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

export interface WrittenSheet {
  readonly name: string;
  /** The range of the sheet's filter, for example `$A$1:$AL$200`. */
  readonly range?: string;
}

export interface SheetColumn {
  readonly heading: string;
  readonly hidden: boolean;
}

export function contentTypes(sheets: readonly WrittenSheet[]): string {
  const parts = sheets
    .map(
      (_, at) =>
        `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
    )
    .join('');
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${parts}</Types>`;
}

export function workbook(sheets: readonly WrittenSheet[]): string {
  const list = sheets
    .map(({ name }, at) => `<sheet name="${escapeAttribute(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
    .join('');
  // Define a hidden name for each filter, as Excel does.
  const filters = sheets
    .map(({ name, range }, at) =>
      range === undefined
        ? ''
        : `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${escapeXml(name.replaceAll("'", "''"))}'!${range}</definedName>`,
    )
    .join('');
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${list}</sheets><definedNames>${filters}</definedNames></workbook>`;
}

export function workbookRelations(sheets: readonly WrittenSheet[]): string {
  const list = sheets
    .map(
      (_, at) =>
        `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
    )
    .join('');
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`;
}

/** The XML before the rows of a sheet. The header row is frozen, and the width of a column depends on its heading. */
export function sheetHead(columns: readonly SheetColumn[]): string {
  const widths = columns
    .map(({ heading, hidden }, at) => {
      const width = Math.min(40, Math.max(14, heading.length + 4));
      return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"${hidden ? ' hidden="1"' : ''}/>`;
    })
    .join('');
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${widths}</cols><sheetData>`;
}

/** Formats the filters of the request for the sheet "About". */
export function filtersText(filters: JsonRecord): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? 'none' : stringifyJson(Object.fromEntries(given));
}

/** Filters that could not be checked, because the rows lack the field of the filter. */
export function notCheckedLine(filters: readonly string[]): About {
  if (filters.length === 0) return [];
  return [['Filters not checked', cellText(filters.join(', '))]];
}

/** Lines of the sheet "About" that explain rounded numbers and hidden columns. */
export const ROUNDED: About = [
  ['Numbers', 'rounded to 15 significant digits, the limit of spreadsheets; _exact columns have every digit'],
  ['Hidden columns', 'ids and times for programs; unhide them in the spreadsheet'],
];

/** The XML of a sheet with two columns: names and values. */
export function aboutSheet(lines: About): string {
  const cell = (reference: string, text: string, style: number) =>
    `<c r="${reference}" s="${style}" t="inlineStr">${inlineText(text)}</c>`;
  const rows = lines
    .map(([name, text], at) => {
      const row = at + 1;
      return `<row r="${row}">${cell(`A${row}`, name, CELL_STYLE.bold)}${cell(`B${row}`, text.slice(0, LARGEST_CELL), CELL_STYLE.text)}</row>`;
    })
    .join('');
  return `${HEAD}<worksheet xmlns="${MAIN}"><cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="100" customWidth="1"/></cols><sheetData>${rows}</sheetData></worksheet>`;
}

/** The XML after the rows: the filter, and a setting that hides warnings about numbers in text cells. */
export function sheetTail(lastColumn: string, rows: number): string {
  const range = `A1:${lastColumn}${rows}`;
  return `</sheetData><autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

/** Converts the index of a column to letters: 0 is `A`, 25 is `Z`, 26 is `AA`. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}

// Characters that a sheet name must not contain.
const NOT_IN_NAME = /[[\]:*?/\\\ufffe\uffff\p{Cc}\p{Cs}]/gu;

/** Returns the name of the sheet at an index: 0 is `ledgers`, 1 is `ledgers (2)`. Excel allows at most 31 characters. */
export function sheetName(title: string, at: number): string {
  const suffix = at === 0 ? '' : ` (${at + 1})`;
  const name = title.replace(NOT_IN_NAME, '_').replace(/^'|'$/g, '_').trim() || 'export';
  return `${name.slice(0, 31 - suffix.length).replace(/\p{Cs}$/u, '')}${suffix}`;
}
