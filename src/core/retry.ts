import type { CryptodataError } from './errors.ts';
import { httpDateOf, instantOf } from './instant.ts';

/**
 * Repeats `attempt` until `delayAfter` returns undefined. Returns the outcome of the last attempt.
 *
 * @param attempt called with the number of the attempt, starting at 1
 * @param delayAfter returns the milliseconds to wait before the next attempt
 */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  delayAfter: (outcome: T, number: number) => number | undefined,
  wait: (milliseconds: number) => Promise<void>,
): Promise<T> {
  for (let number = 1; ; number++) {
    const outcome = await attempt(number);
    const delay = delayAfter(outcome, number);
    if (delay === undefined) return outcome;
    await wait(delay);
  }
}

/** In milliseconds. The delay before retry `n` is at most `2 ** n` times this value, and never more than {@link MAX_DELAY}. */
const BASE_DELAY = 500;
const MAX_DELAY = 20_000;

/** Returns a delay in milliseconds: exponential backoff with full jitter. The first attempt has the number 1. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(MAX_DELAY, BASE_DELAY * 2 ** attempt));
}

/**
 * Seconds to wait according to the header `retry_after` (the name in the specification) or `Retry-After`. The header contains
 * a number of seconds or an HTTP date. If it contains a date, the wait is counted from the time in the `Date` header. If the
 * response has no `Date` header, the wait is counted from `now`.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const clock = httpDateOf(headers['date'] ?? '') ?? now;
  const waits = [headers['retry_after'], headers['retry-after']]
    .flatMap((value) => (value === undefined ? [] : [seconds(value.trim(), clock)]))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function seconds(value: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const date = httpDateOf(value) ?? instantOf(value);
  return date === undefined ? undefined : Math.max(0, (date - now) / 1000);
}

/** The specification names 429, 500 and 502. 520 to 524 are failures of a server behind Cloudflare. */
export const TRANSIENT_STATUS: ReadonlySet<number> = new Set([
  ...[408, 425, 429, 500, 502, 503, 504],
  ...[520, 521, 522, 523, 524],
]);
const TRANSIENT_CODES = new Set([
  'BAD_ANSWER',
  'TIMED_OUT',
  'CONNECTION_RESET',
  'NAME_LOOKUP_FAILED',
  'UNREACHABLE',
  'NETWORK_FAILED',
]);
/** The usual cause of these errors is a wrong address, so they are retried only if the address has responded before. */
const FIRST_CONTACT_CODES = new Set(['NAME_NOT_FOUND', 'CONNECTION_REFUSED', 'PROXY_FAILED']);

/**
 * Whether the same request may succeed a moment later. For HTTP statuses, the result follows "Retry guidance" in the
 * specification, then RFC 9110. An unreadable 2xx response, and network and proxy failures, can also be transient.
 *
 * @param reached whether this address has responded before
 */
export function isTransient(error: CryptodataError, reached: boolean): boolean {
  if (error.status !== undefined && error.status >= 300) return TRANSIENT_STATUS.has(error.status);
  return TRANSIENT_CODES.has(error.code) || (reached && FIRST_CONTACT_CODES.has(error.code));
}
