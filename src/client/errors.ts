import { cataloguedError } from '../api/errors.ts';
import { CryptodataError, type ErrorKind, type ErrorParts } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { hintFor } from './hints.ts';
import { htmlTitle, looksLikeHtml, visible } from './text.ts';

export interface ServiceErrorParts extends ErrorParts {
  /** The message of the service. */
  readonly reason?: string | undefined;
  /** Seconds to wait, as requested by the service. */
  readonly retryAfter?: number | undefined;
  /** The service's id of this request, if it sends one. */
  readonly requestId?: string | undefined;
  /** The body: parsed, or as text if it is not JSON. */
  readonly body?: unknown;
}

/**
 * A response that is an error or cannot be read. `code` is the service's own code
 * (`NOT_FOUND`, `insufficient_scope`, …), `HTTP_nnn` if it has none, or a code of this client:
 * `BAD_ANSWER`, `BAD_ENVELOPE`, `BAD_RECORD`, `BAD_PAGING`, `ANSWER_TOO_LARGE`, `NESTED_TOO_DEEPLY`, `REDIRECTED`.
 */
export class ServiceError extends CryptodataError {
  override readonly name: string = 'ServiceError';
  readonly reason: string;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly body: unknown;

  constructor(kind: ErrorKind, code: string, message: string, parts: ServiceErrorParts = {}) {
    super(kind, code, message, parts);
    this.reason = parts.reason ?? message;
    this.retryAfter = parts.retryAfter;
    this.requestId = parts.requestId;
    this.body = parts.body;
  }

  /** The same error with another hint and more details. Details from the service are kept. */
  explained({ hint, details }: Pick<ErrorParts, 'hint' | 'details'>): ServiceError {
    const { kind, code, message, status, cause, reason, retryAfter, requestId, body } = this;
    return new ServiceError(kind, code, message, {
      status,
      cause,
      reason,
      retryAfter,
      requestId,
      body,
      hint: hint ?? this.hint,
      details: this.details ?? details,
    });
  }
}

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
  return new ServiceError(kind, code, `${reason} (${answer.request} answered ${status})`, {
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
function kindOf(status: number, code: string): ErrorKind {
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
  // Next to a code, `error` is the message. Alone, it is the code if it looks like one.
  const code = [given, error].find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
  const sentence = given !== undefined && error !== code ? (error ?? description) : (description ?? error);
  return { code, reason: withPlaces(sentence === code ? undefined : sentence, body['details']) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Adds the field of each problem: wrapped bodies list them in `details.issues`, legacy bodies in `details`. */
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
