// Error responses, as defined in the section Errors of the specification. The shape of a response depends on the endpoint.

/** Error codes whose response bodies always have shape 1. */
const OAUTH_ERRORS = ['unauthorized', 'insufficient_scope', 'forbidden', 'bad_request', 'server_error'];

/** The formats of errors. `nested` is shape 3, for transactions and ledgers. `wrapped` is shape 2. */
export type Domain = 'oidc' | 'nested' | 'legacy' | 'wrapped';

/** Default error codes by status. The default for all other statuses is INTERNAL_ERROR, or `server_error` for `oidc`. */
const DATA_CODES = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  502: 'EXTERNAL_SERVICE_ERROR',
};
const CODES: Readonly<Record<Domain, Readonly<Record<number, string>>>> = {
  oidc: { 400: 'invalid_request', 401: 'invalid_client', 403: 'access_denied' },
  nested: { ...DATA_CODES, 400: 'BAD_REQUEST', 409: 'PERIOD_LOCKED', 422: 'CURRENCY_CONVERSION_FAILED' },
  legacy: { ...DATA_CODES, 400: 'invalid_parameters' },
  wrapped: { ...DATA_CODES, 400: 'VALIDATION_ERROR', 409: 'CONFLICT', 413: 'FILE_TOO_LARGE' },
};

export function domainOf(path: string): Domain {
  if (path.startsWith('/oidc/')) return 'oidc';
  if (/^\/v1\/(ledgers|transactions)(?=[/?]|$)/.test(path)) return 'nested';
  return /^\/(api|v0|integrations)\//.test(path) ? 'legacy' : 'wrapped';
}

/** The specification has no OIDC error code for 429, so the response has no body. */
export function hasNoBody(path: string, status: number): boolean {
  return domainOf(path) === 'oidc' && status === 429;
}

/** An entry in `details.issues`. */
export interface Issue {
  readonly code: string;
  readonly expected: string;
  readonly received: string;
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The body of an error at `path`. If `code` is undefined, the body has the default code for the status.
 *
 * @param issues the invalid parameters; undefined if the request cannot be read
 */
export function errorBody(
  path: string,
  status: number,
  code: string | undefined,
  message: string,
  issues?: readonly Issue[],
): Record<string, unknown> {
  const domain = domainOf(path);
  const error = code ?? CODES[domain][status] ?? (domain === 'oidc' ? 'server_error' : 'INTERNAL_ERROR');
  if (domain === 'oidc' || OAUTH_ERRORS.includes(error)) return { error, error_description: message };
  if (domain === 'nested') return { error: { code: error, message: issues?.[0]?.message ?? message } };
  const unreadable = {
    code: 'custom',
    expected: 'a request that can be read',
    received: 'another',
    path: [],
  };
  const found = issues ?? [{ ...unreadable, message }];
  if (domain === 'wrapped') {
    const details = error === 'VALIDATION_ERROR' ? { issues: found } : {};
    return { success: false, error: message, code: error, details };
  }
  return error === 'invalid_parameters'
    ? { error, message, details: found.map((issue) => ({ path: issue.path, message: issue.message })) }
    : { error, message };
}

/** An error response. The application sends it. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** Shape 1: errors of authentication and authorization, which occur before the request reaches the endpoint. */
export function refuseOauth(status: number, error: string, description: string): never {
  throw new ErrorResponse(status, { error, error_description: description });
}

/** Shape 2: wrapped application errors. */
export function refuseWrapped(
  status: number,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): never {
  throw new ErrorResponse(status, { success: false, error: message, code, details });
}

/** Shape 3: nested errors, for transactions and ledgers. */
export function refuseNested(status: number, code: string, message: string): never {
  throw new ErrorResponse(status, { error: { code, message } });
}

export interface LegacyDetail {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Spec: Legacy error body. */
export function refuseLegacy(message: string, details: readonly LegacyDetail[]): never {
  throw new ErrorResponse(400, { error: 'invalid_parameters', message, details });
}
