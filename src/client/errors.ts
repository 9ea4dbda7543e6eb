import { cataloguedError } from '../api/errors.ts';
import { createError, type ServiceError, type ServiceErrorKind } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { hintFor } from './hints.ts';
import { htmlTitle, looksLikeHtml, visible } from './text.ts';

/** The parts of a response that explain an error. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined if it is empty or not JSON. */
  readonly body: unknown;
  readonly text: string;
  /** `GET /v1/ledgers`, for the message. */
  readonly request: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Converts any error body in "Errors" of the specification to a {@link ServiceError}. */
export function errorOf(answer: FailedAnswer): ServiceError {
  const { status, headers, retryAfter } = answer;
  const said = readErrorBody(answer.body) ?? { reason: unreadable(answer) };
  const code = said.code ?? `HTTP_${status}`;
  const kind = kindOf(status, code);
  const reason = visible(said.reason ?? code);
  return createError(kind, code, `${reason} (${answer.request} answered ${status})`, {
    status,
    reason,
    retryAfter,
    requestId: headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'],
    details: said.details,
    body: answer.body ?? answer.text,
    hint: hintFor(kind, code, reason, retryAfter),
  });
}

/** The error kind for a status; for a 2xx, the kind for the error code. */
function kindOf(status: number, code: string): ServiceErrorKind {
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'notFound';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rateLimited';
  if (status >= 400 && status < 500) return 'rejected';
  return status < 300 ? (cataloguedError(code)?.kind ?? 'service') : 'service';
}

const NO_REASON = 'The service gave no reason';

interface Said {
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: unknown;
}

/**
 * Reads every documented body: `{error, error_description}` (authentication, OIDC), `{success, error, code,
 * details}` (wrapped), `{error: {code, message}}` (nested), `{error, message, details}` (legacy), and
 * similar bodies.
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
  // The code is `code`, or else `error`, if the text looks like a code. If the body has `code`, an `error` that is not used as
  // the code is the message.
  const code = [given, error].find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
  const sentence = given !== undefined && error !== code ? (error ?? description) : (description ?? error);
  return { code, reason: withPlaces(sentence === code ? undefined : sentence, body['details']) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Adds the path of each invalid field. Wrapped bodies list the problems in `details.issues`, legacy bodies in `details`. */
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
  if (looksLikeHtml(answer.text, answer.headers['content-type'])) {
    const title = htmlTitle(answer.text);
    return `The response is an HTML page${title ? ` (“${title}”)` : ''}, perhaps from a proxy`;
  }
  const start = visible(answer.text.trim(), 200);
  return start === '' ? NO_REASON : start;
}
