/**
 * Kinds of errors, by what the caller can do about them. Each kind has a class below. Only `command-line.ts` turns a kind into an
 * exit code.
 *
 * - `usage`: wrong arguments or settings; nothing was sent
 * - `auth`: not logged in, or 401
 * - `forbidden`: 403, a missing scope or the wrong workspace
 * - `notFound`: 404
 * - `conflict`: 409, duplicate or locked period
 * - `rejected`: 400, 413 or 422
 * - `rateLimited`: 429 after retries
 * - `service`: 5xx or an unreadable response, after retries
 * - `partial`: the request succeeded, but some of its items failed
 * - `unverified`: a result that could not be verified
 * - `network`: name lookup, connection, TLS, timeout
 * - `output`: the result could not be written
 * - `interrupted`: Ctrl-C, or the abort signal of a program
 */
export type ErrorKind = keyof typeof CLASSES;

export interface ErrorParts {
  /** How to fix the error, with the command if there is one. */
  readonly hint?: string | undefined;
  /** HTTP status, if the service responded. */
  readonly status?: number | undefined;
  /** Structured details, unchanged from the service. */
  readonly details?: unknown;
  readonly cause?: unknown;
  /** The service's message. */
  readonly reason?: string | undefined;
  /** Seconds to wait, as requested by the service. */
  readonly retryAfter?: number | undefined;
  /** The service's id for this request, if the response has one. */
  readonly requestId?: string | undefined;
  /** The body of the response: parsed, or as text if it is not JSON. */
  readonly body?: unknown;
}

/** The base class of all expected errors. Any other error that reaches `main` is a bug. */
export abstract class CryptodataError extends Error {
  abstract override readonly name: string;
  abstract readonly kind: ErrorKind;
  /** A stable code that scripts may match on; never match on `message`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly details: unknown;

  constructor(code: string, message: string, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.hint = parts.hint;
    this.status = parts.status;
    this.details = parts.details;
  }

  /** A copy of this error with another hint. The given `details` are used only if this error has no details. */
  explained({ hint = this.hint, details }: Pick<ErrorParts, 'hint' | 'details'>): this {
    const Class = this.constructor as new (...parts: ConstructorParameters<typeof CryptodataError>) => this;
    return new Class(this.code, this.message, {
      ...this,
      cause: this.cause,
      hint,
      details: this.details ?? details,
    });
  }
}

/** Invalid usage or configuration. Nothing was sent. */
export class UsageError extends CryptodataError {
  override readonly name = 'UsageError';
  override readonly kind = 'usage';
}

/**
 * The service refused a request, failed, or sent a response that cannot be read. `code` is the service's own code
 * (`NOT_FOUND`, `insufficient_scope`, …), `HTTP_nnn` if the response has no code, or a code of this client.
 */
export abstract class ServiceError extends CryptodataError {
  /** The service's message; without a response, the same as `message`. */
  readonly reason: string;
  /** Seconds to wait, as requested by the service. */
  readonly retryAfter: number | undefined;
  /** The service's id for this request, if the response has one. */
  readonly requestId: string | undefined;
  /** The body of the response: parsed, or as text if it is not JSON. */
  readonly body: unknown;

  constructor(code: string, message: string, parts: ErrorParts = {}) {
    super(code, message, parts);
    this.reason = parts.reason ?? message;
    this.retryAfter = parts.retryAfter;
    this.requestId = parts.requestId;
    this.body = parts.body;
  }
}

/** Not logged in, or 401: the token or the key is missing, invalid or expired. */
export class AuthError extends ServiceError {
  override readonly name = 'AuthError';
  override readonly kind = 'auth';
}

/** 403: a scope is missing, or the workspace is wrong. */
export class ForbiddenError extends ServiceError {
  override readonly name = 'ForbiddenError';
  override readonly kind = 'forbidden';
}

