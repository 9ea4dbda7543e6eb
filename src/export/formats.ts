import { extname } from 'node:path';
import { usageError } from '../base/errors.ts';
import type { JsonRecord } from '../base/json.ts';
import type { Column, View } from '../output/columns.ts';
import { csvLines } from '../output/csv.ts';
import { jsonArray, jsonLines } from '../output/json.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Layout {
  readonly format: ExportFormat;
  /** Columns of CSV; in JSON and JSONL whole records stand as served where it is undefined. */
  readonly columns: readonly Column[];
  /** Whether the user chose the columns. */
  readonly chosen: boolean;
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
  const { format, columns, chosen, view, guard, dialect } = layout;
  if (format === 'csv') return csvLines(records, columns, { view, guard, dialect });
  return (format === 'json' ? jsonArray : jsonLines)(records, chosen ? columns : undefined, view);
}
