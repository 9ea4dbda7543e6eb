import type { Dispatcher } from 'undici';
import { parseUrl } from '../core/address.ts';
import { flatHeaders } from '../core/body.ts';
import { networkError } from '../core/network.ts';
import { backoff, retryAfter } from '../core/retry.ts';
import { sleep } from '../core/sleep.ts';

export interface DeliverOptions {
  readonly dispatcher: Dispatcher;
  /** Maximum number of attempts (default: 6). With six attempts and no `Retry-After`, the pauses total at most 31 seconds. */
  readonly attempts?: number | undefined;
  /** Maximum duration of one attempt, including the response, in milliseconds (default: 30,000). */
  readonly timeout?: number | undefined;
  /** Cancels the delivery immediately. */
  readonly signal?: AbortSignal | undefined;
  /** When this signal is aborted, the attempt in progress becomes the last attempt. */
  readonly lastAttempt?: AbortSignal | undefined;
  readonly random?: (() => number) | undefined;
}

export interface DeliveryResult {
  /** Whether the target responded with 2xx. */
  readonly ok: boolean;
  readonly attempts: number;
  /** HTTP status of the last attempt, or the reason why the last attempt got no response. */
  readonly last: number | string;
}

/** In seconds. A longer `Retry-After` is shortened to this value. */
const MAX_RETRY_AFTER = 60;
/** Statuses below 500 that are retried. */
const TRANSIENT = new Set([408, 425, 429]);

/**
 * Posts a delivery. Retries after network errors, 408, 425, 429 and 5xx, with increasing pauses. Does not retry after other
 * responses, and does not follow redirects.
 */
export async function deliver(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  options: DeliverOptions,
): Promise<DeliveryResult> {
  const { attempts: most = 6, random = Math.random, signal, lastAttempt } = options;
  for (let attempts = 1; ; attempts++) {
    const { last, wait } = await attempt(url, body, headers, options);
    if (typeof last === 'number' && last >= 200 && last < 300) return { ok: true, attempts, last };
    const isTransient = typeof last === 'string' || last >= 500 || TRANSIENT.has(last);
    const failed = { ok: false, attempts, last };
    if (!isTransient || attempts >= most || lastAttempt?.aborted) return failed;
    const asked = Math.min(wait ?? 0, MAX_RETRY_AFTER) * 1000;
    await sleep(Math.max(asked, backoff(attempts, random)), anyOf(signal, lastAttempt)).catch(() =>
      signal?.throwIfAborted(),
    );
    if (lastAttempt?.aborted) return failed;
  }
}

async function attempt(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  { dispatcher, timeout = 30_000, signal }: DeliverOptions,
): Promise<{ last: number | string; wait?: number | undefined }> {
  const late = AbortSignal.timeout(timeout);
  try {
    const { origin, pathname, search } = new URL(url);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { ...headers },
      body,
      signal: anyOf(signal, late),
    });
    // Read short responses to the end, so that the connection can be reused.
    await answer.body.dump({ limit: 128 * 1024 });
    return { last: answer.statusCode, wait: retryAfter(flatHeaders(answer.headers), Date.now()) };
  } catch (error) {
    signal?.throwIfAborted();
    const why = networkError(error, new URL(url).origin).message;
    return { last: late.aborted ? `no response within ${timeout / 1000} s` : why };
  }
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Checks the address to which deliveries are sent. The address may contain a query. See `parseUrl`. */
export function parseForwardTarget(text: string): string {
  const url = parseUrl(text, '--forward-to');
  url.hash = '';
  return url.href;
}
