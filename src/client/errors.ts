import { cataloguedError } from '../api/errors.ts';
import { createError, kindOfStatus, type ServiceError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { requestIdOf } from './call-promise.ts';
import { hintFor } from './hints.ts';
import { htmlTitle, looksLikeHtml, visible } from './text.ts';

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined if the body is empty or not JSON. */
  readonly body: unknown;
  /** Undefined if the body cannot be read. */
  readonly text: string | undefined;
  /** Names the request in the message: `GET /v1/ledgers`. */
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
 * Reads an error body. Also accepts formats that are similar to these documented formats:
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
  // The code is in `code` or in `error`. The first of these values that looks like a code is used. If the body has `code`,
  // and `error` is not the code that was used, the message is read from `error`.
  const code = [given, error].find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
  const sentence = given !== undefined && error !== code ? (error ?? description) : (description ?? error);
  return { code, reason: withPlaces(sentence === code ? undefined : sentence, body['details']) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Appends the invalid fields to the message. The fields are in `details.issues` (wrapped body) or `details` (legacy body). */
function withPlaces(sentence: string | undefined, details: unknown): string | undefined {
  const issues = isRecord(details) ? details['issues'] : details;
  if (!Array.isArray(issues)) return sentence;
  const places = issues.flatMap((issue: unknown) => place(issue) ?? []);
  if (places.length === 0) return sentence;
  const more = places.length > 5 ? `; and ${places.length - 5} more` : '';
  return `${sentence === undefined ? '' : `${sentence}: `}${places.slice(0, 5).join('; ')}${more}`;
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
