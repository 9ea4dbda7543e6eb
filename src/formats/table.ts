import Table from 'cli-table3';
import type { JsonRecord } from '../core/json.ts';
import { assetIdOf, isSymbolField, toldApart } from '../core/look-alikes.ts';
import { showText } from '../core/text.ts';
import { columnsOfText } from '../core/width.ts';
import { wrap } from '../core/wrap.ts';
import { type Column, columnValue, type View, valueAt, viewFor } from './columns.ts';
import type { Printer, ShownPart } from './format.ts';
import { momentText } from './moments.ts';
import { hidesDigits, roundFigure } from './round-figure.ts';
import { lookOfState } from './state-look.ts';
import { paint, type Style, type TextStyle } from './style.ts';
import { type ColumnPlace, fit, GAP } from './table-fit.ts';
import { cellText } from './text.ts';

const NOTHING = '-';

/** Number of rows per layout call. A small number is faster, because cli-table3 compares each cell with all cells above it. */
const ROWS_AT_ONCE = 20;

const EDGES = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const BORDERLESS = {
  ...Object.fromEntries(
    EDGES.flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`].map((name) => [name, ''])),
  ),
  middle: GAP,
};

export const tablePrinter: Printer = {
  async *rows(rows, { columns, none, parts, say, ...look }) {
    // Read all rows first, because column widths depend on every row.
    const records: JsonRecord[] = [];
    for await (const row of rows) records.push(row);
    const below = [...partsBelow(parts(), look)];
    if (records.length > 0) yield tableWithNotes(records, columns, look);
    else if (none !== '') say(none);
    // No empty line before the first output.
    yield* records.length > 0 ? below : [below.join('').replace(/^\n/, '')];
  },
  async *record(record, { columns, parts, say, ...look }) {
    const { view, style } = look;
    if (Object.keys(record).length === 0) say('The response has no fields.');
    yield renderRecord(record, columns, view, style);
    const present = columns.filter(({ key }) => valueAt(record, key) !== undefined);
    yield belowTable(zoneNotes([record], present, view), style);
    yield* partsBelow(parts(), look);
  },
};

function* partsBelow(parts: readonly ShownPart[], look: TableLook): Generator<string> {
  for (const part of parts) {
    yield `\n${part.title}\n`;
    yield tableWithNotes(part.rows, part.columns, { ...look, view: part.view });
    yield belowTable(part.below === undefined ? [] : [part.below], look.style);
  }
}

export interface TableLook {
  readonly view: View;
  readonly style: Style;
  readonly full?: true | undefined;
}

function tableWithNotes(records: readonly JsonRecord[], columns: readonly Column[], look: TableLook): string {
  const { text, notes } = renderTable(records, columns, look);
  return text + belowTable(notes, look.style);
}

function belowTable(notes: readonly string[], { width = Number.POSITIVE_INFINITY }: Style): string {
  return notes.length === 0
    ? ''
    : `\n${notes.map((note) => wrap(note, width, '', '', columnsOfText)).join('\n')}\n`;
}

/** If the table has times, returns a note with the time zones. */
function zoneNotes(records: readonly JsonRecord[], columns: readonly Column[], view: View): string[] {
  if (!columns.some(({ moment }) => moment)) return [];
  const zones = new Set((view.of ? records : []).map((record) => viewFor(record, view).timeZone));
  if (zones.size < 2) return [`Times are in ${[...zones][0] ?? view.timeZone}.`];
  return [`Times are in the time zone of each profile: ${[...zones].join(', ')}.`];
}

interface Cell {
  readonly text: string;
  readonly look: TextStyle | undefined;
}

/**
 * Renders records as a table, with notes about hidden columns and rounded amounts. If the columns do not fit the terminal,
 * sentences and commands are printed below the rows, optional columns are dropped, and text is cut. Numbers, times, ids and
 * commands are never cut, and neither are columns marked `whole`. If the columns still do not fit, all columns are shown, and a
 * row has up to three lines. If three lines are not enough, each record becomes a block with one line per field.
 */
export function renderTable(
  records: readonly JsonRecord[],
  columns: readonly Column[],
  { view, style, full }: TableLook,
): { readonly text: string; readonly notes: readonly string[] } {
  const exactCells = withAssetIds(
    records.map((record) => columns.map((column) => cellOf(record, column, view))),
    records,
    columns,
  );
  const rounded = full
    ? exactCells
    : exactCells.map((row) => row.map((cell, at) => rounding(cell, columns[at])));
  const aligned = alignPoints(rounded, columns);
  const heads = columns.map(headerOf);
  const natural = naturalWidths(heads, aligned);
  const below = sentencesBelow(natural, columns, style.width);
  const lines = fit(natural, columns, style.width, below);
  const zone = zoneNotes(records, columns, view);
  if (lines === undefined) return { text: renderBlocks(exactCells, columns, style), notes: zone };
  const shown = lines.flatMap((places) => places.map(({ at }) => at));
  const isRounded = rounded.some((row, at) =>
    shown.some((column) => hidesDigits(row[column]?.text ?? '', exactCells[at]?.[column]?.text ?? '')),
  );
  const dropped = heads.filter((_, at) => !shown.includes(at) && !below.includes(at));
  return {
    text: layOut(aligned, heads, { lines, below, columns, style }),
    notes: [
      ...zone,
      ...(isRounded ? ['Long amounts are rounded. To show every digit, use --full.'] : []),
      ...(dropped.length > 0
        ? [`Hidden to fit the terminal: ${dropped.join(', ')}. To show them, use --no-truncate.`]
        : []),
    ],
  };
}

/** If different assets in a table have the same symbol, adds their asset ids to the symbol. */
function withAssetIds(
  cells: readonly (readonly Cell[])[],
  records: readonly JsonRecord[],
  columns: readonly Column[],
): readonly (readonly Cell[])[] {
  if (columns.some(({ key }) => key === 'assetId')) return cells;
  const isSymbol = columns.map(({ key }) => isSymbolField(key));
  const idsOf = new Map<string, Set<unknown>>();
  for (const [line, row] of cells.entries()) {
    const id = assetIdOf(records[line] ?? {});
    if (id === undefined) continue;
    for (const [at, { text }] of row.entries())
      if (isSymbol[at]) idsOf.set(text, (idsOf.get(text) ?? new Set()).add(id));
  }
  if ([...idsOf.values()].every(({ size }) => size === 1)) return cells;
  return cells.map((row, line) => {
    const id = assetIdOf(records[line] ?? {});
    const name = id === null ? 'no asset id' : showText(cellText(id));
    return row.map((cell, at) => {
      const isShared = isSymbol[at] && id !== undefined && (idsOf.get(cell.text)?.size ?? 0) > 1;
      return isShared ? { ...cell, text: `${cell.text} (${name})` } : cell;
    });
  });
}

function rounding(cell: Cell, column: Column | undefined): Cell {
  if (column === undefined || column.exact || (!column.figure && column.places === undefined)) return cell;
  const text = roundFigure(cell.text, column.places);
  return text === cell.text ? cell : { ...cell, text };
}

/** Matches a decimal as `roundFigure` formats it. */
const FIGURE = /^-?<?[0-9]+(\.[0-9]+)?$/;

/** Pads numbers on the right to align the decimal points of a column. */
function alignPoints(
  cells: readonly (readonly Cell[])[],
  columns: readonly Column[],
): readonly (readonly Cell[])[] {
  const fraction = (text = '') =>
    FIGURE.test(text) && text.includes('.') ? text.length - text.indexOf('.') : 0;
  const longest = columns.map(({ figure }, at) =>
    figure ? cells.reduce((most, row) => Math.max(most, fraction(row[at]?.text)), 0) : undefined,
  );
  return cells.map((row) =>
    row.map((cell, at) => {
      const { text } = cell;
      const most = longest[at];
      if (most === undefined || !FIGURE.test(text)) return cell;
      return { ...cell, text: text.padEnd(text.length + most - fraction(text)) };
    }),
  );
}

interface Layout {
  /** The columns of each line of a row. */
  readonly lines: readonly (readonly ColumnPlace[])[];
  /** Indexes of the columns that are printed below the row. */
  readonly below: readonly number[];
  readonly columns: readonly Column[];
  readonly style: Style;
}

/**
 * Returns the indexes of the columns that are printed below the rows: columns with sentences or command lines, if the table is
 * too wide for the terminal.
 */
function sentencesBelow(
  natural: readonly number[],
  columns: readonly Column[],
  available: number | undefined,
): readonly number[] {
  const whole = natural.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (available === undefined || whole <= available) return [];
  return columns.flatMap(({ sentence, command }, at) => (sentence || command ? [at] : []));
}

/** Formats the headings and the rows as padded lines. The sentences of a row are printed below its lines. */
function layOut(
  cells: readonly (readonly Cell[])[],
  heads: readonly string[],
  { lines, below, columns, style }: Layout,
): string {
  const texts = lines.map((places) => linesOf(places, cells, heads, { columns, style }));
  const indent = (text: string, line: number) => `${line > 0 ? GAP : ''}${text}`.trimEnd();
  const headings = texts.map(([heading = '']) => heading);
  // The rule below the headings is as wide as the longest line.
  if (style.terminal) {
    const width = Math.max(...lines.map((places, line) => widthOfLine(places) + (line > 0 ? GAP.length : 0)));
    headings.push(
      lines.length > 1
        ? paint(style, 'dim', '─'.repeat(width))
        : (lines[0] ?? []).map((place) => paint(style, 'dim', '─'.repeat(place.width))).join(GAP),
    );
  }
  const shown = headings.map((text, line) => (line < lines.length ? indent(text, line) : text));
  for (const [at, row] of cells.entries()) {
    shown.push(...texts.map((line, number) => indent(line[at + 1] ?? '', number)));
    for (const column of below) {
      const text = row[column]?.text ?? NOTHING;
      if (text !== NOTHING)
        shown.push(textBelow(text, heads[column] ?? '', { column: columns[column], below, style }));
    }
  }
  return shown.map((line) => `${line}\n`).join('');
}

/**
 * A sentence is wrapped. A command is not wrapped, so that the user can copy it. If a row has several texts below it, each text
 * begins with the name of its column.
 */
function textBelow(
  text: string,
  head: string,
  { column, below, style }: { readonly column: Column | undefined } & Pick<Layout, 'below' | 'style'>,
): string {
  const named = below.length > 1 ? `${head}: ${text}` : text;
  return column?.command
    ? GAP + named
    : wrap(named, style.width ?? Number.POSITIVE_INFINITY, GAP, GAP, columnsOfText);
}

function widthOfLine(places: readonly ColumnPlace[]): number {
  return places.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}

function linesOf(
  places: readonly ColumnPlace[],
  cells: readonly (readonly Cell[])[],
  heads: readonly string[],
  { columns, style }: Pick<Layout, 'columns' | 'style'>,
): string[] {
  const rows = [
    places.map(({ at, width }) => paint(style, 'bold', truncate(heads[at] ?? '', width))),
    ...cells.map((row) =>
      places.map(({ at, width }) => {
        const cell = row[at];
        return cell ? paintCell(cell, truncate(cell.text, width), style) : '';
      }),
    ),
  ];
  const lines: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const table = new Table({
      chars: BORDERLESS,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      colWidths: places.map(({ width }) => width),
      colAligns: places.map(({ at }) => (columns[at]?.figure === true ? 'right' : 'left')),
    });
    table.push(...rows.slice(start, start + ROWS_AT_ONCE));
    lines.push(...table.toString().split('\n'));
  }
  return lines;
}

function naturalWidths(heads: readonly string[], cells: readonly (readonly Cell[])[]): number[] {
  return heads.map((head, at) =>
    cells.reduce((most, row) => Math.max(most, columnsOfText(row[at]?.text ?? '')), columnsOfText(head)),
  );
}

/** Renders one record with one line per field: the name and the value. Missing fields are omitted. */
export function renderRecord(
  record: JsonRecord,
  columns: readonly Column[],
  view: View,
  style: Style,
): string {
  const present = columns.filter((column) => columnValue(record, column, view) !== undefined);
  if (present.length === 0) return '';
  return renderBlocks([present.map((column) => cellOf(record, column, view))], present, style);
}

function renderBlocks(
  records: readonly (readonly Cell[])[],
  columns: readonly Column[],
  style: Style,
): string {
  const heads = columns.map(headerOf);
  const width = Math.max(...heads.map(columnsOfText));
  const names = heads.map((head) => paint(style, 'bold', head) + ' '.repeat(width - columnsOfText(head)));
  const indent = ' '.repeat(width) + GAP;
  const blocks = records.map((cells) =>
    cells
      .map((cell, at) => renderField(names[at] ?? '', cell, { indent, column: columns[at], style }))
      .join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

/**
 * Renders the name and the value of a field. A long value is wrapped between words. A word that is too long for the space
 * beside the field name, but not for a whole line, is printed on its own line. A command is also printed on its own line,
 * because only a command on one line can be copied.
 */
function renderField(
  name: string,
  cell: Cell,
  {
    indent,
    column,
    style,
  }: { readonly indent: string; readonly column: Column | undefined; readonly style: Style },
): string {
  const { width = Number.POSITIVE_INFINITY } = style;
  const lines = column?.command
    ? [indent + cell.text]
    : wrap(cell.text, width, indent, indent, columnsOfText).split('\n');
  return lines
    .flatMap((line, at) => {
      const text = line.slice(indent.length);
      const value = paintCell(cell, text, style);
      const spare = width - columnsOfText(text);
      if (spare < 0 || spare >= indent.length) return [(at === 0 ? name + GAP : indent) + value];
      return [...(at === 0 ? [name] : []), ' '.repeat(spare) + value];
    })
    .map((line) => line.trimEnd())
    .join('\n');
}

function headerOf(column: Column): string {
  return showText(column.header ?? column.key);
}

function cellOf(record: JsonRecord, column: Column, view: View): Cell {
  const value = columnValue(record, column, view);
  // Also escape times, because the service may send text instead of a number.
  const shown = column.moment ? momentText(value, viewFor(record, view).timeZone) : cellText(value);
  const text = showText(isSymbolField(column.key) ? toldApart(shown) : shown);
  const isNegative = column.figure === true && text.startsWith('-');
  return {
    text: text === '' ? NOTHING : text,
    look: isNegative ? 'red' : column.state ? lookOfState(text) : undefined,
  };
}

function paintCell({ look }: Cell, text: string, style: Style): string {
  return look === undefined ? text : paint(style, look, text);
}

/** Cuts a string to a display width. */
export function truncate(text: string, width: number): string {
  if (columnsOfText(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (columnsOfText(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
