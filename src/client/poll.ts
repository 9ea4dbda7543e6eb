import { CryptodataError, ServiceError, TimeoutError } from '../core/errors.ts';
import { isTransient } from '../core/retry.ts';
import { unlessAborted } from './abort.ts';
import type { Clock } from './gate.ts';
import { type CallOptions, checkOptions, type WatchOptions } from './options.ts';

/** The result of one poll. */
export interface Poll<T> {
  readonly value: T;
  /** Whether anything has changed since the last poll. After a change, the next poll follows soon. */
  readonly changed: boolean;
}

/** Milliseconds between polls at the start and after a change. The interval grows after each poll that finds no change. */
const FIRST_PAUSE = 1000;
const GROWTH = 1.5;
const LONGEST_PAUSE = 30_000;
/** Waiting fails after this many consecutive failed polls. The transport has already retried each poll. */
const PATIENCE = 5;
/** Milliseconds by which the last poll may exceed the timeout. */
const GRACE = 5000;
/** The longest timer that Node supports. Node fires longer timers immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Polls until the caller leaves the loop. The interval is short after a change, and grows while nothing changes. Respects rate
 * limits, and retries after temporary failures. When `timeout` ends, polls once more.
 *
 * @throws TimeoutError `WAIT_TIMED_OUT` if the caller does not leave the loop after this last poll
 * @throws the error of a poll, if this error is permanent or if too many polls in a row have failed
 */
export async function* poll<T>(
  look: (call: CallOptions) => Promise<Poll<T>>,
  clock: Clock,
  options: WatchOptions = {},
): AsyncGenerator<T> {
  checkOptions({ retries: options.retries });
  const { timeout, signal, retries, headers, onHiccup } = options;
  const patience = retries === undefined ? PATIENCE : retries + 1;
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeout;
  let pause = FIRST_PAUSE;
  let failures = 0;
  let reached = false;
  for (let last = timeout === 0; ; ) {
    const limit = limited(deadline - clock.now(), signal);
    let wait: number;
    try {
      const { value, changed } = await look({
        signal: limit,
        headers,
        retries: retries === undefined ? undefined : 0,
      });
      yield value;
      reached = true;
      failures = 0;
      wait = changed ? FIRST_PAUSE : pause;
    } catch (error) {
      if (!(error instanceof CryptodataError) || signal?.aborted) throw error;
      if (limit !== signal && limit?.aborted) throw timedOut(timeout, error);
      failures += 1;
      if (!isTransient(error, reached) || failures >= patience) throw error;
      const asked = (error instanceof ServiceError && error.retryAfter) || 0;
      wait = Math.min(Math.max(pause, asked * 1000), LONGEST_TIMER);
      onHiccup?.(error, Math.max(0, Math.min(wait, deadline - clock.now())));
    }
    if (last) throw timedOut(timeout);
    pause = Math.min(LONGEST_PAUSE, wait * GROWTH);
    const left = deadline - clock.now();
    last = wait >= left;
    await unlessAborted(clock.sleep(Math.max(0, Math.min(wait, left)), signal), signal);
  }
}

/** Returns a signal that aborts {@link GRACE} milliseconds after the remaining time ends, or earlier if `signal` aborts. */
function limited(left: number, signal: AbortSignal | undefined): AbortSignal | undefined {
  const ms = Math.max(0, Math.ceil(left)) + GRACE;
  if (ms > LONGEST_TIMER) return signal;
  const limit = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

function timedOut(timeout = 0, cause?: unknown): CryptodataError {
  return new TimeoutError('WAIT_TIMED_OUT', `Timed out after ${timeout / 1000} s of waiting`, {
    hint: 'Nothing was cancelled. Wait again, or use a longer timeout.',
    cause,
  });
}
