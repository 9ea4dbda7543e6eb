import stringWidth from 'string-width';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { type Column, columnValue, type View } from './columns.ts';
import { momentText } from './moments.ts';
import { paint, type Style } from './style.ts';
import { cellText } from './text.ts';

const GAP = '  ';
/** A text column is never cut to less than this. */
const NARROWEST = 6;

interface Cell {
  readonly text: string;
  readonly negative: boolean;
}

/** Records as a table. Figures and whole texts are never cut: where they would not fit, each record becomes a block of lines. */
export function renderTable(
  records: readonly JsonRecord[],
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const cells = records.map((record) => columns.map((column) => cellOf(record, column, view)));
  const heads = columns.map(headerOf);
  const widths = fit(naturalWidths(heads, cells), columns, style.width);
  if (widths === undefined) return renderBlocks(cells, heads, style);
  const lay = (text: string, index: number) => {
    const laid = layOut(text, widths[index] ?? 0, columns[index]?.figure === true);
    // Blanks at the end of a line must go before they are painted: behind a colour code none could be taken off.
    return index === columns.length - 1 ? laid.trimEnd() : laid;
  };
  const lines = [heads.map((head, index) => paint(style, 'bold', lay(head, index)))];
  if (style.terminal) lines.push(widths.map((width) => paint(style, 'dim', '─'.repeat(width))));
  for (const row of cells)
    lines.push(row.map((cell, index) => paintCell(cell, lay(cell.text, index), style)));
  return lines.map((line) => `${line.join(GAP).trimEnd()}\n`).join('');
}

function naturalWidths(heads: readonly string[], cells: readonly (readonly Cell[])[]): number[] {
  const widths = heads.map(widthOf);
  for (const row of cells) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell.text));
  }
  return widths;
}

/** Columns that a text takes on a terminal. Most text is plain, and long tables are measured cell by cell. */
function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

const PLAIN = /^[ -~]*$/;

/** One record as lines of name and value; what the record does not have takes no line. */
export function renderRecord(
  record: JsonRecord,
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const there = columns.filter((column) => columnValue(record, column, view) !== undefined);
  if (there.length === 0) return '';
  return renderBlocks([there.map((column) => cellOf(record, column, view))], there.map(headerOf), style);
}

function renderBlocks(records: readonly (readonly Cell[])[], heads: readonly string[], style: Style): string {
  const width = Math.max(0, ...heads.map((head) => widthOf(head)));
  const blocks = records.map((cells) =>
    cells
      .map((cell, index) => {
        const head = paint(style, 'bold', layOut(heads[index] ?? '', width, false));
        return `${head}  ${paintCell(cell, cell.text, style)}`.trimEnd();
      })
      .join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

function headerOf(column: Column): string {
  return showText(column.header ?? column.key);
}

function cellOf(record: JsonRecord, column: Column, view: View): Cell {
  const value = columnValue(record, column, view);
  // Where a moment should stand, a text may have come.
  const text = showText(column.moment ? momentText(value, view.timeZone) : cellText(value));
  return { text: text === '' ? '-' : text, negative: column.figure === true && text.startsWith('-') };
}

function paintCell(cell: Cell, text: string, style: Style): string {
  return cell.negative ? paint(style, 'red', text) : text;
}

function layOut(text: string, width: number, right: boolean): string {
  const cut = truncate(text, width);
  const padding = ' '.repeat(Math.max(0, width - widthOf(cut)));
  return right ? padding + cut : cut + padding;
}

function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Widths that fit the terminal, text columns giving way, the widest first; undefined where they cannot. */
function fit(
  natural: readonly number[],
  columns: readonly Column[],
  available: number | undefined,
): number[] | undefined {
  const widths = [...natural];
  if (available === undefined) return widths;
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > available) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      const column = columns[index];
      if (!column || column.figure || column.whole || column.moment || width <= NARROWEST) continue;
      if (widest < 0 || width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
