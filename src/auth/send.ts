import { allowInsecureRequests, customFetch, type HttpRequestOptions } from 'oauth4webapi';
import type { Dispatcher } from 'undici';
import { BodyTooLarge, collect, discard, flatHeaders, join, readableText, unpack } from '../core/body.ts';
import {
  CryptodataError,
  createError,
  kindOfStatus,
  messageOf,
  RateLimitError,
  systemCode,
  UpstreamError,
} from '../core/errors.ts';
import { isRecord, NestedTooDeeplyError, parseJson } from '../core/json.ts';
import { interrupted, networkError, unlessAborted } from '../core/network.ts';
import { backoff, retry, retryAfter, TRANSIENT_STATUS } from '../core/retry.ts';
import { sleep } from '../core/sleep.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { explainOidcError } from './oidc-errors.ts';

export interface AuthRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Whether Ctrl-C cancels the request. Ctrl-C does not cancel a refresh, because the new refresh token must be stored. */
  readonly interruptible: boolean;
  /** Called with a successful response as soon as the response is complete. */
  readonly received?: ((response: AuthResponse) => void) | undefined;
}

export interface AuthResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Maximum size of a response in bytes. Authorization servers send far less. */
const MAX_BYTES = 1024 * 1024;
/** Maximum wait before a retry, in milliseconds. If the server requires a longer wait, the request fails. */
const MAX_WAIT = 20_000;
/** Maximum time for a complete response, in milliseconds. Prevents a very slow server from blocking the command. */
const RESPONSE_TIMEOUT = 120_000;
const ATTEMPTS = 4;
const CONNECTION_ATTEMPTS = 3;

interface Attempt {
  readonly response?: AuthResponse;
  /** The wait before a retry that the response asks for, in milliseconds. */
  readonly wait?: number | undefined;
  /** The network error, if the server refused the connection. */
  readonly refused?: unknown;
}

/**
 * Sends a request to the authorization server. Returns successful responses, and error responses other than 429. Does not
 * follow redirects. Retries any request after a refused connection or a 429, because the server did not process the
 * request. Also retries a GET that failed with 5xx.
 *
 * @throws CryptodataError of kind `network`, `rateLimited`, `service` or `interrupted`
 */
export async function send(host: AuthHost, wanted: AuthRequest): Promise<AuthResponse> {
  const { response, wait, refused } = await retry<Attempt>(
    () => attemptOnce(host, wanted),
    (attempt, number) => {
      if (attempt.response === undefined) return number < CONNECTION_ATTEMPTS ? backoff(number) : undefined;
      const { status } = attempt.response;
      const transient = status === 429 || (wanted.method === 'GET' && TRANSIENT_STATUS.has(status));
      if (!transient || number >= ATTEMPTS || (attempt.wait ?? 0) > MAX_WAIT) return undefined;
      return attempt.wait ?? backoff(number);
    },
    (milliseconds) => unlessAborted(sleep(milliseconds, host.signal), host.signal),
  );
  if (response === undefined) throw networkError(refused, new URL(wanted.url).origin);
  if (response.status === 429) throw rateLimited(host, wait, response.text);
  return response;
}

async function attemptOnce(host: AuthHost, wanted: AuthRequest): Promise<Attempt> {
  const { method, url } = wanted;
  const started = host.now();
  try {
    const { headers, ...response } = await exchange(host, wanted);
    host.debug?.(`${method} ${url} ${response.status} ${host.now() - started} ms`);
    const wait = retryAfter(headers, host.now());
    return { response, wait: wait === undefined ? undefined : wait * 1000 };
  } catch (error) {
    if (error instanceof CryptodataError) throw error;
    if (wanted.interruptible && host.signal.aborted) throw interrupted(host.signal);
    host.debug?.(`${method} ${url} failed: ${systemCode(error) ?? messageOf(error)}`);
    if (systemCode(error) === 'ECONNREFUSED') return { refused: error };
    throw networkError(error, new URL(url).origin);
  }
}

async function exchange(
  host: AuthHost,
  wanted: AuthRequest,
): Promise<AuthResponse & { readonly headers: Record<string, string> }> {
  const { method, url, body } = wanted;
  const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT);
  const { origin, pathname, search } = new URL(url);
  const answer = await host.dispatcher.request({
    origin,
    path: pathname + search,
    method,
    headers: wanted.headers,
    ...(body === undefined ? {} : { body }),
    signal: wanted.interruptible ? AbortSignal.any([host.signal, timeout]) : timeout,
  });
  const { statusCode: status } = answer;
  const headers = flatHeaders(answer.headers);
  const succeeded = status >= 200 && status < 300;
  const text = await readText(url, answer, headers['content-encoding']).catch((error: unknown) => {
    discard(answer.body);
    if (succeeded || (wanted.interruptible && host.signal.aborted)) throw error;
    // The status of a failed request is used without its body, if the body cannot be read.
    return '';
  });
  const response: AuthResponse = { status, contentType: headers['content-type'] ?? '', text };
  if (succeeded) wanted.received?.(response);
  if (status >= 300 && status < 400) {
    throw new UpstreamError('REDIRECTED', `${url} responded with a redirect (${status})`, {
      status,
      hint: 'Check auth_url: secrets are not forwarded to another address.',
    });
  }
  return { ...response, headers };
}

