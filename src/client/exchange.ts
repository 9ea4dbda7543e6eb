import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyTooLarge, collect, decodeText, join, readableText, unpack } from '../core/body.ts';
import { CryptodataError, messageOf, type ServiceError, systemCode, UpstreamError } from '../core/errors.ts';
import { NestedTooDeeplyError, parseJson } from '../core/json.ts';
import { interrupted, networkError } from '../core/network.ts';
import { retryAfter } from '../core/retry.ts';
import { serviceErrorOf } from './errors.ts';
import type { Sender } from './fetch.ts';
import type { Exchanged } from './request.ts';
import { looksLikeHtml, visible } from './text.ts';

/** One complete request. */
export interface Outgoing {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface ExchangeLimits {
  readonly maxBodyBytes: number;
  /** Milliseconds to wait for the headers or the next chunk of the body (default: the dispatcher's timeouts). */
  readonly idleTimeout: number | undefined;
  readonly now: () => number;
  readonly as?: 'json' | 'bytes' | undefined;
  /** Whether the program passed its own connections. */
  readonly givenConnections?: boolean | undefined;
}

/**
 * Sends a request without retries, and reads the complete response.
 *
 * @throws ServiceError if the status is not 2xx, or if the response cannot be read
 * @throws CryptodataError of kind `network` if there is no response
 * @throws InterruptedError if the signal is aborted
 */
export async function exchange(
  dispatcher: Sender,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  const { idleTimeout } = limits;
  let answer: Dispatcher.ResponseData;
  try {
    answer = await dispatcher.request({
      method: out.method,
      origin: out.origin,
      path: out.target,
      headers: { ...out.headers },
      body: typeof out.body === 'object' ? Readable.from(out.body) : (out.body ?? null),
      signal: out.signal ?? null,
      ...(idleTimeout === undefined ? {} : { headersTimeout: idleTimeout, bodyTimeout: idleTimeout }),
    });
  } catch (error) {
    if (error instanceof CryptodataError) throw error;
    // The request was invalid. This is a bug, not a network error.
    if (systemCode(error) === 'UND_ERR_INVALID_ARG') throw error;
    throw out.signal?.aborted
      ? interrupted(out.signal)
      : networkError(error, out.origin, limits.givenConnections);
  }
  const headers = flatten(answer.headers);
  const status = answer.statusCode;
  if (status >= 300 && status < 400) {
    answer.body.on('error', () => {}).destroy();
    throw redirected(status, headers['location'], out);
  }
  if (status < 200 || status >= 300) throw await failed(answer, headers, out, limits);
  const parts = await readParts(answer, headers, out, limits);
  // Parse before the next `await`. During an `await`, another response may overwrite the shared buffer.
  const bytes = join(parts);
  // Reject invalid UTF-8, because replacement characters would alter the data.
  if (!isUtf8(bytes)) throw damaged(new TypeError(notText(headers)), bytes, status, out);
  const body = limits.as === 'bytes' ? parts : parsed(decodeText(bytes), headers, status, out);
  return { status, headers, body };
}

function notText(headers: Readonly<Record<string, string>>): string {
  const encoding = headers['content-encoding'];
  return `the text is not UTF-8${encoding ? ` (content-encoding: ${visible(encoding, 60)})` : ''}`;
}

/** Returns the error of a response whose status is not 2xx. The status counts, even if the body cannot be read. */
async function failed(
  answer: Dispatcher.ResponseData,
  headers: Readonly<Record<string, string>>,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<CryptodataError> {
  const { statusCode: status } = answer;
  const parts: Uint8Array[] = [];
  let text: string | undefined;
  try {
    await collect(answer.body, limits.maxBodyBytes, parts);
    text = readableText(join(await unpack(parts, headers['content-encoding'], limits.maxBodyBytes)));
  } catch {
    answer.body.on('error', () => {}).destroy();
    if (out.signal?.aborted) return interrupted(out.signal);
    // The beginning of a body that is cut short may contain the reason.
    if (headers['content-encoding'] === undefined) text = readableText(join(parts));
  }
  const retry = retryAfter(headers, limits.now());
  return serviceErrorOf({
    status,
    headers,
    body: tryJson(text),
    text,
    request: named(out),
    retryAfter: retry,
  });
}

async function readParts(
  answer: Dispatcher.ResponseData,
  headers: Readonly<Record<string, string>>,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<readonly Uint8Array[]> {
  const limit = limits.maxBodyBytes;
  const parts: Uint8Array[] = [];
  try {
    if (Number(headers['content-length'] ?? 0) > limit && out.method !== 'HEAD')
      throw new BodyTooLarge(String(limit));
    await collect(answer.body, limit, parts);
    return await unpack(parts, headers['content-encoding'], limit);
  } catch (error) {
    answer.body.on('error', () => {}).destroy();
    if (error instanceof BodyTooLarge) throw tooLarge(limit);
    if (out.signal?.aborted) throw interrupted(out.signal);
    const network = networkError(error, out.origin, limits.givenConnections);
    if (network.code === 'TIMED_OUT') throw network;
    throw damaged(error, Buffer.concat(parts), answer.statusCode, out);
  }
}

function tooLarge(limit: number): ServiceError {
  return new UpstreamError(
    'ANSWER_TOO_LARGE',
    `The response is larger than ${limit} bytes and was not read completely`,
    { hint: 'Request fewer rows per page, with a smaller "limit".' },
  );
}

function damaged(error: unknown, came: Buffer, status: number, out: Outgoing): ServiceError {
  const what = `The response is incomplete or damaged: ${messageOf(error)}`;
  return badAnswer(what, came.subarray(0, 400).toString('latin1'), status, out, error);
}

function parsed(
  text: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  out: Outgoing,
): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NestedTooDeeplyError) throw tooDeep(status, out, error);
    if (!looksLikeHtml(text, headers['content-type'])) {
      throw badAnswer('The response is incomplete or is not valid JSON', text, status, out, error);
    }
    const { reason } = serviceErrorOf({ status: 502, headers, body: undefined, text, request: named(out) });
    throw badAnswer(reason, text, status, out, error);
  }
}

