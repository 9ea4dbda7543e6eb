// The public library exports these types. Import only types into this file, so that programs do not load the imported modules.
import type { Separator } from '../formats/separators.ts';

/** How the rows of an export are written. */
export interface FileOptions {
  /** Columns of the file, or fields of the JSON records. `+c` adds the column `c` to the default columns. */
  readonly columns?: readonly string[] | undefined;
  /** Whether text cells of CSV and XLSX are guarded against formulas (default: on). */
  readonly csvGuard?: 'on' | 'off' | undefined;
  /** `excel` adds a byte-order mark and ends lines with CRLF (default: plain). */
  readonly csvDialect?: 'plain' | 'excel' | undefined;
  /** CSV separator (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether decimals in CSV use a comma, as in `1,5`. With a decimal comma, the default separator is a semicolon. */
  readonly decimalComma?: boolean | undefined;
  /** How Parquet files store amounts: `decimal` for DECIMAL(38,18), `string` for text (default: decimal). */
  readonly parquetDecimals?: 'decimal' | 'string' | undefined;
  /** How Parquet files store JSON numbers: `string` for text with every digit, `double` for DOUBLE (default: string). */
  readonly parquetNumbers?: 'string' | 'double' | undefined;
}

/** Progress of an export. */
export interface EngineProgress {
  readonly rows: number;
  readonly total: number | undefined;
  readonly windows: number;
  readonly windowsRead: number;
  /** Number of retried requests, plus the number of times that a window was read again. */
  readonly retries: number;
}