async function readText(
  url: string,
  { body, statusCode: status }: Dispatcher.ResponseData,
  encoding: string | undefined,
): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    await collect(body, MAX_BYTES, parts);
    return readableText(join(await unpack(parts, encoding, MAX_BYTES)));
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      throw new UpstreamError('ANSWER_TOO_LARGE', `The response from ${url} exceeds 1 MiB`, {
        status,
        hint: 'Check auth_url: this response is not from an authorization server.',
      });
    }
    if (!body.readableEnded) throw error;
    // The body is complete, so the network did not fail.
    throw new UpstreamError('BAD_ANSWER', `Cannot decode the response from ${url}: ${messageOf(error)}`, {
      status,
      hint: LATER,
    });
  }
}

/** The hint for a response that no working authorization server sends. */
export const LATER =
  'Try again later. If the error remains, show the addresses with: cryptodata config list.';

/** Whether a status means that the server failed. Any other status means that the server answered the request. */
function isOutage(status: number): boolean {
  return status >= 400 && kindOfStatus(status) === 'service';
}

/** The error for a response that cannot be used, and that contains no OAuth error. */
export function unusableResponse(
  code: string,
  url: string,
  { status, contentType, text }: AuthResponse,
): CryptodataError {
  if (isOutage(status)) {
    const message = `The authorization server failed: ${url} responded with HTTP ${status}`;
    return new UpstreamError(code, message, { status, hint: 'Try again later.' });
  }
  const isHtml = /^text\/html\b/i.test(contentType) || text.trimStart().startsWith('<');
  const what = isHtml ? 'an HTML page' : 'an unexpected response';
  const why = isHtml ? 'The server may be under maintenance, or a proxy may have responded. ' : '';
  return createError(kindOfStatus(status), code, `${url} returned ${what} (HTTP ${status})`, {
    status,
    hint: `${why}${LATER}`,
  });
}

/**
 * Parses the body of a response. Returns undefined if the body is not JSON.
 *
 * @throws CryptodataError `NESTED_TOO_DEEPLY`, because tokens in such a body could not be redacted
 */
export function parseBody(url: string, { status, text }: Pick<AuthResponse, 'status' | 'text'>): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof NestedTooDeeplyError)) return undefined;
    throw new UpstreamError('NESTED_TOO_DEEPLY', `Cannot read the response from ${url}: ${error.message}`, {
      status,
      hint: 'Check auth_url: cryptodata config list.',
    });
  }
}

function rateLimited(host: AuthHost, wait: number | undefined, text: string): CryptodataError {
  const when = wait === undefined ? undefined : new Date(host.now() + wait).toISOString();
  return new RateLimitError('RATE_LIMITED', 'Too many requests to the authorization server', {
    status: 429,
    hint:
      wait === undefined ? 'Try again in a minute.' : `Try again in ${Math.ceil(wait / 1000)} s, at ${when}.`,
    details: { retryAfterSeconds: wait === undefined ? null : wait / 1000, body: text.slice(0, 500) },
  });
}

/**
 * Options that make oauth4webapi send forms with {@link send}, which adds limits, retries and error messages.
 *
 * @param convert converts a response for oauth4webapi
 */
export function formOptions(
  host: AuthHost,
  how: Pick<AuthRequest, 'interruptible' | 'received'>,
  convert = toOauthResponse,
): HttpRequestOptions<'POST', URLSearchParams> {
  return {
    // Plain http is safe for this request, because `parseAddress` accepts http addresses only for this machine.
    [allowInsecureRequests]: true,
    [customFetch]: async (url, { method, headers, body }) =>
      convert(host, url, await send(host, { method, url, headers, body: body.toString(), ...how })),
  };
}

/** Converts a response for oauth4webapi. @throws CryptodataError if the body contains an OAuth error */
function toOauthResponse(host: AuthHost, url: string, response: AuthResponse): Response {
  const { status, contentType, text } = response;
  oauthBody(host, url, response);
  const empty = status === 204 || status === 205;
  // The class Response accepts no status above 599.
  return new Response(empty ? null : text, {
    status: Math.min(status, 599),
    headers: { 'content-type': contentType },
  });
}

/**
 * Parses a response, and passes its tokens to the redactor. Returns undefined if the body is not JSON.
 *
 * @throws CryptodataError if the status is 401, or if the body contains an OAuth error, even with status 200. The specification
 *   does not define the HTTP status of error responses, but oauth4webapi reads errors only from 4xx responses without
 *   `WWW-Authenticate`.
 */
export function oauthBody(host: AuthHost, url: string, response: AuthResponse): unknown {
  const json = parseBody(url, response);
  host.redactor?.concealMembers(json);
  const error =
    isRecord(json) && json['access_token'] && response.status < 400
      ? undefined
      : oauthError(host, response.status, json);
  if (error) throw error;
  // According to RFC 6749, 5.2, only a client that is not authenticated gets a 401.
  if (response.status === 401) {
    throw explainOidcError({ error: 'invalid_client', status: 401, login: loginCommand(host) });
  }
  return json;
}

/** Returns the OAuth error in the body of a response; undefined if the body contains none. */
export function oauthError(host: AuthHost, status: number, json: unknown): CryptodataError | undefined {
  if (!isRecord(json)) return undefined;
  const { error, error_description: description } = json;
  if (typeof error !== 'string' || error === '') return undefined;
  const errorDescription = typeof description === 'string' ? description : undefined;
  const explained = explainOidcError({ error, errorDescription, status, login: loginCommand(host) });
  // A response with 5xx is a failure of the server, whatever code its body contains.
  return isOutage(status) && explained.kind !== 'service' ? undefined : explained;
}
