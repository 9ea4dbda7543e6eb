// How each error code of the spec is reached, for those who test what their program does with it.

import { REJECTED_CREDENTIAL } from './integrations/routes.ts';

export interface ErrorEntry {
  /** oauth: shape 1. wrapped: shape 2. nested: shape 3. */
  readonly shape: 'oauth' | 'wrapped' | 'nested' | 'legacy';
  readonly code: string;
  readonly status: number;
  readonly how: string;
}

const fault = (path: string, status: number, code: string) =>
  `POST /_sandbox/faults {"path":"${path}","status":${status},"code":"${code}"}, then GET ${path}`;

export const ERRORS: readonly ErrorEntry[] = [
  entry('oauth', 'unauthorized', 401, 'GET /v1/ledgers without Authorization'),
  entry('oauth', 'insufficient_scope', 403, 'GET /v1/contacts, unless registeredScopes has contacts:read'),
  entry('oauth', 'forbidden', 403, 'GET /v1/ledgers?wid=… with a bearer token'),
  entry('oauth', 'bad_request', 400, 'GET /v1/ledgers with X-API-Key and no wid'),
  entry('oauth', 'server_error', 500, fault('/v1/ledgers', 500, 'server_error')),
  entry('wrapped', 'VALIDATION_ERROR', 400, 'GET /v1/holdings?limit=0'),
  entry('wrapped', 'NOT_FOUND', 404, 'GET /v1/providers/none'),
  entry(
    'wrapped',
    'CONFLICT',
    409,
    'POST /v1/integrations/test-credentials with an `alias` that an integration has',
  ),
  entry(
    'wrapped',
    'CREDENTIAL_VALIDATION_FAILED',
    400,
    `POST /v1/integrations/test-credentials with a value that holds "${REJECTED_CREDENTIAL}"`,
  ),
  entry('wrapped', 'SYNC_ERROR', 400, 'POST /v1/integrations/resync-all twice'),
  entry('wrapped', 'FILE_REQUIRED', 400, 'POST /v1/csv/upload without a file'),
  entry('wrapped', 'INVALID_FILE_TYPE', 400, 'POST /v1/csv/upload with a .txt'),
  entry('wrapped', 'TOO_MANY_FILES', 400, 'POST /v1/csv/upload with more than csvMaxFiles files'),
  entry(
    'wrapped',
    'FILE_TOO_LARGE',
    413,
    'POST /v1/csv/upload with a file of more than csvMaxFileSize bytes',
  ),
  entry('wrapped', 'RATE_LIMIT_EXCEEDED', 429, fault('/v1/holdings', 429, 'RATE_LIMIT_EXCEEDED')),
  entry(
    'wrapped',
    'EXTERNAL_SERVICE_ERROR',
    502,
    'POST /v1/integrations/test-credentials with the id of a provider that is not working, as "htx"',
  ),
  entry('wrapped', 'INTERNAL_ERROR', 500, fault('/v1/holdings', 500, 'INTERNAL_ERROR')),
  entry('nested', 'BAD_REQUEST', 400, 'GET /v1/transactions?limit=0'),
  entry('nested', 'NOT_FOUND', 404, 'GET /v1/transactions/none/ledgers'),
  entry(
    'nested',
    'PERIOD_LOCKED',
    409,
    'POST /v1/transactions/batch naming the id of a transaction before lockedUntil',
  ),
  entry(
    'nested',
    'CURRENCY_CONVERSION_FAILED',
    422,
    'POST /v1/transactions/batch with a price whose baseCurrency is unknown: {"price":{"baseCurrency":"ZZZ"}}',
  ),
  entry('nested', 'INTERNAL_ERROR', 500, fault('/v1/transactions', 500, 'INTERNAL_ERROR')),
  entry('legacy', 'invalid_parameters', 400, 'POST /api/v0/transactions with an empty object'),
  entry('legacy', 'unauthorized', 401, 'POST /api/v0/transactions without X-API-Key'),
];

function entry(shape: ErrorEntry['shape'], code: string, status: number, how: string): ErrorEntry {
  return { shape, code, status, how };
}
