import { type Dispatcher, request } from 'undici';
import { isLoopback } from '../core/address.ts';
import { backoff, retryAfter } from '../core/backoff.ts';
import { usageError } from '../core/errors.ts';
import { networkError } from '../core/network.ts';
import { sleep } from '../core/sleep.ts';

export interface DeliverOptions {
  readonly dispatcher: Dispatcher;
  /** How often it is tried at most; 6 where not given, which takes half a minute or so. */
  readonly attempts?: number | undefined;
  /** Milliseconds for one attempt, its answer included; 30,000 where not given. */
  readonly timeout?: number | undefined;
  /** Calls it off at once. */
  readonly signal?: AbortSignal | undefined;
  /** Where it is aborted, the attempt that is under way is the last. */
  readonly hurry?: AbortSignal | undefined;
  readonly random?: (() => number) | undefined;
}

/** What became of a delivery that was passed on. */
export interface Delivered {
  /** Whether it was answered with 2xx. */
  readonly ok: boolean;
  readonly attempts: number;
  /** HTTP status of the last answer, or why there was none. */
  readonly last: number | string;
}

export const ATTEMPTS = 6;
/** Seconds; whoever asks for more is tried again sooner. */
const LONGEST_ASKED = 60;
/** Answers after which the same delivery may well be taken a moment later; 5xx beside them. */
const TRANSIENT = new Set([408, 425, 429]);

/**
 * Sends a delivery to an address: these bytes, with these headers. What fails for the moment (no connection, 408, 425, 429,
 * 5xx) is tried again with growing pauses; other answers are final. Redirects are not followed.
 */
export async function deliver(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  options: DeliverOptions,
): Promise<Delivered> {
  const { attempts = ATTEMPTS, random = Math.random, signal, hurry } = options;
  for (let attempt = 1; ; attempt++) {
    const { last, wait } = await attemptOnce(url, body, headers, options);
    if (typeof last === 'number' && last >= 200 && last < 300) return { ok: true, attempts: attempt, last };
    const transient = typeof last === 'string' || last >= 500 || TRANSIENT.has(last);
    if (!transient || attempt >= attempts || hurry?.aborted) return { ok: false, attempts: attempt, last };
    const asked = Math.min(wait ?? 0, LONGEST_ASKED) * 1000;
    const pause = sleep(Math.max(asked, backoff(attempt, random)), either(signal, hurry));
    await pause.catch(() => signal?.throwIfAborted());
    if (hurry?.aborted) return { ok: false, attempts: attempt, last };
  }
}

async function attemptOnce(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  { dispatcher, timeout = 30_000, signal }: DeliverOptions,
): Promise<{ last: number | string; wait?: number | undefined }> {
  const late = AbortSignal.timeout(timeout);
  try {
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { ...headers },
      body,
      signal: either(signal, late) ?? late,
    });
    // What it says is nothing to us; a short answer is read, so that the connection can be used again.
    await answer.body.dump({ limit: 128 * 1024 });
    return { last: answer.statusCode, wait: retryAfter(single(answer.headers), Date.now()) };
  } catch (error) {
    signal?.throwIfAborted();
    return { last: late.aborted ? `no answer within ${timeout / 1000} s` : told(error, url) };
  }
}

function told(error: unknown, url: string): string {
  return networkError(error, new URL(url).origin).message;
}

function single(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}

function either(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** The headers of a delivery that go with it: what its body is, and what it was signed with. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string>>,
  signatureHeader?: string,
): Record<string, string> {
  const names = ['content-type', ...(signatureHeader === undefined ? [] : [signatureHeader.toLowerCase()])];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

/**
 * An address that deliveries are sent to: `https`, or `http` to this machine. A query may be in it.
 *
 * @param what the flag that holds it, for the message
 * @throws usage error
 */
export function parseTarget(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${what} is not an address: ${JSON.stringify(text)}`,
      'Write it whole, as in http://localhost:3000/webhooks',
      'BAD_ADDRESS',
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usageError(
      `${what} must be an https:// address: ${url.origin}`,
      'Plain http:// is taken only for this machine itself (127.0.0.1, localhost): what users own must not cross a network in the clear.',
      'INSECURE_ADDRESS',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(`${what} must hold no user name and no password`, undefined, 'BAD_ADDRESS');
  }
  url.hash = '';
  return url.href;
}

/** An address without its query, which may hold what grants something: for people. */
export function shownTarget(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
