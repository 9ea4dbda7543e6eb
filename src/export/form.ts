import { usageError } from '../core/errors.ts';
import { type Column, type Columns, jsonShape, namesAll, type View } from '../formats/columns.ts';
import type { Layout } from '../formats/format.ts';
import { type ExportFormat, exportedFormat } from '../formats/registry.ts';
import type { Separator } from '../formats/separators.ts';
import type { Identity } from './journal.ts';
import type { FileOptions } from './options.ts';

/** The format of a file, and how its rows are written. */
export type FormOptions = FileOptions & { readonly format: ExportFormat };

/** The columns of a file, and every declared column. JSON files can contain any declared column. */
export interface FileColumns {
  readonly columns: readonly Column[];
  readonly known: Columns;
}

/** The layout of rows in the file. */
export function layoutFor(options: FormOptions, view: View, { columns, known }: FileColumns): Layout {
  const chosen = options.columns ?? [];
  return {
    format: exportedFormat(options.format),
    columns,
    known: known.csv,
    shape: jsonShape([...known.csv, ...known.table], chosen, view),
    whole: !namesAll(chosen),
    view,
    guard: options.csvGuard !== 'off',
    dialect: options.csvDialect ?? 'plain',
    ...localeOf(options),
    parquetDecimals: options.parquetDecimals ?? 'decimal',
    parquetNumbers: options.parquetNumbers ?? 'string',
  };
}

/** The form of an export, as its manifest records it. */
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
 * CSV separator and decimal mark; undefined for defaults.
 *
 * @throws usage error if both are a comma, or the format is not CSV
 */
function localeOf({ format, separator, decimalComma }: FormOptions): {
  readonly separator?: Separator;
  readonly decimalComma?: true;
} {
  if (separator === undefined && !decimalComma) return {};
  if (format !== 'csv') {
    throw usageError(
      `--separator and --decimal-comma require CSV, but this export is ${format}`,
      'Omit --separator and --decimal-comma, or write a CSV file: --format csv.',
      'NOT_CSV',
    );
  }
  if (decimalComma && separator === ',') {
    throw usageError(
      'The separator cannot be a comma if --decimal-comma is used',
      'Use --separator semicolon.',
      'TWO_COMMAS',
    );
  }
  if (decimalComma) return { separator: separator ?? ';', decimalComma };
  return separator === undefined || separator === ',' ? {} : { separator };
}
