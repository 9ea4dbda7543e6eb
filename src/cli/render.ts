import type { JsonRecord } from '../core/json.ts';
import { jsonText } from '../core/json.ts';
import { ColumnCheck } from '../formats/column-check.ts';
import { type Columns, chooseColumns, jsonShape, namesAll, type View } from '../formats/columns.ts';
import type { Format, ShownPart } from '../formats/format.ts';
import { formatNamed, type OutputFormat } from '../formats/registry.ts';
import type { Style } from '../formats/style.ts';
import type { One, Outcome, Part, Rows } from './outcome.ts';

export interface RenderOptions {
  readonly format: OutputFormat;
  readonly view: View;
  readonly style: Style;
  /** See {@link Shown.full}. */
  readonly full?: true | undefined;
  /** Writes a line for the user on stderr. */
  readonly say: (text: string) => void;
}

export async function* render(outcome: Outcome, options: RenderOptions): AsyncGenerator<string | Uint8Array> {
  const format = formatNamed(options.format);
  switch (outcome.kind) {
    case 'silent':
      return;
    case 'text':
      yield format.json ? `${jsonText(outcome.record)}\n` : `${outcome.text}\n`;
      return;
    case 'stream':
      yield* outcome.chunks;
      return;
    case 'rows':
      yield* renderRows(outcome, format, options);
      return;
    case 'record':
      yield* renderOne(outcome, format, options);
  }
}

async function* renderRows(outcome: Rows, format: Format, given: RenderOptions): AsyncGenerator<string> {
  const options = { ...given, view: outcome.view ?? given.view };
  const { chosen = [], none = 'Nothing found.' } = outcome;
  const { rows, known, check } = await checkedRows(outcome, format);
  const printer = await format.printer?.();
  if (printer)
    yield* printer.rows(rows, {
      ...shown(known, chosen, format, options),
      none,
      parts: () => (outcome.parts?.() ?? []).map((part) => shownPart(part, options.view)),
    });
  for (const complaint of check.complaints()) options.say(complaint);
}

/** Yields the rows of an outcome with the fields that `--columns` selects, as `-o json` prints the rows. */
export async function* jsonRows(
  outcome: Rows,
  { view, say }: Pick<RenderOptions, 'view' | 'say'>,
): AsyncGenerator<JsonRecord> {
  const { rows, known, check } = await checkedRows(outcome, formatNamed('json'));
  const shape = jsonShape([...known.csv, ...known.table], outcome.chosen ?? [], view);
  for await (const row of rows) yield shape(row);
  for (const complaint of check.complaints()) say(complaint);
}

/** Checks the chosen columns while the rows are read. */
async function checkedRows({ rows, columns, chosen = [] }: Rows, format: Format) {
  // If the columns depend on the rows, read all rows first.
  const needsAll =
    typeof columns === 'function' &&
    (format.columns === 'table' || (format.columns !== undefined && !namesAll(chosen)));
  const all = needsAll ? await gather(rows) : rows;
  const known = typeof columns !== 'function' ? columns : columns(Array.isArray(all) ? all : []);
  const check = new ColumnCheck(chosen, [...known.csv, ...known.table], typeof columns === 'function');
  return { rows: check.over(all), known, check };
}

async function* renderOne(outcome: One, format: Format, options: RenderOptions): AsyncGenerator<string> {
  const { record, chosen = [], parts = [] } = outcome;
  const columns =
    typeof outcome.columns === 'function' ? everyField(outcome.columns([record])) : outcome.columns;
  const check = new ColumnCheck(chosen, [...columns.csv, ...columns.table]);
  for await (const _ of check.over([record]));
  const printer = await format.printer?.();
  if (!printer) return;
  yield* printer.record(record, {
    ...shown(columns, chosen, format, options),
    none: '',
    parts: () => parts.map((part) => shownPart(part, options.view)),
  });
}

/** Returns the options of the printer. Uses the columns that the user chose, or else the default columns of the format. */
function shown(
  known: Columns,
  chosen: readonly string[],
  { columns = 'csv' }: Format,
  { view, style, full, say }: RenderOptions,
) {
  const usual = known[columns];
  const all = [...usual, ...known[columns === 'table' ? 'csv' : 'table']];
  const shape = jsonShape([...known.csv, ...known.table], chosen, view);
  return { columns: chooseColumns(usual, all, chosen), shape, view, style, full, say };
}

function shownPart({ title, rows, columns, view, below }: Part, usual: View): ShownPart {
  const { table } = typeof columns === 'function' ? columns(rows) : columns;
  return { title, rows, columns: table, view: view ?? usual, below };
}

/** Adds every field to the table of a single record. Such a table has enough room, because each field has its own line. */
function everyField({ csv }: Columns): Columns {
  return { table: csv, csv };
}

async function gather(rows: Rows['rows']): Promise<JsonRecord[]> {
  const gathered: JsonRecord[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}
