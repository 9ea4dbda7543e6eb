import type { Episode } from '../books/negative.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import type { EngineProgress, FileOptions } from '../export/options.ts';

// Types of the public library. In this file, use only `import type`, so that programs do not load unused modules.

/** The filters of `GET /v1/ledgers`, without the parameters for paging and sorting. */
export type LedgerSelectionFilters = Omit<LedgerFilters, 'limit' | 'offset' | 'sortBy' | 'sortOrder'>;

/**
 * The period, either as `period`, or as `from` and `to`. The filters `startTime` and `endTime` are an alternative to `period`,
 * `from` and `to`.
 */
export interface PeriodParams {
  /** The period in one of the forms `2025`, `2025-H1`, `2025-Q3`, `2025-07`, `last-year`, `this-quarter`, `ytd` or `7d`. */
  readonly period?: string | undefined;
  /**
   * The first day, such as `2025-07-01`, or the start time, such as `2025-07-01T12:00`. A time may end with `Z` or with an
   * offset such as `+02:00`.
   */
  readonly from?: string | undefined;
  /** The last day, inclusive, or the time when the period ends. */
  readonly to?: string | undefined;
  /**
   * First day of the fiscal year, as month and day, such as `04-06`. Years, half-years and quarters are counted from this day.
   */
  readonly fiscalYearStart?: string | undefined;
  /** The time zone in which days begin and end, as an IANA name such as `Europe/Berlin` (default: this machine's time zone). */
  readonly tz?: string | undefined;
}

/** File formats that contain one row for each leg. */
export type RowFormat = 'csv' | 'json' | 'jsonl' | 'parquet' | 'xlsx';

/** The legs to export, the file, and its format. */
export interface ExportParams extends PeriodParams, LedgerSelectionFilters, FileOptions {
  /** Path of the file to write. */
  readonly out: string;
  /** Format of the file (default: the format that the extension of `out` implies). */
  readonly format?: RowFormat | undefined;
  /** Whether to replace `out` and its manifest. By default, an existing file causes a UsageError `FILE_EXISTS`. */
  readonly overwrite?: boolean | undefined;
  /**
   * `resume` continues an unfinished export to the same file. `restart` discards the unfinished export and starts again. By
   * default, an unfinished export causes a UsageError `UNFINISHED_EXPORT`.
   */
  readonly unfinished?: 'resume' | 'restart' | undefined;
  /** Maximum number of parallel requests (default: 16). */
  readonly concurrency?: number | undefined;
  /** Maximum number of requests per second (default: no limit). */
  readonly maxRps?: number | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** The progress of an export. */
export type ExportProgress = EngineProgress;

/** An export whose row count equals the service's total. */
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
  /**
   * Filters that the export could not check for every leg, because a leg's fields do not always show whether the leg matches.
   */
  readonly filtersNotChecked: readonly string[];
}

/** Selects negative legs. The result contains the whole episode of each selected leg. */
export type NegativeParams = PeriodParams &
  Omit<LedgerSelectionFilters, 'ltAfterBalance' | 'gtAfterBalance'> & {
    /** Called with the number of legs read so far. */
    readonly onProgress?: ((rows: number) => void) | undefined;
  };

export interface NegativeResult {
  /** The episodes in order of their start. */
  readonly episodes: readonly Episode[];
  /** Number of legs that match the query; undefined if the service reports no totals. */
  readonly legs: number | undefined;
  /** Number of legs that were not checked, because they have no running balance; undefined if the number is unknown. */
  readonly legsWithoutBalance: number | undefined;
  /** Number of legs whose running balance is not a decimal number. */
  readonly unreadable: number;
}
