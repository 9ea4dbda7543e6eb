import { CryptodataError } from '../core/errors.ts';
import { isTransient } from '../core/retry.ts';
import { ServiceError } from './errors.ts';
import type { Clock } from './gate.ts';

/** How long to wait for something, and who is told what. */
export interface WatchOptions {
  /** Milliseconds after which waiting ends with `WAIT_TIMED_OUT`; endless where not given. */
  readonly timeout?: number | undefined;
  /** A look failed in a way that may pass; the next comes in so many milliseconds. */
  readonly onHiccup?: ((error: CryptodataError, ms: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One look at what is waited for. */
export interface Look<T> {
  readonly value: T;
  /** Whether anything moved since the last one: then the next comes soon. */
  readonly changed: boolean;
}

/** Milliseconds from the first look to the second; each that shows nothing new makes it longer. */
const FIRST_PAUSE = 1000;
const GROWTH = 1.5;
const LONGEST_PAUSE = 30_000;
/** Looks that may fail one after another, each tried several times by the transport already. */
const PATIENCE = 5;
/** Milliseconds for the look that is under way, or is taken, when the time is over. */
const GRACE = 5000;
/** A timer of Node that is longer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Looks again and again until the caller leaves the loop: soon after a change, and less often the longer nothing
 * moves. A rate limit is obeyed however long it lasts, and what failed in a way that may pass is looked at again.
 *
 * @throws CryptodataError `WAIT_TIMED_OUT` when `timeout` is over, after a last look; and what a look throws that
 * will not pass, or that five looks in a row threw
 */
export async function* poll<T>(
  look: (signal: AbortSignal | undefined) => Promise<Look<T>>,
  clock: Clock,
  options: WatchOptions = {},
): AsyncGenerator<T> {
  const { timeout, signal, onHiccup } = options;
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeout;
  let pause = FIRST_PAUSE;
  let failures = 0;
  let reached = false;
  for (let last = timeout === 0; ; ) {
    const limit = limited(deadline - clock.now(), signal);
    let wait: number;
    try {
      const { value, changed } = await look(limit);
      yield value;
      reached = true;
      failures = 0;
      wait = changed ? FIRST_PAUSE : pause;
    } catch (error) {
      if (!(error instanceof CryptodataError) || signal?.aborted) throw error;
      if (limit !== signal && limit?.aborted) throw timedOut(timeout, error);
      failures += 1;
      if (!isTransient(error, reached) || failures >= PATIENCE) throw error;
      const asked = (error instanceof ServiceError && error.retryAfter) || 0;
      wait = Math.min(Math.max(pause, asked * 1000), LONGEST_TIMER);
      onHiccup?.(error, Math.max(0, Math.min(wait, deadline - clock.now())));
    }
    if (last) throw timedOut(timeout);
    pause = Math.min(LONGEST_PAUSE, wait * GROWTH);
    const left = deadline - clock.now();
    last = wait >= left;
    await clock.sleep(Math.max(0, Math.min(wait, left)), signal);
  }
}

/** Calls off a look that would last much longer than there is time. */
function limited(left: number, signal: AbortSignal | undefined): AbortSignal | undefined {
  const ms = Math.max(0, Math.ceil(left)) + GRACE;
  if (ms > LONGEST_TIMER) return signal;
  const limit = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

function timedOut(timeout = 0, cause?: unknown): CryptodataError {
  return new CryptodataError('network', 'WAIT_TIMED_OUT', `Not over yet after ${timeout / 1000} s`, {
    hint: 'Nothing was called off: wait again, or with a longer time-out.',
    cause,
  });
}
