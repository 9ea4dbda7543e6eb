/**
 * Errors by what the caller can do about them. Only `main.ts` turns a kind into an exit code.
 *
 * - `usage`: wrong arguments or settings; nothing was sent
 * - `auth`: not logged in, or 401
 * - `forbidden`: 403, scope or workspace
 * - `notFound`: 404
 * - `conflict`: 409, duplicate or locked period
 * - `rejected`: 400, 413 or 422
 * - `rateLimited`: 429 after retries
 * - `service`: 5xx or an unreadable response, after retries
 * - `partial`: some items failed inside a success
 * - `unverified`: a result that could not be verified
 * - `network`: name lookup, connection, TLS, timeout
 * - `output`: the result could not be written
 * - `interrupted`: Ctrl-C
 */
export type ErrorKind =
  | 'usage'
  | 'auth'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'rejected'
  | 'rateLimited'
  | 'service'
  | 'partial'
  | 'unverified'
  | 'network'
  | 'output'
  | 'interrupted';

export interface ErrorParts {
  /** How to fix it, with the command if there is one. */
  readonly hint?: string | undefined;
  /** HTTP status, if the service responded. */
  readonly status?: number | undefined;
  /** Structured details, unchanged from the service. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** Every expected error. Anything else that reaches `main` is a bug. */
export class CryptodataError extends Error {
  override readonly name: string = 'CryptodataError';
  /** A stable code that scripts may match on; never match on `message`. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly details: unknown;

  constructor(kind: ErrorKind, code: string, message: string, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.kind = kind;
    this.code = code;
    this.hint = parts.hint;
    this.status = parts.status;
    this.details = parts.details;
  }
}

/** Wrong usage or configuration: exit 2, nothing sent. */
export function usageError(message: string, hint?: string, code = 'USAGE'): CryptodataError {
  return new CryptodataError('usage', code, message, { hint });
}

/** The error for a usable result in which some items failed: exit 11. */
export function partialError(message: string, parts: ErrorParts, code = 'PARTIAL_FAILURE'): CryptodataError {
  return new CryptodataError('partial', code, message, parts);
}

/** The error for a result that could not be verified: exit 12. */
export function unverifiedError(message: string, hint?: string, code = 'UNVERIFIED'): CryptodataError {
  return new CryptodataError('unverified', code, message, { hint });
}

/** The `code` of a Node system error (`ENOENT`, `EADDRINUSE`, …), if `error` is one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
