import { basename, extname } from 'node:path';
import { usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import { csvText } from './csv.ts';
import type { ExportedFormat, FileFormat, Format, Layout } from './format.ts';
import { JOURNALS } from './journal/index.ts';
import { arrayText, jsonPrinter, linesPrinter, linesText } from './json.ts';
import { type TextForm, textFile } from './text-file.ts';

/**
 * All formats for results (`-o`) and for exported files (`--format`). Flag values, file extension checks, help and
 * documentation are derived from this table. Writers that need a library are loaded on first use.
 */
export const FORMATS = {
  table: {
    describe: 'human-readable (default)',
    columns: 'table',
    printer: async () => (await import('./table.ts')).tablePrinter,
  },
  json: {
    describe: 'one document: an array for a list, an object for a record',
    json: true,
    printer: async () => jsonPrinter,
    file: textFormat(['.json'], arrayText),
  },
  jsonl: {
    describe: 'one record per line',
    json: true,
    printer: async () => linesPrinter,
    file: textFormat(['.jsonl', '.ndjson'], linesText),
  },
  csv: {
    describe: 'RFC 4180, with a header',
    columns: 'csv',
    printer: async () => (await import('./csv-list.ts')).csvPrinter,
    file: textFormat(['.csv'], csvText),
  },
  xlsx: {
    columns: 'csv',
    file: {
      extensions: ['.xlsx'],
      check: async (layout) => (await import('./xlsx/index.ts')).xlsxCheck(layout),
      open: async (sink, layout) => (await import('./xlsx/index.ts')).xlsxFile(sink, layout),
    },
  },
  parquet: {
    columns: 'csv',
    file: {
      extensions: ['.parquet'],
      check: async (layout) => (await import('./parquet/index.ts')).parquetCheck(layout),
      open: async (sink, layout) => (await import('./parquet/index.ts')).parquetFile(sink, layout),
    },
  },
  ...JOURNALS,
} as const satisfies Readonly<Record<string, Format>>;

type FormatName = keyof typeof FORMATS;
type NamesWith<Part extends keyof Format> = {
  [Name in FormatName]: (typeof FORMATS)[Name] extends Record<Part, unknown> ? Name : never;
}[FormatName];

/** A value of `-o`. */
export type OutputFormat = NamesWith<'printer'>;
/** A value of `--format`. */
export type ExportFormat = NamesWith<'file'>;

const entries: readonly (readonly [string, Format])[] = Object.entries(FORMATS);
// The casts are safe, because `OutputFormat` and `ExportFormat` are derived from the same entries.
export const OUTPUT_FORMATS = namesOf(({ printer }) => printer !== undefined) as readonly OutputFormat[];
export const EXPORT_FORMATS = namesOf(({ file }) => file !== undefined) as readonly ExportFormat[];

function namesOf(has: (format: Format) => boolean): string[] {
  return entries.filter(([, format]) => has(format)).map(([name]) => name);
}

function textFormat(
  extensions: FileFormat['extensions'],
  text: (layout: Layout) => TextForm,
): FileFormat & { readonly text: typeof text } {
  return { extensions, text, open: async (sink, layout) => textFile(sink, text(layout)) };
}

export function formatNamed(name: FormatName): Format {
  return FORMATS[name];
}

/** @param name a value of the setting `output`, which accepts only valid formats */
export function outputFormat(name: string): OutputFormat {
  return OUTPUT_FORMATS.find((known) => known === name) ?? 'table';
}

export function exportedFormat(name: ExportFormat): ExportedFormat {
  return FORMATS[name];
}

export function isExported(name: FormatName): name is ExportFormat {
  return 'file' in FORMATS[name];
}

/** Whether errors and notes are JSON if the result has this format. */
export function isJson(name: string): boolean {
  return entries.some(([known, { json }]) => known === name && json === true);
}

const EXTENSIONS = new Map(
  EXPORT_FORMATS.flatMap((name) =>
    exportedFormat(name).file.extensions.map((extension): [string, ExportFormat] => [extension, name]),
  ),
);

/** Formats for rows of any kind. Journal formats are excluded, because a journal can be written only from ledgers. */
export const ROW_FORMATS = EXPORT_FORMATS.filter(
  (name) => exportedFormat(name).file.journal === undefined,
) as readonly Exclude<ExportFormat, keyof typeof JOURNALS>[];

/**
 * Determines the format of an exported file.
 *
 * @param given value of `--format`; default: the format of the file extension
 * @throws usage error `FORMAT_MISMATCH` if the file extension and `given` specify different formats; usage error
 *   `UNKNOWN_FORMAT` if neither specifies a format
 */
export function formatFor(path: string, given: ExportFormat | undefined): ExportFormat {
  const extension = extname(path);
  const meant = EXTENSIONS.get(extension.toLowerCase());
  if (given && meant && given !== meant) {
    const [usual = ''] = exportedFormat(given).file.extensions;
    const what = usual === '' ? 'folder' : 'file';
    throw usageError(
      `The file name ${showText(path)} and the format ${given} do not match`,
      `Change the ${what} name to ${showText(basename(path, extension))}${usual}, or use \`format: '${meant}'\`.`,
      'FORMAT_MISMATCH',
    );
  }
  const format = given ?? meant;
  if (format) return format;
  throw usageError(
    `The file name ${JSON.stringify(path)} has no known extension`,
    `Use an extension (${[...EXTENSIONS.keys()].join(', ')}) or set \`format\` to ${EXPORT_FORMATS.join(', ')}.`,
    'UNKNOWN_FORMAT',
  );
}
