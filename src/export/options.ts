// Types of the public library. Import nothing here that would load a module a program does not use.
import type { Separator } from '../formats/separators.ts';

/** How the rows of an export are written. */
export interface FileOptions {
  /** Columns of the file, or fields of JSON; `+c` adds one to the usual columns. */
  readonly columns?: readonly string[] | undefined;
  /** Whether text cells of CSV and XLSX are guarded against formulas (default: on). */
  readonly csvGuard?: 'on' | 'off' | undefined;
  /** `excel` writes a byte-order mark and CRLF (default: plain). */
  readonly csvDialect?: 'plain' | 'excel' | undefined;
  /** Separator of a CSV (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether a CSV has decimals as `1,5`; its separator is then a semicolon by default. */
  readonly decimalComma?: boolean | undefined;
  /** Amounts in Parquet: DECIMAL(38,18), or text (default: decimal). */
  readonly parquetDecimals?: 'decimal' | 'string' | undefined;
  /** JSON numbers in Parquet: text with every digit, or DOUBLE (default: string). */
  readonly parquetNumbers?: 'string' | 'double' | undefined;
}

/** How far an export is. */
export interface EngineProgress {
  readonly rows: number;
  readonly total: number | undefined;
  readonly windows: number;
  readonly windowsRead: number;
  /** Retried requests and repeated reads of windows. */
  readonly retries: number;
}
