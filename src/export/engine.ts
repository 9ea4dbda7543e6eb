import type { Client } from '../client/client.ts';
import { CryptodataError } from '../core/errors.ts';
import { type LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import type { RowEncoder } from '../read/rows.ts';
import { type Frozen, freeze } from './freeze.ts';
import { type Identity, Journal, type Kept, type Segment } from './journal.ts';
import { gaps, windowSize } from './plan.ts';
import { type Proof, prove } from './prove.ts';
import { NotByTimeError } from './window.ts';
import { type Window, Windows } from './windows.ts';

export interface EngineOptions {
  /** Where segments and the journal go. */
  readonly directory: string;
  readonly encoder: RowEncoder;
  readonly client: Client;
  readonly selection: LedgerSelection;
  /** What must be the same where an unfinished export is gone on with. */
  readonly identity: Identity;
  /** What an unfinished export left, to go on from. */
  readonly kept?: Kept | undefined;
  readonly concurrency: number;
  readonly maxRps?: number | undefined;
  /** Milliseconds for which a service that has answered may fail before the export ends. */
  readonly patience: number;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds before a read that was not proved is repeated; doubles each time. */
  readonly backoff?: number | undefined;
  /** Rows of a window; made of the total where not given. */
  readonly windowRows?: number | undefined;
  readonly onProgress?: ((progress: EngineProgress) => void) | undefined;
  /** Given each segment in the order of time, as soon as those before it are there; it cannot be mended then. */
  readonly onFront?: ((segment: Segment) => Promise<void>) | undefined;
}

export interface EngineProgress {
  readonly rows: number;
  readonly total: number | undefined;
  readonly windows: number;
  readonly windowsRead: number;
  /** Requests sent again, and windows read again. */
  readonly retries: number;
}

/** All rows on the disk, and what is proved of them. */
export interface Exported {
  readonly frozen: Frozen;
  /** In the order of time. */
  readonly segments: readonly Segment[];
  readonly proof: Proof;
  readonly requests: number;
  /** Requests that were sent again. */
  readonly retries: number;
  /** Reads of windows beyond the first. */
  readonly rereads: number;
  /** Filters that the fields of the rows could not decide: that the service applied them is not checked. */
  readonly unchecked: readonly string[];
}

/**
 * Reads the ledgers of a selection into segments: freezes it, cuts it into windows, reads these side by side until
 * each is proved, then proves the whole. What ends it early leaves its segments and journal to go on from.
 */
export async function readLedgers(options: EngineOptions): Promise<Exported> {
  const { client, selection, signal, now, patience, backoff = 100, kept } = options;
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
  try {
    const sourceUntil = (signal: AbortSignal) =>
      new LedgerSource({ client, selection, pace, signal, patience, backoff });
    const read = async (frozen: Frozen, kept: readonly Segment[]) => {
      // What is still asked for when one window fails is asked for in vain.
      const failed = new AbortController();
      const stop = AbortSignal.any([signal, failed.signal]);
      const source = sourceUntil(stop);
      const journal = await Journal.begin(options.directory, {
        identity: options.identity,
        frozen,
        segments: kept,
      });
      try {
        windows = new Windows({
          ...options,
          source,
          journal,
          range: frozen.range,
          wanted: selection.span,
          windows: firstWindows(frozen, kept),
          size: options.windowRows ?? windowSize(frozen.total ?? 0),
          most: options.concurrency,
          width: () => pace.width,
          signal: stop,
          backoff,
          onProgress: () => windows && options.onProgress?.(progressOf(windows, frozen, counts)),
          onFailure: () => failed.abort(),
        });
        await windows.read();
        const proof = await prove({ ...options, source, windows, frozen, signal: stop, backoff });
        const { segments, rereads } = windows;
        const unchecked = [...new Set([...segments, source].flatMap(({ unchecked = [] }) => unchecked))];
        return { frozen, segments, proof, ...counts, rereads, unchecked };
      } finally {
        await journal.close();
      }
    };
    const frozen = kept?.frozen ?? (await freeze(sourceUntil(signal), selection, now));
    try {
      return await read(frozen, kept?.segments ?? []);
    } catch (error) {
      if (!(error instanceof NotByTimeError)) throw error;
      // What was handed on already would be handed on again.
      if (options.onFront && windows?.segments.some(({ rows }) => rows > 0)) throw notByTime();
      return await read({ ...frozen, range: undefined }, []);
    }
  } finally {
    stopWatching();
  }
}

function notByTime(): CryptodataError {
  return new CryptodataError(
    'service',
    'NOT_BY_TIME',
    'The service gave a ledger that has no time, or not the time that was asked for',
    { hint: 'Export to a file: then all is read as one list. A stream cannot begin anew.' },
  );
}

/** What is read already, and the gaps between. */
function firstWindows({ range, total }: Frozen, kept: readonly Segment[]): Window[] {
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
