import { cataloguedError } from '../api/errors.ts';
import { needsRegistration, REGISTER, scopesIn } from '../api/scopes.ts';
import {
  createError,
  type ErrorKind,
  kindOfStatus,
  messageOf,
  type ServiceError,
  UpstreamError,
} from '../core/errors.ts';
import { isRecord, type JsonRecord, type NestedTooDeeplyError } from '../core/json.ts';
import { someOf } from '../core/text.ts';
import { requestIdOf } from './call-promise.ts';
import type { Outgoing } from './request.ts';
import { htmlTitle, looksLikeHtml, visible } from './text.ts';

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined if the body is empty or not JSON. */
  readonly body: unknown;
  /** The body as text; undefined if the body cannot be read. */
  readonly text: string | undefined;
  /** The method and path of the request, for messages, such as `GET /v1/ledgers`. */
  readonly request: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Converts an error response to a {@link ServiceError}. Reads every format in section "Errors" of the specification. */
export function serviceErrorOf(answer: FailedAnswer): ServiceError {
  const { status, headers, retryAfter } = answer;
  const said = readErrorBody(answer.body) ?? { reason: unreadable(answer) };
  const code = said.code ?? `HTTP_${status}`;
  // If the status is 2xx, the error code determines the kind.
  const kind = (status < 300 && cataloguedError(code)?.kind) || kindOfStatus(status);
  const reason = visible(said.reason ?? code);
  return createError(kind, code, `${reason} (${answer.request} answered ${status})`, {
    status,
    reason,
    retryAfter,
    requestId: requestIdOf(headers),
    details: said.details,
    body: answer.body ?? answer.text,
    hint: hintFor(kind, code, reason, retryAfter),
  });
}

const NO_REASON = 'The service gave no reason';

interface Said {
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: unknown;
}

/**
 * Reads an error body in one of the following documented formats. Also accepts similar formats.
 *
 * - authentication and OIDC: `{error, error_description}`
 * - wrapped: `{success, error, code, details}`
 * - nested: `{error: {code, message}}`
 * - legacy: `{error, message, details}`
 */
function readErrorBody(body: unknown): Said | undefined {
  if (!isRecord(body)) return undefined;
  const { error } = body;
  if (isRecord(error)) return { ...words(error), details: error['details'] };
  const said = words(body);
  if (said.code === undefined && said.reason === undefined) return { reason: NO_REASON, details: body };
  return { ...said, details: body['details'] };
}

