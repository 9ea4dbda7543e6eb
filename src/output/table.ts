import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { JsonRecord } from '../base/json.ts';
import { showText } from '../base/text.ts';
import { type Column, type View, valueOf } from './columns.ts';
import { momentText } from './moments.ts';
import { paint, type Style } from './style.ts';
import { cellText } from './text.ts';

const GAP = 2;
/** A text column is never cut to less than this. */
const NARROWEST = 6;

interface Cell {
  readonly text: string;
  readonly negative: boolean;
}

/** Records as a table. Figures are never cut: where they would not fit, each record becomes a block of lines. */
export function renderTable(
  records: readonly JsonRecord[],
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const cells = records.map((record) => columns.map((column) => cellOf(record, column, view)));
  const heads = columns.map(headerOf);
  const natural = columns.map((_, index) =>
    Math.max(stringWidth(heads[index] ?? ''), ...cells.map((row) => stringWidth(row[index]?.text ?? ''))),
  );
  const widths = fit(natural, columns, style.width);
  if (widths === undefined) return renderBlocks(cells, heads, style);
  const lay = (text: string, index: number) => {
    const laid = layOut(text, widths[index] ?? 0, columns[index]?.figure === true);
    // Blanks at the end of a line must go before they are painted: behind a colour code none could be taken off.
    return index === columns.length - 1 ? laid.trimEnd() : laid;
  };
  const table = new Table({
    chars: BARE,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  table.push(heads.map((head, index) => paint(style, 'bold', lay(head, index))));
  if (style.terminal) table.push(widths.map((width) => paint(style, 'dim', '─'.repeat(width))));
  for (const row of cells) {
    table.push(row.map((cell, index) => paintCell(cell, lay(cell.text, index), style)));
  }
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** One record as lines of name and value; what the record does not have takes no line. */
export function renderRecord(
  record: JsonRecord,
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const there = columns.filter((column) => valueOf(record, column, view) !== undefined);
  return renderBlocks([there.map((column) => cellOf(record, column, view))], there.map(headerOf), style);
}

function renderBlocks(records: readonly (readonly Cell[])[], heads: readonly string[], style: Style): string {
  const width = Math.max(0, ...heads.map((head) => stringWidth(head)));
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

const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

function headerOf(column: Column): string {
  return showText(column.header ?? column.key);
}

function cellOf(record: JsonRecord, column: Column, view: View): Cell {
  const value = valueOf(record, column, view);
  const text = column.moment ? momentText(value, view.timeZone) : showText(cellText(value));
  return { text: text === '' ? '-' : text, negative: column.figure === true && text.startsWith('-') };
}

function paintCell(cell: Cell, text: string, style: Style): string {
  return cell.negative ? paint(style, 'red', text) : text;
}

function layOut(text: string, width: number, right: boolean): string {
  const cut = truncate(text, width);
  const padding = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return right ? padding + cut : cut + padding;
}

function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
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
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
  while (total() > available) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      const column = columns[index];
      if (!column || column.figure || column.moment || width <= NARROWEST) continue;
      if (widest < 0 || width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
