import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { type Column, columnValue, type View, valueAt } from './columns.ts';
import type { Printer } from './format.ts';
import { momentText } from './moments.ts';
import { paint, type Style } from './style.ts';
import { cellText } from './text.ts';

const GAP = '  ';
/** Text columns are never cut to less than this. */
const NARROWEST = 6;
/** Number of rows per layout call, because cli-table3 compares every cell of a table with all cells above it. */
const ROWS_AT_ONCE = 20;

const EDGES = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const BORDERLESS = {
  ...Object.fromEntries(
    EDGES.flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`].map((name) => [name, ''])),
  ),
  middle: GAP,
};

export const tablePrinter: Printer = {
  async *rows(rows, { columns, view, style, none, say }) {
    // Widths depend on all rows.
    const records: JsonRecord[] = [];
    for await (const row of rows) records.push(row);
    if (records.length === 0) {
      if (none !== '') say(none);
      return;
    }
    yield renderTable(records, columns, view, style);
    yield zoneLine(columns, view);
  },
  async *record(record, { columns, view, style, parts, say }) {
    if (Object.keys(record).length === 0) say('The response has no fields.');
    yield renderRecord(record, columns, view, style);
    yield zoneLine(
      columns.filter(({ key }) => valueAt(record, key) !== undefined),
      view,
    );
    for (const part of parts) {
      yield `\n${part.title}\n`;
      yield renderTable(part.rows, part.columns, part.view, style);
      yield zoneLine(part.columns, part.view);
    }
  },
};

/** Names the time zone of the times in the table. */
function zoneLine(columns: readonly Column[], view: View): string {
  return columns.some(({ moment }) => moment) ? `\nTimes are in ${view.timeZone}.\n` : '';
}

interface Cell {
  readonly text: string;
  readonly negative: boolean;
}

/** Records as a table. Numbers and columns marked `whole` are never cut. If they do not fit, each record becomes a block of lines. */
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
  const cut = (text: string, index: number) => truncate(text, widths[index] ?? 0);
  const rows = [heads.map((head, index) => paint(style, 'bold', cut(head, index)))];
  if (style.terminal) rows.push(widths.map((width) => paint(style, 'dim', '─'.repeat(width))));
  for (const row of cells) rows.push(row.map((cell, index) => paintCell(cell, cut(cell.text, index), style)));
  return layOut(rows, widths, columns);
}

/** Pads and aligns the cells of each row, one line per row. */
function layOut(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  columns: readonly Column[],
): string {
  let text = '';
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const table = new Table({
      chars: BORDERLESS,
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
      colWidths: [...widths],
      colAligns: columns.map(({ figure }) => (figure === true ? 'right' : 'left')),
    });
    table.push(...rows.slice(start, start + ROWS_AT_ONCE).map((row) => [...row]));
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`;
  }
  return text;
}

function naturalWidths(heads: readonly string[], cells: readonly (readonly Cell[])[]): number[] {
  const widths = heads.map(widthOf);
  for (const row of cells) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell.text));
  }
  return widths;
}

/** Width of a text on a terminal. A fast path for plain text matters, because long tables are measured cell by cell. */
function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

const PLAIN = /^[ -~]*$/;

/** One record as lines of name and value. Missing fields have no line. */
export function renderRecord(
  record: JsonRecord,
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const present = columns.filter((column) => columnValue(record, column, view) !== undefined);
  if (present.length === 0) return '';
  return renderBlocks([present.map((column) => cellOf(record, column, view))], present.map(headerOf), style);
}

function renderBlocks(records: readonly (readonly Cell[])[], heads: readonly string[], style: Style): string {
  const width = Math.max(0, ...heads.map(widthOf));
  const names = heads.map((head) => paint(style, 'bold', head) + ' '.repeat(width - widthOf(head)));
  const blocks = records.map((cells) =>
    cells
      .map((cell, index) => `${names[index]}${GAP}${paintCell(cell, cell.text, style)}`.trimEnd())
      .join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

function headerOf(column: Column): string {
  return showText(column.header ?? column.key);
}

function cellOf(record: JsonRecord, column: Column, view: View): Cell {
  const value = columnValue(record, column, view);
  // The service may have sent text instead of a time.
  const text = showText(column.moment ? momentText(value, view.timeZone) : cellText(value));
  return { text: text === '' ? '-' : text, negative: column.figure === true && text.startsWith('-') };
}

function paintCell(cell: Cell, text: string, style: Style): string {
  return cell.negative ? paint(style, 'red', text) : text;
}

/** Cuts a text to a width on a terminal. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Widths that fit the terminal: the widest text column is cut first. Undefined if none fit. */
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
