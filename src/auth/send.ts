import { type Dispatcher, request } from 'undici';
import { CryptodataError, messageOf, systemCode } from '../core/errors.ts';
import { NestedTooDeeplyError, parseJson } from '../core/json.ts';
import { interrupted, networkError } from '../core/network.ts';
import { sleep } from '../core/sleep.ts';
import type { AuthHost } from './host.ts';

export interface SendRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /**
   * Whether Ctrl-C ends it. Not where the answer carries what cannot be had twice: a refresh that the service
   * has done must be stored, or the session is lost.
   */
  readonly interruptible: boolean;
  /** Given a successful answer as soon as it is whole, before anything else happens. */
  readonly received?: ((answer: Answer) => void) | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** More than any answer of an authorization server; less than what would hurt. */
const MOST_BYTES = 1024 * 1024;
const LONGEST_WAIT = 20_000;
/** Milliseconds for one whole answer: a server that sends a byte now and then is not waited for endlessly. */
const LONGEST_ANSWER = 120_000;
const ATTEMPTS = 4;
const TRANSIENT: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/**
 * Sends one request to the authorization server and reads the whole answer, whatever its status. Follows no
 * redirect. Repeats what the service cannot have acted on (a connection that was refused, a 429), and a GET that it
 * failed to answer.
 *
 * @throws CryptodataError of kind `network`, `rateLimited`, `service` or `interrupted`
 */
export async function send(host: AuthHost, wanted: SendRequest): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const began = host.now();
    let answer: Answer & { readonly retryAfter: number | undefined };
    try {
      answer = await once(host, wanted);
    } catch (error) {
      if (error instanceof CryptodataError) throw error;
      if (wanted.interruptible && host.signal.aborted) throw interrupted(host.signal);
      host.debug?.(`${wanted.method} ${wanted.url} failed: ${systemCode(error) ?? messageOf(error)}`);
      if (systemCode(error) !== 'ECONNREFUSED' || attempt >= 3)
        throw networkError(error, new URL(wanted.url).origin);
      await pause(host, 200 * attempt);
      continue;
    }
    host.debug?.(`${wanted.method} ${wanted.url} ${answer.status} ${host.now() - began} ms`);
    const failing = wanted.method === 'GET' && TRANSIENT.has(answer.status) && attempt < ATTEMPTS;
    if (answer.status !== 429 && !failing) return answer;
    const wait = answer.retryAfter ?? (failing ? 250 : 1000) * 2 ** (attempt - 1);
    if (failing && wait > LONGEST_WAIT) return answer;
    if (!failing && (wait > LONGEST_WAIT || attempt >= ATTEMPTS)) throw rateLimited(host, wait, answer.text);
    await pause(host, wait);
  }
}

async function once(
  host: AuthHost,
  wanted: SendRequest,
): Promise<Answer & { retryAfter: number | undefined }> {
  const { method, url, headers, body } = wanted;
  const late = AbortSignal.timeout(LONGEST_ANSWER);
  const response = await request(url, {
    dispatcher: host.dispatcher,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: wanted.interruptible ? AbortSignal.any([host.signal, late]) : late,
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) {
      throw new CryptodataError('service', 'ANSWER_TOO_LARGE', `${url} answered with more than 1 MiB`, {
        status: response.statusCode,
        hint: 'Check auth_url: this is not what an authorization server answers.',
      });
    }
    parts.push(chunk);
  }
  const { statusCode: status } = response;
  const answer: Answer = {
    status,
    contentType: first(response.headers['content-type']) ?? '',
    text: Buffer.concat(parts).toString('utf8'),
  };
  if (status >= 200 && status < 300) wanted.received?.(answer);
  if (status >= 300 && status < 400) {
    throw new CryptodataError('service', 'REDIRECTED', `${url} answered with a redirect (${status})`, {
      status,
      hint: 'Check auth_url: secrets are not sent on to another address.',
    });
  }
  return { ...answer, retryAfter: retryAfter(response.headers, host.now()) };
}

/**
 * The JSON of an answer; undefined where it is not JSON.
 *
 * @throws CryptodataError `NESTED_TOO_DEEPLY`: its tokens could not be found and redacted
 */
export function parseAnswer(url: string, { status, text }: Pick<Answer, 'status' | 'text'>): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof NestedTooDeeplyError)) return undefined;
    throw new CryptodataError(
      'service',
      'NESTED_TOO_DEEPLY',
      `Cannot read the response of ${url}: ${error.message}`,
      { status, hint: 'Check auth_url: cryptodata config list.' },
    );
  }
}

/** Milliseconds. The specification writes `retry_after`; HTTP's own name is `Retry-After`: seconds, or a date. */
function retryAfter(headers: Dispatcher.ResponseData['headers'], now: number): number | undefined {
  const text = first(headers['retry_after'] ?? headers['retry-after'])?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

async function pause(host: AuthHost, milliseconds: number): Promise<void> {
  await sleep(milliseconds, host.signal).catch(() => {
    throw interrupted(host.signal);
  });
}

function rateLimited(host: AuthHost, wait: number, text: string): CryptodataError {
  const when = new Date(host.now() + wait).toISOString();
  return new CryptodataError(
    'rateLimited',
    'RATE_LIMITED',
    'The authorization server refused: too many requests',
    {
      status: 429,
      hint: `Try again in ${Math.ceil(wait / 1000)} s, at ${when}.`,
      details: { retryAfterSeconds: wait / 1000, body: text.slice(0, 500) },
    },
  );
}
