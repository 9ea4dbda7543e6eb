// Types of the public library. Import only types here, so that programs do not load modules that they do not use.
import type { Separator } from '../formats/separators.ts';

/** How the rows of an export are written. */
export interface FileOptions {
  /** Columns of the file, or JSON fields. `+c` adds the column `c` to the default columns. */
  readonly columns?: readonly string[] | undefined;
  /** Whether text cells of CSV and XLSX are guarded against formulas (default: on). */
  readonly csvGuard?: 'on' | 'off' | undefined;
  /** `excel` writes a byte-order mark and CRLF (default: plain). */
  readonly csvDialect?: 'plain' | 'excel' | undefined;
  /** CSV separator (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether CSV decimals use a comma: `1,5`. If true, the default separator is a semicolon. */
  readonly decimalComma?: boolean | undefined;
  /** Amounts in Parquet: DECIMAL(38,18), or text (default: decimal). */
  readonly parquetDecimals?: 'decimal' | 'string' | undefined;
  /** JSON numbers in Parquet: text with every digit, or DOUBLE (default: string). */
  readonly parquetNumbers?: 'string' | 'double' | undefined;
}

/** Progress of an export. */
export interface EngineProgress {
  readonly rows: number;
  readonly total: number | undefined;
  readonly windows: number;
  readonly windowsRead: number;
  /** Number of retried requests plus repeated reads of windows. */
  readonly retries: number;
}
