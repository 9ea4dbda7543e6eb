import { extname } from 'node:path';
import { usageError } from '../base/errors.ts';
import type { JsonRecord } from '../base/json.ts';
import type { Column, Columns, Shape, View } from '../output/columns.ts';
import { csvLines } from '../output/csv.ts';
import { jsonArray, jsonLines } from '../output/json.ts';
import { spool } from './spool.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Layout {
  readonly format: ExportFormat;
  /** Columns of CSV; a function of those that the records have, where their fields are open. */
  readonly columns: readonly Column[] | ((fields: Columns) => readonly Column[]);
  /** What a record becomes in JSON and JSONL. */
  readonly shape: Shape;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
}

const ENDINGS = new Map<string, ExportFormat>([
  ['.csv', 'csv'],
  ['.json', 'json'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
]);

/** The format that the ending of a file's name means. */
export function formatOfFile(path: string): ExportFormat {
  const format = ENDINGS.get(extname(path).toLowerCase());
  if (format) return format;
  throw usageError(
    `The format cannot be told from the name ${JSON.stringify(path)}`,
    `Give it an ending (${[...ENDINGS.keys()].join(', ')}) or say --format ${EXPORT_FORMATS.join('|')}.`,
    'UNKNOWN_FORMAT',
  );
}

/** Records as the text of a file. */
export function layOut(records: AsyncIterable<JsonRecord>, layout: Layout): AsyncGenerator<string> {
  if (layout.format === 'csv') return layOutCsv(records, layout);
  return (layout.format === 'json' ? jsonArray : jsonLines)(records, layout.shape);
}

async function* layOutCsv(
  records: AsyncIterable<JsonRecord>,
  { columns, view, guard, dialect }: Layout,
): AsyncGenerator<string> {
  const options = { view, guard, dialect };
  if (typeof columns !== 'function') {
    yield* csvLines(records, columns, options);
    return;
  }
  const spooled = await spool(records);
  try {
    yield* csvLines(spooled.records(), columns(spooled.fields), options);
  } finally {
    await spooled.remove();
  }
}
