import type { ServiceClient } from '../client/client.ts';
import { type CryptodataError, UpstreamError } from '../core/errors.ts';
import { type LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import type { RowEncoder } from '../read/rows.ts';
import type { NamesRead } from './account-names.ts';
import type { EngineProgress } from './options.ts';
import { type Frozen, freeze, gaps, windowSize } from './plan.ts';
import { type Identity, type LoggedExport, ResumeLog, type Segment } from './resume-log.ts';
import { type Verification, verifySegments } from './verify-segments.ts';
import { NotByTimeError } from './window.ts';
import { type Window, Windows } from './windows.ts';

export interface EngineOptions {
  /** The directory for the segments and the resume log. */
  readonly directory: string;
  readonly encoder: RowEncoder;
  readonly client: ServiceClient;
  readonly selection: LedgerSelection;
  readonly identity: Identity;
  /** The saved state, if an unfinished export is resumed. */
  readonly kept?: LoggedExport | undefined;
  /** The names of accounts in the rows, for the resume log. */
  readonly names?: NamesRead | undefined;
  readonly concurrency: number;
  readonly maxRps?: number | undefined;
  /** Milliseconds to keep retrying after the last successful response. */
  readonly patience: number;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds before the first retry of a failed page or an unverified read. Each further retry doubles the delay. */
  readonly backoff?: number | undefined;
  /** Maximum number of rows per window (default: depends on the total). */
  readonly windowRows?: number | undefined;
  readonly onProgress?: ((progress: EngineProgress) => void) | undefined;
  /**
   * Called for each segment in time order, as soon as all earlier segments are complete. After the call, the window of the
   * segment cannot be read again.
   */
  readonly onFront?: ((segment: Segment) => Promise<void>) | undefined;
}

export interface Exported {
  readonly frozen: Frozen;
  /** Ordered by time. */
  readonly segments: readonly Segment[];
  readonly verification: Verification;
  readonly requests: number;
  readonly retries: number;
  readonly rereads: number;
  /** Filters that could not be checked, because the rows do not contain the filtered field. */
  readonly unchecked: readonly string[];
}

/** Access to the service. All requests share one {@link Pace} and one counter. */
export interface Reading {
  /** @param signal cancels the source's requests */
  source(signal: AbortSignal): LedgerSource;
  /**
   * Reads all windows that have no segment. The windows are read in parallel, and each window is verified. At the end, verifies
   * all windows together. If the rows cannot be split by time, reads all rows again without splitting them.
   *
   * @param windows windows of the frozen range, ordered by time
   * @param windowRows maximum number of rows per window (default: depends on the total)
   */
  read(frozen: Frozen, windows: readonly Window[], windowRows?: number): Promise<Exported>;
}

/**
 * Reads the selected ledgers into segments. Freezes the range, splits it into windows, and reads the windows in parallel until
 * each window is verified. Then verifies all windows together. After a failure, the segments and the resume log remain, so that
 * the export can be resumed.
 */
export function readLedgers(options: EngineOptions): Promise<Exported> {
  const { selection, signal, now, kept } = options;
  return withReading(options, async (reading) => {
    const frozen = kept?.frozen ?? (await freeze(reading.source(signal), selection, now));
    return reading.read(frozen, firstWindows(frozen, kept?.segments ?? []), options.windowRows);
  });
}

/** Runs `work` with a {@link Reading}, for callers that run the steps of {@link readLedgers} separately. */
export async function withReading<T>(
  options: Omit<EngineOptions, 'kept' | 'windowRows'>,
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  const { client, selection, signal, patience, backoff = 100 } = options;
  let windows: Windows | undefined;
  const pace = new Pace({
    most: options.concurrency,
    maxRps: options.maxRps,
    signal,
    onWider: () => windows?.wake(),
  });
  const counts = { requests: 0, retries: 0 };
  const stopWatching = client.watch((attempt) => {
    counts.requests += 1;
    if (attempt.attempt > 1) counts.retries += 1;
    pace.learn(attempt);
  });
  const sourceUntil = (signal: AbortSignal) =>
    new LedgerSource({ client, selection, pace, signal, patience, backoff });
  const read = async (frozen: Frozen, first: readonly Window[], size: number): Promise<Exported> => {
    // If one window fails, cancel the requests of all other windows.
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const source = sourceUntil(stop);
    const log = await ResumeLog.begin(options.directory, {
      identity: options.identity,
      frozen,
      segments: first.flatMap(({ segment }) => segment ?? []),
      names: options.names,
    });
    try {
      windows = new Windows({
        ...options,
        source,
        log,
        range: frozen.range,
        filled: frozen.filled,
        wanted: selection.span,
        windows: first,
        size,
        most: options.concurrency,
        width: () => pace.width,
        signal: stop,
        backoff,
        onProgress: () => windows && options.onProgress?.(progressOf(windows, frozen, counts)),
        onFailure: () => failed.abort(),
      });
      await windows.read();
      const verification = await verifySegments({
        ...options,
        source,
        windows,
        frozen,
        signal: stop,
        backoff,
      });
      const { segments, rereads } = windows;
      const unchecked = [...new Set([...segments, source].flatMap(({ unchecked = [] }) => unchecked))];
      return { frozen, segments, verification, ...counts, rereads, unchecked };
    } finally {
      await log.close();
    }
  };
  try {
    return await work({
      source: sourceUntil,
      async read(frozen, first, windowRows = windowSize(frozen.total ?? 0)) {
        try {
          return await read(frozen, first, windowRows);
        } catch (error) {
          if (!(error instanceof NotByTimeError)) throw error;
          // After rows were streamed, do not restart, because the same rows would be streamed again.
          if (options.onFront && windows?.segments.some(({ rows }) => rows > 0)) throw notByTime();
          const list = { ...frozen, range: undefined, filled: undefined };
          return await read(list, firstWindows(list, []), windowRows);
        }
      },
    });
  } finally {
    stopWatching();
  }
}

function notByTime(): CryptodataError {
  return new UpstreamError(
    'NOT_BY_TIME',
    'The service returned a ledger without a time, or with a time outside the requested period',
    {
      hint: 'Export to a file with `out`. Such an export can read all rows again without splitting them by time.',
    },
  );
}

/** Returns the windows that were already read, and a window for each part of the range that was not read yet. */
export function firstWindows({ range, total }: Frozen, kept: readonly Segment[]): Window[] {
  const read = kept.map((segment) => ({ span: segment.span, count: segment.rows, segment }));
  if (range === undefined) return read.length > 0 ? read : [{ span: undefined, count: total }];
  const spans = read.flatMap(({ span }) => span ?? []);
  const missing = gaps(range, spans).map((span) => ({ span, count: read.length === 0 ? total : undefined }));
  return [...read, ...missing].sort((left, right) => (left.span?.from ?? 0) - (right.span?.from ?? 0));
}

function progressOf(
  windows: Windows,
  { total }: Frozen,
  { retries }: { readonly retries: number },
): EngineProgress {
  return {
    rows: windows.rows,
    total,
    windows: windows.size,
    windowsRead: windows.segments.length,
    retries: retries + windows.rereads,
  };
}