function tryJson(text: string | undefined): unknown {
  try {
    return text && parseJson(text);
  } catch {
    return undefined;
  }
}

function badAnswer(what: string, came: string, status: number, out: Outgoing, cause: unknown): ServiceError {
  const body = came === '' ? undefined : came;
  const start = visible(came.trimStart(), 200);
  const shown = start === '' ? '' : `; it starts: ${start}`;
  return new UpstreamError('BAD_ANSWER', `${what} (${named(out)} answered ${status})${shown}`, {
    status,
    cause,
    body,
    hint: 'Another server, such as a proxy, may have responded. Check the address and the proxy settings.',
  });
}

function tooDeep(status: number, out: Outgoing, cause: NestedTooDeeplyError): ServiceError {
  const message = `Cannot read the response to ${named(out)}: ${cause.message}`;
  return new UpstreamError('NESTED_TOO_DEEPLY', message, { status, cause });
}

function redirected(status: number, location: string | undefined, out: Outgoing): ServiceError {
  if (location === undefined) {
    const message = `${named(out)} answered ${status}, which is neither a result nor an error`;
    return new UpstreamError('REDIRECTED', message, { status });
  }
  let where = 'another address';
  try {
    where = new URL(location, out.origin).origin;
  } catch {
    // the Location header is invalid
  }
  return new UpstreamError(
    'REDIRECTED',
    `${named(out)} answered ${status} and redirected to ${visible(where)}`,
    {
      status,
      hint: 'Redirects are not followed, because credentials are sent only to configured addresses. If the service has moved, configure its new address.',
    },
  );
}

/** Returns the method and the path of a request, without the query, for use in messages: `GET /v1/ledgers`. */
function named(out: Outgoing): string {
  return `${out.method} ${visible(out.target.split('?')[0] ?? '', 200)}`;
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
