import type { JsonRecord } from '../base/json.ts';
import { type Column, type Columns, chooseColumns, project, type View } from './columns.ts';
import { csvLines } from './csv.ts';
import { jsonArray, jsonLines, jsonText } from './json.ts';
import type { One, Outcome, Rows } from './outcome.ts';
import type { Style } from './style.ts';

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

/** What a command returned, as the text that goes to stdout. */
export async function* render(outcome: Outcome, options: RenderOptions): AsyncGenerator<string> {
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

/** The columns of a format: chosen ones, or the usual ones of it; JSON shows whole records unless chosen. */
export function columnsFor(
  columns: Columns,
  format: Format,
  chosen: readonly string[] | undefined,
): readonly Column[] | undefined {
  const known = format === 'table' ? [...columns.table, ...columns.csv] : [...columns.csv, ...columns.table];
  const usual = format === 'table' ? columns.table : columns.csv;
  if (format === 'table' || format === 'csv') return chooseColumns(usual, known, chosen ?? []);
  const named = (chosen ?? []).some((name) => !name.startsWith('+'));
  return named ? chooseColumns([], known, chosen ?? []) : undefined;
}

async function* renderRows(
  { rows, columns, chosen, none }: Rows,
  { format, view, style, say }: RenderOptions,
): AsyncGenerator<string> {
  const picked = columnsFor(columns, format, chosen);
  if (format === 'json') yield* jsonArray(rows, picked, view);
  else if (format === 'jsonl') yield* jsonLines(rows, picked, view);
  else if (format === 'csv') yield* csvLines(rows, picked ?? [], { view });
  else {
    const records: JsonRecord[] = [];
    for await (const record of rows) records.push(record);
    const { renderTable } = await import('./table.ts');
    if (records.length === 0) say(none ?? 'Nothing found.');
    else yield renderTable(records, picked ?? [], view, style);
  }
}

async function* renderOne(outcome: One, { format, view, style }: RenderOptions): AsyncGenerator<string> {
  const { record, columns, chosen, parts } = outcome;
  const picked = columnsFor(columns, format, chosen);
  if (format === 'csv') {
    yield* csvLines([record], picked ?? [], { view });
  } else if (format === 'table') {
    const { renderRecord, renderTable } = await import('./table.ts');
    yield renderRecord(record, picked ?? [], view, style);
    for (const part of parts ?? []) {
      yield `\n${part.title}\n`;
      yield renderTable(part.rows, part.columns.table, view, style);
    }
  } else {
    const shown = picked ? project(record, picked, view) : record;
    yield `${jsonText(shown, format === 'json' ? 2 : undefined)}\n`;
  }
}
