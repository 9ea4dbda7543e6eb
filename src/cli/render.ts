import type { JsonRecord } from '../core/json.ts';
import { ColumnCheck } from '../formats/column-check.ts';
import {
  type Column,
  type Columns,
  chooseColumns,
  jsonShape,
  namesAll,
  type View,
  valueAt,
} from '../formats/columns.ts';
import { csvLines } from '../formats/csv.ts';
import { jsonArray, jsonLines, jsonText } from '../formats/json.ts';
import type { Style } from '../formats/style.ts';
import type { One, Outcome, Rows } from './outcome.ts';

export type Format = 'table' | 'json' | 'jsonl' | 'csv';

export function formatOf(name: string): Format {
  return name === 'json' || name === 'jsonl' || name === 'csv' ? name : 'table';
}

export interface RenderOptions {
  readonly format: Format;
  readonly view: View;
  readonly style: Style;
  /** A line for the person, beside the result. */
  readonly say: (text: string) => void;
}

/** What a command returned, as what goes to stdout. */
export async function* render(outcome: Outcome, options: RenderOptions): AsyncGenerator<string | Uint8Array> {
  switch (outcome.kind) {
    case 'silent':
      return;
    case 'text':
      yield options.format === 'json' || options.format === 'jsonl'
        ? `${jsonText(outcome.record)}\n`
        : `${outcome.text}\n`;
      return;
    case 'stream':
      yield* outcome.chunks;
      return;
    case 'rows':
      yield* renderRows(outcome, options);
      return;
    case 'record':
      yield* renderOne(outcome, options);
  }
}

/** The columns of a table or of CSV: chosen ones, or the usual ones. */
function columnsFor(columns: Columns, format: 'table' | 'csv', chosen: readonly string[]): readonly Column[] {
  const other = format === 'table' ? 'csv' : 'table';
  return chooseColumns(columns[format], [...columns[format], ...columns[other]], chosen);
}

async function* renderRows(outcome: Rows, options: RenderOptions): AsyncGenerator<string> {
  const { format, view, style, say } = options;
  const { columns, chosen = [], none } = outcome;
  // Columns that follow from the rows need them all.
  const depends =
    typeof columns === 'function' && (format === 'table' || (format === 'csv' && !namesAll(chosen)));
  const rows = depends ? await gather(outcome.rows) : outcome.rows;
  const known = typeof columns !== 'function' ? columns : columns(Array.isArray(rows) ? rows : []);
  const names = [...known.csv, ...known.table];
  const check = new ColumnCheck(chosen, names);
  const watched = check.over(rows);
  if (format === 'json') yield* jsonArray(watched, jsonShape(names, chosen, view));
  else if (format === 'jsonl') yield* jsonLines(watched, jsonShape(names, chosen, view));
  else if (format === 'csv') yield* csvLines(watched, columnsFor(known, format, chosen), { view });
  else {
    const records = await gather(watched);
    if (records.length === 0) {
      if (none !== '') say(none ?? 'Nothing found.');
    } else {
      const shown = columnsFor(known, format, chosen);
      yield (await import('../formats/table.ts')).renderTable(records, shown, view, style);
      yield zoneLine(shown, view);
    }
  }
  for (const complaint of check.complaints()) say(complaint);
}

/** Names the zone of the times above. */
function zoneLine(columns: readonly Column[], view: View): string {
  return columns.some(({ moment }) => moment) ? `\nTimes are in ${view.timeZone}.\n` : '';
}

async function gather(rows: Rows['rows']): Promise<JsonRecord[]> {
  const gathered: JsonRecord[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}

async function* renderOne(outcome: One, { format, view, style, say }: RenderOptions): AsyncGenerator<string> {
  const { record, chosen = [], parts } = outcome;
  const columns =
    typeof outcome.columns === 'function' ? everyField(outcome.columns([record])) : outcome.columns;
  const check = new ColumnCheck(chosen, [...columns.csv, ...columns.table]);
  for await (const _ of check.over([record]));
  if (format === 'csv') {
    yield* csvLines([record], columnsFor(columns, format, chosen), { view });
  } else if (format === 'table') {
    const { renderRecord, renderTable } = await import('../formats/table.ts');
    if (Object.keys(record).length === 0) say('The answer has no fields.');
    const shown = columnsFor(columns, format, chosen);
    yield renderRecord(record, shown, view, style);
    yield zoneLine(
      shown.filter(({ key }) => valueAt(record, key) !== undefined),
      view,
    );
    for (const part of parts ?? []) {
      yield `\n${part.title}\n`;
      const { table } = typeof part.columns === 'function' ? part.columns(part.rows) : part.columns;
      yield renderTable(part.rows, table, part.view ?? view, style);
      yield zoneLine(table, part.view ?? view);
    }
  } else {
    const shape = jsonShape([...columns.csv, ...columns.table], chosen, view);
    yield `${jsonText(shape(record), format === 'json' ? 2 : undefined)}\n`;
  }
}

/** One record has room for all of its fields. */
function everyField({ csv }: Columns): Columns {
  return { table: csv, csv };
}
