import { type CryptodataError, TimeoutError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { LONGEST_TIMER } from '../core/sleep.ts';

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, even during a pause before a retry. The call then throws {@link InterruptedError}. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time limit in milliseconds, including retries and pauses (default: the client's `timeout`). After this time, the call
   * throws {@link TimeoutError}. For a list, the limit applies to each page.
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of retries for each request (default: the client's `retries`). Requests are retried after status 429, 500,
   * 502, 503 or 504, and after broken connections. Requests that change data are never retried.
   */
  readonly retries?: number | undefined;
  /**
   * Headers to add to each request, such as `{ 'X-Trace-Id': id }`. These headers cannot replace the credentials, or headers
   * that describe the body. A header with the value undefined is not sent.
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Limits for all requests of a client. */
export interface ClientLimits {
  /** Maximum number of retries for each request (default: 4). A call can set its own `retries`. */
  readonly retries?: number | undefined;
  /** Time limit for each call in milliseconds (default: no limit). A call can set its own `timeout`. */
  readonly timeout?: number | undefined;
  /** Longest wait that the service may request, in seconds (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum wait in milliseconds for the start of a response, and for each further part of the response (default: 60,000). */
  readonly idleTimeout?: number | undefined;
  /** Cancels all requests of this client. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for waiting: a time limit, retries, and a callback for failures. */
export interface WatchOptions extends CallOptions {
  /** Maximum wait in milliseconds (default: no limit). After this time, the error is `WAIT_TIMED_OUT`. */
  readonly timeout?: number | undefined;
  /** Called after a temporary failure, with the error and the milliseconds until the next poll. */
  readonly onHiccup?: ((error: CryptodataError, ms: number) => void) | undefined;
  /**
   * Maximum number of retries for a failed poll. By default, the client's `retries` apply to each poll, and waiting fails after
   * five failed polls in a row.
   */
  readonly retries?: number | undefined;
}

/** Options of `integrations.watch`. */
export interface IntegrationsWatchOptions extends WatchOptions {
  /** Time in Unix milliseconds. Waiting also continues while an account is `COMPLETED` but was last synced before this time. */
  readonly syncedSince?: number | undefined;
}

/** Options of `syncs.watch`. */
export interface SyncWatchOptions extends WatchOptions {
  /** States that also end the wait. The two final states in the specification always end the wait. */
  readonly until?: readonly string[] | undefined;
}

/** A status that has changed, or the first status. */
export interface StatusChange {
  /** Time of the poll that found the change, in Unix milliseconds. */
  readonly time: number;
  /** `walletId` of a connected account, or the id of a sync. */
  readonly id: string;
  /** The status in the record; undefined if this status is not a string. */
  readonly status: string | undefined;
  /** The previous status; undefined for the first status. */
  readonly previous: string | undefined;
  /** The unchanged record. */
  readonly record: JsonRecord;
}

/** @throws usage error `BAD_OPTION` */
export function checkOptions({ timeout, retries }: Omit<CallOptions, 'signal'>): void {
  if (timeout !== undefined && !(timeout > 0)) {
    throw usageError(
      `"timeout" must be a positive number of milliseconds, not ${timeout}`,
      undefined,
      'BAD_OPTION',
    );
  }
  if (retries !== undefined && !(Number.isSafeInteger(retries) && retries >= 0)) {
    throw usageError(
      `"retries" must be 0 or a positive whole number, not ${retries}`,
      undefined,
      'BAD_OPTION',
    );
  }
}

/**
 * Runs `work` with a signal. This signal is aborted after `timeout`, or when `options.signal` is aborted.
 *
 * @param what name of the work, for the error message, such as `GET /v1/ledgers`
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
