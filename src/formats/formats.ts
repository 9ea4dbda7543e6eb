import { basename, extname } from 'node:path';
import { usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import type { Column, Shape, View } from './columns.ts';
import type { Separator } from './csv.ts';
import type { SumsOf } from './summed-file.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'jsonl', 'xlsx', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How the rows of an export stand in its file. */
export interface Layout {
  readonly format: ExportFormat;
  /** Columns of formats that have columns. */
  readonly columns: readonly Column[];
  /** Columns of every field that is known: a field without one is counted. */
  readonly known: readonly Column[];
  /** What a record becomes in JSON and JSONL. */
  readonly shape: Shape;
  /** Whether the user named no columns: JSON and JSONL hold records as served, and a workbook hides internal columns. */
  readonly whole: boolean;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
  readonly separator?: Separator | undefined;
  /** Decimals of a CSV as `1,5`. */
  readonly decimalComma?: boolean | undefined;
  readonly parquetDecimals: 'decimal' | 'string';
  /** Whether the records are transactions, whose fields the specification does not show: no type is sure. */
  readonly openFields?: boolean;
  /** JSON numbers as text, with every digit, or as DOUBLE. */
  readonly parquetNumbers: 'string' | 'double';
  /** Sums in the place of the rows. */
  readonly sums?: SumsOf | undefined;
}

const ENDINGS = new Map<string, ExportFormat>([
  ['.csv', 'csv'],
  ['.json', 'json'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
  ['.xlsx', 'xlsx'],
  ['.parquet', 'parquet'],
]);

/**
 * @param given the value of `--format`
 * @returns the format that is given, or that the extension of the file means
 * @throws usage error where neither says, and where they contradict each other
 */
export function formatFor(path: string, given: ExportFormat | undefined): ExportFormat {
  const ending = extname(path);
  const meant = ENDINGS.get(ending.toLowerCase());
  if (given && meant && given !== meant) {
    const [right] = [...ENDINGS].find(([, format]) => format === given) ?? [''];
    throw usageError(
      `--out ${showText(path)} and --format ${given} contradict each other`,
      `Name the file ${showText(basename(path, ending))}${right}, or use --format ${meant}.`,
      'FORMAT_MISMATCH',
    );
  }
  const format = given ?? meant;
  if (format) return format;
  throw usageError(
    `The format cannot be told from the name ${JSON.stringify(path)}`,
    `Give it an ending (${[...ENDINGS.keys()].join(', ')}) or say --format ${EXPORT_FORMATS.join('|')}.`,
    'UNKNOWN_FORMAT',
  );
}

/** Whether the file has every field of the records, also those that nobody knows. */
export function holdsAllFields({ format, whole }: Pick<Layout, 'format' | 'whole'>): boolean {
  return whole && (format === 'json' || format === 'jsonl');
}
