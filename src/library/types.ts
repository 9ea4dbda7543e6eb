import type { Episode } from '../books/negative.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import type { EngineProgress, FileOptions } from '../export/options.ts';

// Types of the public library. Import only types in this file, so that programs do not load unused modules.

/** Filters of `GET /v1/ledgers` that select legs. */
export type LedgerSelectionFilters = Omit<LedgerFilters, 'limit' | 'offset' | 'sortBy' | 'sortOrder'>;

/** Selects a period by `period`, by `from` and `to`, or by the service's own `startTime` and `endTime`. */
export interface PeriodParams {
  /** `2025`, `2025-H1`, `2025-Q3`, `2025-07`, `last-year`, `this-quarter`, `ytd` or `7d`. */
  readonly period?: string | undefined;
  /** First day (`2025-07-01`) or time (`2025-07-01T12:00`, optionally with `Z` or `+02:00`). */
  readonly from?: string | undefined;
  /** Last day of the period (included), or the time when the period ends. */
  readonly to?: string | undefined;
  /** First day of the fiscal year, as in `04-06`. Years, half-years and quarters are counted from this day. */
  readonly fiscalYearStart?: string | undefined;
  /** IANA name of the time zone for days, such as `Europe/Berlin` (default: this machine's time zone). */
  readonly tz?: string | undefined;
}

/** File formats with one row for each leg. */
export type RowFormat = 'csv' | 'json' | 'jsonl' | 'parquet' | 'xlsx';

/** The legs to export, and the format. */
export interface ExportParams extends PeriodParams, LedgerSelectionFilters, FileOptions {
  /** The file to write. */
  readonly out: string;
  /** Default: the format for the file extension of `out`. */
  readonly format?: RowFormat | undefined;
  /** Whether to replace `out` and its manifest. By default, an existing file causes a UsageError `FILE_EXISTS`. */
  readonly overwrite?: boolean | undefined;
  /**
   * `resume` continues an unfinished export of the same file; `restart` discards the unfinished export and starts again. By
   * default, an unfinished export causes a UsageError `UNFINISHED_EXPORT`.
   */
  readonly unfinished?: 'resume' | 'restart' | undefined;
  /** Maximum number of parallel requests (default: 16). */
  readonly concurrency?: number | undefined;
  /** Maximum requests per second (default: no limit). */
  readonly maxRps?: number | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** The progress of an export. */
export type ExportProgress = EngineProgress;

/** An export that is verified against the service's totals. */
export interface VerifiedExport {
  /** Absolute path of the file. */
  readonly file: string;
  readonly format: RowFormat;
  readonly rows: number;
  /** The service's total for the same range, requested after the last row was read. */
  readonly total: number;
  readonly verified: true;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** Absolute path of the manifest. */
  readonly manifest: string;
  /** Filters that could not be checked, because no field of a leg contains the filtered value. */
  readonly filtersNotChecked: readonly string[];
}

/** Selects negative legs. Each episode that contains a selected leg is returned completely. */
export type NegativeParams = PeriodParams &
  Omit<LedgerSelectionFilters, 'ltAfterBalance' | 'gtAfterBalance'> & {
    /** Called with the number of legs read so far. */
    readonly onProgress?: ((rows: number) => void) | undefined;
  };

export interface NegativeResult {
  /** Sorted by the start of the episode. */
  readonly episodes: readonly Episode[];
  /** Legs that match the query; undefined if the service reports no totals. */
  readonly legs: number | undefined;
  /** Legs that have no running balance, so they were not checked; undefined if they could not be counted. */
  readonly legsWithoutBalance: number | undefined;
  /** Legs with a running balance that is not a decimal number. */
  readonly unreadable: number;
}
