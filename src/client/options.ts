import { type CryptodataError, TimeoutError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { LONGEST_TIMER } from '../core/sleep.ts';

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, including waits and pauses before retries. The call then throws {@link InterruptedError}. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the call throws {@link TimeoutError}, including retries and pauses (default: the client's `timeout`).
   * For a list, the timeout applies to each page.
   */
  readonly timeout?: number | undefined;
  /**
   * Retries of each request after 429, 500, 502, 503, 504 and broken connections (default: the client's `retries`). 0 means
   * none. Requests that change data are never retried.
   */
  readonly retries?: number | undefined;
}

/** How long to wait, and a callback for failed attempts. */
export interface WatchOptions extends CallOptions {
  /** Milliseconds after which waiting fails with `WAIT_TIMED_OUT` (default: never). */
  readonly timeout?: number | undefined;
  /** Called after a temporary failure, with the milliseconds until the next attempt. */
  readonly onHiccup?: ((error: CryptodataError, ms: number) => void) | undefined;
  /** Retries of a poll; 0 means none. By default, five polls may fail in a row, each with the client's own retries. */
  readonly retries?: number | undefined;
}

/** Options for waiting for connected accounts. */
export interface IntegrationsWatchOptions extends WatchOptions {
  /** Unix milliseconds. A `COMPLETED` account counts as finished only if the account has synced since this time. */
  readonly syncedSince?: number | undefined;
}

/** Options for waiting for a sync. */
export interface SyncWatchOptions extends WatchOptions {
  /** States that end the wait, in addition to the two final states in the specification. */
  readonly until?: readonly string[] | undefined;
}

/** A change of status, or the status at the start. */
export interface Change {
  /** Time of the poll that found the change, in Unix milliseconds. */
  readonly time: number;
  /** `walletId` of a connected account, or the id of a sync. */
  readonly id: string;
  /** Undefined if the status in the record is not a string. */
  readonly status: string | undefined;
  /** The previous status; undefined at the start. */
  readonly previous: string | undefined;
  /** The unchanged record. */
  readonly record: JsonRecord;
}

/** @throws usage error `BAD_OPTION` */
export function checkOptions({ timeout, retries }: Omit<CallOptions, 'signal'>): void {
  if (timeout !== undefined && !(timeout > 0)) {
    throw usageError(
      `timeout must be a positive number of milliseconds, not ${timeout}`,
      undefined,
      'BAD_OPTION',
    );
  }
  if (retries !== undefined && !(Number.isSafeInteger(retries) && retries >= 0)) {
    throw usageError(`retries must be a whole number from 0, not ${retries}`, undefined, 'BAD_OPTION');
  }
}

/**
 * Runs `work` with a signal that is also aborted after `timeout`.
 *
 * @param what description of the work in the error message: `GET /v1/ledgers`
 * @throws TimeoutError `CALL_TIMED_OUT`; usage error `BAD_OPTION`
 */
export async function within<T>(
  options: CallOptions,
  what: string,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  checkOptions(options);
  const { signal, timeout } = options;
  if (timeout === undefined) return work(signal);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(what, timeout)), Math.min(timeout, LONGEST_TIMER));
  try {
    return await work(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(what: string, timeout: number): TimeoutError {
  return new TimeoutError('CALL_TIMED_OUT', `${what} did not finish within ${timeout / 1000} s`, {
    hint: 'Use a longer timeout.',
  });
}
