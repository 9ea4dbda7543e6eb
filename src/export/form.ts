import { usageError } from '../core/errors.ts';
import {
  type Column,
  type Columns,
  chooseColumns,
  jsonColumns,
  jsonShape,
  namesAll,
  type View,
} from '../formats/columns.ts';
import type { Layout } from '../formats/format.ts';
import { type ExportFormat, exportedFormat } from '../formats/registry.ts';
import type { Separator } from '../formats/separators.ts';
import type { FileOptions } from './options.ts';
import type { Identity } from './resume-log.ts';

/** The format of a file, and how its rows are written. */
export type FormOptions = FileOptions & { readonly format: ExportFormat };

export interface FileColumns {
  readonly columns: readonly Column[];
  /** All declared columns. A JSON file can contain any declared column. */
  readonly known: Columns;
}

/** Returns the columns of a file, after `--columns` was applied. */
export function fileColumns(known: Columns, chosen: readonly string[] = []): FileColumns {
  return { columns: chooseColumns(known.csv, [...known.csv, ...known.table], chosen), known };
}

export function layoutFor(options: FormOptions, view: View, { columns, known }: FileColumns): Layout {
  const chosen = options.columns ?? [];
  const format = exportedFormat(options.format);
  const whole = !namesAll(chosen);
  const all = [...known.csv, ...known.table];
  const holdsRecords = whole && format.columns === undefined && format.file.text !== undefined;
  const asked = holdsRecords ? [...namesToAdd(known), ...chosen] : chosen;
  const inFile = format.columns === undefined ? jsonColumns(all, asked) : columns;
  return {
    format,
    columns: whole ? columns : inFile,
    hasNames: inFile.some(({ names }) => names === 'account'),
    known: known.csv,
    shape: jsonShape(all, asked, view),
    added: holdsRecords ? inFile : [],
    whole,
    view,
    guard: options.csvGuard !== 'off',
    dialect: options.csvDialect ?? 'plain',
    ...localeOf(options),
    parquetDecimals: options.parquetDecimals ?? 'decimal',
    parquetNumbers: options.parquetNumbers ?? 'string',
  };
}

/** If a file has whole records, the names of accounts and assets follow the fields of each record. */
function namesToAdd({ csv }: Columns): readonly string[] {
  return csv.flatMap(({ key, names }) => (names ? `+${key}` : []));
}

/** Returns the `form` object for the manifest of an export. */
export function formFor(options: FormOptions, { timeZone }: View): Identity {
  return {
    format: options.format,
    columns: options.columns ?? null,
    timeZone,
    csvGuard: options.csvGuard ?? 'on',
    csvDialect: options.csvDialect ?? 'plain',
    ...localeOf(options),
    parquetDecimals: options.parquetDecimals ?? 'decimal',
    parquetNumbers: options.parquetNumbers ?? 'string',
  };
}

/**
 * Returns the CSV separator and the decimal mark. Default values are omitted.
 *
 * @throws usage error if the format is not CSV, or if the separator and the decimal mark are both a comma
 */
function localeOf({ format, separator, decimalComma }: FormOptions): {
  readonly separator?: Separator;
  readonly decimalComma?: true;
} {
  if (separator === undefined && !decimalComma) return {};
  if (format !== 'csv') {
    throw usageError(
      `A separator and a decimal comma require CSV, but the export format is ${format}`,
      'Omit `separator` and `decimalComma`, or write a CSV file.',
      'NOT_CSV',
    );
  }
  if (decimalComma && separator === ',') {
    throw usageError(
      'The separator cannot be a comma if amounts have a decimal comma',
      "Use `separator: ';'`.",
      'TWO_COMMAS',
    );
  }
  if (decimalComma) return { separator: separator ?? ';', decimalComma };
  return separator === undefined || separator === ',' ? {} : { separator };
}