/** 404: there is no such item in the workspace. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  override readonly kind = 'notFound';
}

/** 409: a duplicate, or a locked accounting period. */
export class ConflictError extends ServiceError {
  override readonly name = 'ConflictError';
  override readonly kind = 'conflict';
}

/** 400, 413 or 422: the request is invalid, and fails again if it is sent unchanged. */
export class RejectedError extends ServiceError {
  override readonly name = 'RejectedError';
  override readonly kind = 'rejected';
}

/** 429, after retries. */
export class RateLimitError extends ServiceError {
  override readonly name = 'RateLimitError';
  override readonly kind = 'rateLimited';
}

/**
 * 5xx, or a response that cannot be read, after retries: `BAD_ANSWER`, `BAD_ENVELOPE`, `BAD_RECORD`, `BAD_PAGING`,
 * `ANSWER_TOO_LARGE`, `NESTED_TOO_DEEPLY`, `REDIRECTED`, or the service's own code.
 */
export class UpstreamError extends ServiceError {
  override readonly name = 'UpstreamError';
  override readonly kind = 'service';
}

/** The result is usable, but some of its items failed; `details` lists the failed items. */
export class PartialError extends CryptodataError {
  override readonly name = 'PartialError';
  override readonly kind = 'partial';
}

/** The result could not be verified, so rows may be missing. */
export class UnverifiedError extends CryptodataError {
  override readonly name = 'UnverifiedError';
  override readonly kind = 'unverified';
}

/** There was no response: name lookup, connection, proxy, TLS or {@link TimeoutError}. */
export class NetworkError extends CryptodataError {
  override readonly name: string = 'NetworkError';
  override readonly kind = 'network';
}

/**
 * There was no response in time: `TIMED_OUT` (the connection was silent), `CALL_TIMED_OUT` (the `timeout` of a call) or
 * `WAIT_TIMED_OUT` (the `timeout` of a wait).
 */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
}

/** The result could not be written. */
export class OutputError extends CryptodataError {
  override readonly name = 'OutputError';
  override readonly kind = 'output';
}

/** Stopped by Ctrl-C or by an abort signal; `cause` is the signal's reason. */
export class InterruptedError extends CryptodataError {
  override readonly name = 'InterruptedError';
  override readonly kind = 'interrupted';
}

const CLASSES = {
  usage: UsageError,
  auth: AuthError,
  forbidden: ForbiddenError,
  notFound: NotFoundError,
  conflict: ConflictError,
  rejected: RejectedError,
  rateLimited: RateLimitError,
  service: UpstreamError,
  partial: PartialError,
  unverified: UnverifiedError,
  network: NetworkError,
  output: OutputError,
  interrupted: InterruptedError,
} as const;

/** The kinds of {@link ServiceError}. */
export type ServiceErrorKind = {
  [K in ErrorKind]: InstanceType<(typeof CLASSES)[K]> extends ServiceError ? K : never;
}[ErrorKind];

/** Creates an error of the class for a kind. */
export function createError<K extends ErrorKind>(
  kind: K,
  code: string,
  message: string,
  parts?: ErrorParts,
): InstanceType<(typeof CLASSES)[K]>;
export function createError(
  kind: ErrorKind,
  code: string,
  message: string,
  parts?: ErrorParts,
): CryptodataError {
  return new CLASSES[kind](code, message, parts);
}

/** Invalid usage or configuration: exit 2, nothing sent. */
export function usageError(message: string, hint?: string, code = 'USAGE'): UsageError {
  return new UsageError(code, message, { hint });
}

/** The error for a usable result in which some items failed: exit 11. */
export function partialError(message: string, parts: ErrorParts, code = 'PARTIAL_FAILURE'): PartialError {
  return new PartialError(code, message, parts);
}

/** The error for a result that could not be verified: exit 12. */
export function unverifiedError(message: string, hint?: string, code = 'UNVERIFIED'): UnverifiedError {
  return new UnverifiedError(code, message, { hint });
}

/** The `code` of a Node system error (`ENOENT`, `EADDRINUSE`, …), if `error` is one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
