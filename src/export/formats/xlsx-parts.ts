import { escapeAttribute, escapeXml } from './xlsx-text.ts';

// The parts of a workbook beside its sheets (ECMA-376 part 1, chapters 12 and 18). No part holds a time or a name of a
// person, so that the same records give the same bytes.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Rows of a sheet, by the limits of Excel; the header is one of them. */
export const LARGEST_SHEET = 1_048_576;
/** Columns of a sheet, by the same. */
export const LARGEST_ROW = 16_384;

/** Numbers of the formats of cells in {@link STYLES}. */
export const STYLE = { bold: 1, text: 2, whole: 3 } as const;

/**
 * `text` is the number format @: a text of it stays one when somebody edits the cell, where Excel would make a number or
 * a formula of it otherwise. `whole` shows milliseconds with all their digits.
 */
export const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

export const ROOT_RELATIONS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

/** A sheet that was written: its name, and the range of its filter. */
export interface WrittenSheet {
  readonly name: string;
  /** `$A$1:$AL$200`. */
  readonly range: string;
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
  // As Excel itself writes for a filter.
  const filters = sheets
    .map(
      ({ name, range }, at) =>
        `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${escapeXml(name.replaceAll("'", "''"))}'!${range}</definedName>`,
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

/** What stands before the rows of a sheet: the header frozen, each column as wide as its name wants. */
export function sheetHead(names: readonly string[]): string {
  const widths = names
    .map((name, at) => {
      const width = Math.min(40, Math.max(14, name.length + 4));
      return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;
    })
    .join('');
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${widths}</cols><sheetData>`;
}

/** What stands behind them: the filter, and that figures which are text are meant to be (no green corners). */
export function sheetTail(lastColumn: string, rows: number): string {
  const range = `A1:${lastColumn}${rows}`;
  return `</sheetData><autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

/** `A`, `Z`, `AA`: the letters of a column, counted from 0. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}

// Characters that the name of a sheet cannot hold.
const NOT_IN_NAME = /[[\]:*?/\\\ufffe\uffff\p{Cc}\p{Cs}]/gu;

/** The name of the nth sheet, counted from 0: `ledgers`, `ledgers (2)`; 31 characters at most, by the limits of Excel. */
export function sheetName(title: string, at: number): string {
  const suffix = at === 0 ? '' : ` (${at + 1})`;
  const name = title.replace(NOT_IN_NAME, '_').replace(/^'|'$/g, '_').trim() || 'export';
  return `${name.slice(0, 31 - suffix.length).replace(/\p{Cs}$/u, '')}${suffix}`;
}