function words(body: JsonRecord): Said {
  const error = text(body['error']);
  const given = text(body['code']);
  const description = text(body['error_description']) ?? text(body['message']);
  // The code is the first of `code` and `error` that looks like a code. If the body has a `code`, but `error` is not the code,
  // `error` contains the message.
  const code = [given, error].find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
  const sentence = given !== undefined && error !== code ? (error ?? description) : (description ?? error);
  return { code, reason: withPlaces(sentence === code ? undefined : sentence, body['details']) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Appends the names of the invalid fields to the message. The names are in `details.issues` (wrapped body) or `details` (legacy
 * body).
 */
function withPlaces(sentence: string | undefined, details: unknown): string | undefined {
  const issues = isRecord(details) ? details['issues'] : details;
  if (!Array.isArray(issues)) return sentence;
  const places = issues.flatMap((issue: unknown) => place(issue) ?? []);
  if (places.length === 0) return sentence;
  return `${sentence === undefined ? '' : `${sentence}: `}${someOf(places, { by: '; ' })}`;
}

function place(issue: unknown): string | undefined {
  if (!isRecord(issue)) return undefined;
  const { path } = issue;
  const where = Array.isArray(path) ? path.map(String).join('.') : text(path);
  const what = text(issue['message']) ?? text(issue['code']);
  return where ? `${where}: ${what ?? 'rejected'}` : what;
}

function unreadable(answer: FailedAnswer): string {
  if (answer.text === undefined) return 'The reason cannot be read';
  if (looksLikeHtml(answer.text, answer.headers['content-type'])) {
    const title = htmlTitle(answer.text);
    return `The response is an HTML page${title ? ` (“${title}”)` : ''}, perhaps from a proxy`;
  }
  const start = visible(answer.text.trim(), 200);
  return start === '' ? NO_REASON : start;
}

export function tooLarge(limit: number): ServiceError {
  return new UpstreamError(
    'ANSWER_TOO_LARGE',
    `The response is larger than ${limit} bytes and was not read completely`,
    { hint: 'Request fewer rows per page, with a smaller "limit".' },
  );
}

/** The error of a 2xx response whose bytes cannot be read. */
export function damaged(error: unknown, came: Buffer, status: number, out: Outgoing): ServiceError {
  const what = `The response is incomplete or damaged: ${messageOf(error)}`;
  return badAnswer(what, came.subarray(0, 400).toString('latin1'), status, out, error);
}

/** The error of a 2xx response that is not JSON. */
export function badAnswer(
  what: string,
  came: string,
  status: number,
  out: Outgoing,
  cause: unknown,
): ServiceError {
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

export function tooDeep(status: number, out: Outgoing, cause: NestedTooDeeplyError): ServiceError {
  const message = `Cannot read the response to ${named(out)}: ${cause.message}`;
  return new UpstreamError('NESTED_TOO_DEEPLY', message, { status, cause });
}

export function redirected(status: number, location: string | undefined, out: Outgoing): ServiceError {
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

/** Returns the method and the path of a request, without the query, for messages. For example, `GET /v1/ledgers`. */
export function named(out: Outgoing): string {
  return `${out.method} ${visible(out.target.split('?')[0] ?? '', 200)}`;
}

export function badEnvelope(wanted: string, body: unknown): ServiceError {
  const came = isRecord(body)
    ? `an object with ${Object.keys(body).slice(0, 20).map(described(body)).join(', ') || 'no fields'}`
    : body === undefined
      ? 'an empty body'
      : Array.isArray(body)
        ? 'an array'
        : visible(String(JSON.stringify(body)), 100);
  return new UpstreamError('BAD_ENVELOPE', `The response does not contain ${wanted}; it is ${came}`, {
    hint: 'To show the response, use `request()`.',
  });
}

function described(body: JsonRecord): (key: string) => string {
  return (key) => {
    const value = body[key];
    const kind = Array.isArray(value) ? 'array' : isRecord(value) ? 'object' : typeof value;
    return `${visible(key, 60)} (${value === null ? 'null' : kind})`;
  };
}

/** Hints for error codes that are not in the specification. */
const BY_KIND: Readonly<{ [K in ErrorKind]?: string | undefined }> = {
  auth: cataloguedError('unauthorized')?.next,
  forbidden: 'To show the workspace and the role of the credentials, use `users.me()`.',
  notFound: 'Check the path, the id and the configured address.',
  conflict: 'Check the existing item, then change the request.',
  rejected: cataloguedError('BAD_REQUEST')?.next,
  service: cataloguedError('INTERNAL_ERROR')?.next,
};

function hintFor(kind: ErrorKind, code: string, reason: string, retryAfter?: number): string | undefined {
  if (code === 'insufficient_scope') return scopeHint(reason);
  if (retryAfter !== undefined)
    return `The service requires a wait of ${durationText(retryAfter)} before the next request.`;
  if (kind === 'rateLimited') return cataloguedError('RATE_LIMIT_EXCEEDED')?.next;
  return cataloguedError(code)?.next ?? BY_KIND[kind];
}

function scopeHint(reason: string): string | undefined {
  const [scope] = scopesIn(reason);
  if (scope === undefined) return cataloguedError('insufficient_scope')?.next;
  const register = needsRegistration(scope) ? ` First register the scope for the client (${REGISTER}).` : '';
  return `The credentials lack the scope ${scope}.${register} Request the scope when you get the token; the member's role must include the scope.`;
}

/** Formats a duration: `0.5 s`, `90 s`, `2 h 5 min`. A duration of two minutes or more is rounded up to full minutes. */
function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
