/**
 * The kind of an error determines what the caller can do. Each kind has a class in this file, and an exit code in
 * `cli/exits.ts`.
 *
 * - `usage`: wrong arguments or settings; nothing was sent
 * - `auth`: not logged in, or the service responded with 401
 * - `forbidden`: the service responded with 403, because of a missing scope or the wrong workspace
 * - `notFound`: the service responded with 404, or an id or a name is unknown
 * - `conflict`: the service responded with 409, because of a duplicate or a locked period
 * - `rejected`: the service responded with 400, 413, 422 or another 4xx status
 * - `rateLimited`: the service still responded with 429 after retries
 * - `service`: the service still responded with 5xx, 408 or 425 after retries, or the response cannot be read
 * - `partial`: the request succeeded, but some of its items failed
 * - `unverified`: the result could not be verified
 * - `network`: there was no response, because the name lookup, the connection or TLS failed, or because of a timeout
 * - `output`: the result could not be written
 * - `interrupted`: stopped by Ctrl-C or by an abort signal
 */
export type ErrorKind = keyof typeof CLASSES;

export interface ErrorParts {
  /** How to fix the error. */
  readonly hint?: string | undefined;
  /** HTTP status of the response, if there was a response. */
  readonly status?: number | undefined;
  /** Structured details of the error, such as the unchanged details from the service. */
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

/** The base class of all expected errors. Every other error is a bug in the tool. */
export abstract class CryptodataError extends Error {
  abstract override readonly name: string;
  abstract readonly kind: ErrorKind;
  /** A stable code. Compare this code in programs, because `message` may change. */
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

  /** Returns a copy of this error in which the given parts are replaced. */
  explained({
    code = this.code,
    message = this.message,
    hint = this.hint,
    ...parts
  }: ErrorParts & { readonly code?: string; readonly message?: string }): this {
    const Class = this.constructor as new (...parts: ConstructorParameters<typeof CryptodataError>) => this;
    return new Class(code, message, { ...this, cause: this.cause, hint, ...parts });
  }
}

/** Invalid usage or configuration. Nothing was sent. */
export class UsageError extends CryptodataError {
  override readonly name = 'UsageError';
  override readonly kind = 'usage';
}

/**
 * The service refused a request, failed, or sent a response that cannot be read. `code` is the code in the response
 * (`NOT_FOUND`, `insufficient_scope`, …). If the response contains no code, `code` is `HTTP_nnn` or a code of this client.
 */
export abstract class ServiceError extends CryptodataError {
  /** The message from the service; the same text as `message` if the service sent no message. */
  readonly reason: string;
  /** Seconds to wait, as requested by the service. */
  readonly retryAfter: number | undefined;
  /** The service's id for this request, if the response has one. */
  readonly requestId: string | undefined;
  /** The body of the response: parsed, or as text if it is not JSON. The library omits a body that is larger than 256 KiB. */
  readonly body: unknown;

  constructor(code: string, message: string, parts: ErrorParts = {}) {
    super(code, message, parts);
    this.reason = parts.reason ?? message;
    this.retryAfter = parts.retryAfter;
    this.requestId = parts.requestId;
    this.body = parts.body;
  }
}

/** Not logged in, or 401 from the service: the token or the key is missing, invalid or expired. */
export class AuthError extends ServiceError {
  override readonly name = 'AuthError';
  override readonly kind = 'auth';
}

/** 403 from the service: a scope is missing, or the workspace is wrong. */
export class ForbiddenError extends ServiceError {
  override readonly name = 'ForbiddenError';
  override readonly kind = 'forbidden';
}

/** 404 from the service, or an id or name that the tool does not know. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  override readonly kind = 'notFound';
}

/** 409 from the service: a duplicate, or a locked accounting period. */
export class ConflictError extends ServiceError {
  override readonly name = 'ConflictError';
  override readonly kind = 'conflict';
}

/** 400, 413, 422 or another 4xx status from the service: the request is invalid, so the same request will fail again. */
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
 * The service still responded with 5xx, 408 or 425 after retries, or the response cannot be read. `code` is the code in the response, or
 * a code of this client: `BAD_ANSWER`, `BAD_ENVELOPE`, `BAD_RECORD`, `BAD_PAGING`, `ANSWER_TOO_LARGE`, `NESTED_TOO_DEEPLY`,
 * `REDIRECTED` and others.
 */
export class UpstreamError extends ServiceError {
  override readonly name = 'UpstreamError';
  override readonly kind = 'service';
}

/** The result is usable, but some of its items failed. `details` lists these items. */
export class PartialError extends CryptodataError {
  override readonly name = 'PartialError';
  override readonly kind = 'partial';
}

/** The result could not be verified, so rows may be missing. */
export class UnverifiedError extends CryptodataError {
  override readonly name = 'UnverifiedError';
  override readonly kind = 'unverified';
}

/** There was no response, because the name lookup, the connection, the proxy or TLS failed. See also {@link TimeoutError}. */
export class NetworkError extends CryptodataError {
  override readonly name: string = 'NetworkError';
  override readonly kind = 'network';
}

/**
 * A timeout expired. The code `TIMED_OUT` means that the server could not be reached in time, or that no data arrived for too
 * long. `CALL_TIMED_OUT` and `WAIT_TIMED_OUT` mean that the `timeout` of a call or of a wait expired.
 */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
}

/** The result could not be written. */
export class OutputError extends CryptodataError {
  override readonly name = 'OutputError';
  override readonly kind = 'output';
}

/** Stopped by Ctrl-C or by an abort signal. `cause` contains the `reason` property of this signal. */
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

/** The kinds of errors whose class extends {@link ServiceError}. */
export type ServiceErrorKind = {
  [K in ErrorKind]: InstanceType<(typeof CLASSES)[K]> extends ServiceError ? K : never;
}[ErrorKind];

/** Returns the kind of error for a status. If the status is not an error, the response itself is invalid. */
export function kindOfStatus(status: number): ServiceErrorKind {
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'notFound';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rateLimited';
  // After 408 or 425, RFC 9110 and RFC 8470 allow the client to send the same request again.
  if (status === 408 || status === 425) return 'service';
  return status >= 400 && status < 500 ? 'rejected' : 'service';
}

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

export function usageError(message: string, hint?: string, code = 'USAGE'): UsageError {
  return new UsageError(code, message, { hint });
}

export function partialError(message: string, parts: ErrorParts, code = 'PARTIAL_FAILURE'): PartialError {
  return new PartialError(code, message, parts);
}

export function unverifiedError(message: string, hint?: string, code = 'UNVERIFIED'): UnverifiedError {
  return new UnverifiedError(code, message, { hint });
}

const LIGHTEST: readonly ErrorKind[] = ['unverified', 'partial'];

/**
 * Sorts the errors of one command: errors of other kinds come first, then `unverified`, then `partial`. The first error is
 * thrown, so it determines the exit code.
 */
export function gravestFirst(errors: readonly (CryptodataError | undefined)[]): CryptodataError[] {
  const weight = ({ kind }: CryptodataError) => LIGHTEST.indexOf(kind);
  return errors.filter((error) => error !== undefined).sort((left, right) => weight(left) - weight(right));
}

/** Returns the code of a Node system error, such as `ENOENT`. Returns undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a path or a part of the path does not exist. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
