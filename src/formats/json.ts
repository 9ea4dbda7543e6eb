import { type JsonRecord, jsonText } from '../core/json.ts';
import { asServed, type Shape } from './columns.ts';
import type { Layout, Printer } from './format.ts';
import type { TextForm } from './text-file.ts';

type Records = AsyncIterable<JsonRecord> | Iterable<JsonRecord>;

export const jsonPrinter: Printer = {
  rows: (rows, { shape }) => jsonArray(rows, shape),
  async *record(record, { shape }) {
    yield `${jsonText(shape(record), 2)}\n`;
  },
};

export const linesPrinter: Printer = {
  rows: (rows, { shape }) => jsonLines(rows, shape),
  record: (record, { shape }) => jsonLines([record], shape),
};

/** The layout of an exported JSON file: one array of records. */
export function arrayText(layout: Layout): TextForm {
  return {
    ...between(layout, ',\n', ''),
    ...{ head: '[\n', separatorLength: 2, tail: '\n]\n', empty: '[]\n' },
  };
}

/** The layout of an exported JSON Lines file: one record per line. */
export function linesText(layout: Layout): TextForm {
  return { ...between(layout, '', '\n'), head: '', separatorLength: 0, tail: '', empty: '' };
}

function between(
  { shape, added = [], view }: Layout,
  before: string,
  after: string,
): Pick<TextForm, 'row' | 'verbatim'> {
  const isWhole = shape === asServed || added.length > 0;
  const fields = added.flatMap(({ key, from, derive }) =>
    derive && from ? { key, from, read: (part: JsonRecord) => derive(part, view) } : [],
  );
  return {
    row: (record) => before + jsonText(shape(record)) + after,
    verbatim: isWhole && fields.length === added.length ? { before, added: fields, after } : undefined,
  };
}

/**
 * Formats records as one JSON array with one record per line. If an error occurs, the array has no closing bracket, so that
 * nobody mistakes a partial result for a complete result.
 */
export async function* jsonArray(records: Records, shape: Shape = asServed): AsyncGenerator<string> {
  let opened = false;
  for await (const record of records) {
    yield `${opened ? ',\n' : '[\n'}${jsonText(shape(record))}`;
    opened = true;
  }
  yield opened ? '\n]\n' : '[]\n';
}

export async function* jsonLines(records: Records, shape: Shape = asServed): AsyncGenerator<string> {
  for await (const record of records) yield `${jsonText(shape(record))}\n`;
}
