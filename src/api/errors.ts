import { kindOfStatus, type ServiceErrorKind } from '../core/errors.ts';

/** The sections under "Errors" in the specification. */
export type ErrorSource = 'authentication' | 'application' | 'transactions and ledgers' | 'OIDC' | 'legacy';

/** One error code of the service, as described in the specification. */
export interface CataloguedError {
  readonly code: string;
  readonly sources: readonly ErrorSource[];
  /** HTTP status; null if the specification defines none. */
  readonly status: number | null;
  readonly kind: ServiceErrorKind;
  readonly means: string;
  /** Text that says whether the same request can succeed later. */
  readonly retry: string;
  /** Text that recommends the next step. */
  readonly next: string;
}

const NO = 'no; fix the request first';
const BACKOFF = 'yes, with exponential backoff; the tool has already retried read requests';
const AFTER_LOGIN = 'only with a new token; the tool has already tried to refresh it';
const LATER =
  "Try again later. If the error persists, contact the service's support, and include the time of the error.";
const NEW_TOKEN = 'Get a new token, or check the API key.';
const CLIENT = "Check the client's registration and the client id.";
const FIX =
  'Correct the fields named in the message, then send the request again. An unchanged request will fail again.';

/**
 * An entry of the catalogue. By default, the error is only in the section that lists the entry, and the status determines the
 * kind.
 */
type Entry = Pick<CataloguedError, 'code' | 'means' | 'next'> &
  Partial<Pick<CataloguedError, 'sources' | 'retry'>> &
  ({ readonly status: number } | Pick<CataloguedError, 'kind'>);

function section(source: ErrorSource, entries: readonly Entry[]): CataloguedError[] {
  return entries.map(({ sources = [source], retry = NO, ...entry }) => ({
    ...entry,
    ...{ sources, retry },
    status: 'status' in entry ? entry.status : null,
    kind: 'kind' in entry ? entry.kind : kindOfStatus(entry.status),
  }));
}

/** Every error code in the specification. Hints and `help errors` use this list. */
export const ERROR_CATALOGUE: readonly CataloguedError[] = [
  ...section('authentication', [
    {
      code: 'unauthorized',
      sources: ['authentication', 'legacy'],
      status: 401,
      means:
        'Credentials are missing, or the token is invalid or expired. In the legacy API, the API key is missing, invalid or expired, or lacks a permission.',
      retry: AFTER_LOGIN,
      next: NEW_TOKEN,
    },
    {
      code: 'insufficient_scope',
      status: 403,
      means:
        'The credentials are valid but lack the scope that the endpoint requires; the message contains the scope.',
      next: "Request the scope when you get the token; the member's role must include the scope. Write scopes, and all scopes for contacts, invoices and swaps, must first be registered for the client, in the client's scope picker or through support.",
    },
    {
      code: 'forbidden',
      status: 403,
      means:
        'The user is not a member of the workspace, or the token is bound to another workspace. A request that names a workspace with a bound token also causes this error.',
      next: 'A token is bound to one workspace. To show the workspace, use `users.me()`. An API key works only in the workspace for which it was created.',
    },
    {
      code: 'bad_request',
      status: 400,
      means: 'The workspace id is missing.',
      next: 'Pass the workspace of the API key with `workspace`.',
    },
    {
      code: 'server_error',
      status: 500,
      means: 'The service failed while checking the credentials.',
      retry: BACKOFF,
      next: LATER,
    },
  ]),
  ...section('application', [
    {
      code: 'VALIDATION_ERROR',
      status: 400,
      means: 'The request is invalid. Each issue in the response contains the path of the invalid field.',
      next: FIX,
    },
    {
      code: 'NOT_FOUND',
      sources: ['application', 'transactions and ledgers'],
      status: 404,
      means: 'The item does not exist in this workspace.',
      next: 'Check the id. The item may be in another workspace. To show the workspace of the credentials, use `users.me()`.',
    },
    {
      code: 'CONFLICT',
      status: 409,
      means:
        'The request contains a value that must be unique, such as an alias, but the value already exists.',
      next: 'Choose another name. To check an alias, use `integrations.aliasExists()`.',
    },
    {
      code: 'CREDENTIAL_VALIDATION_FAILED',
      status: 400,
      means: 'The exchange or wallet rejected the credentials.',
      next: 'At the exchange, check the permissions, IP restrictions and expiry date of the API key. To test credentials, use `integrations.testCredentials()`. To show the required fields, use `providers.get()`.',
    },
    {
      code: 'SYNC_ERROR',
      status: 400,
      means: 'The sync could not start.',
      next: 'Another sync may be running. To show the state of the account, use `integrations.list()`.',
    },
    {
      code: 'FILE_REQUIRED',
      status: 400,
      means: 'The upload contains no file, or the file is in a form field that the service does not read.',
      next: 'To use another form field, pass `field`.',
    },
    {
      code: 'INVALID_FILE_TYPE',
      status: 400,
      means: 'The file is not a .csv, .xls or .xlsx file.',
      next: 'Save the file in one of these formats.',
    },
    {
      code: 'TOO_MANY_FILES',
      status: 400,
      means: 'The request contains more files than the service accepts.',
      next: 'Upload fewer files at a time.',
    },
    {
      code: 'FILE_TOO_LARGE',
      status: 413,
      means: 'The file is larger than the service accepts.',
      next: 'Split the file, repeat the header in each part, and upload the parts.',
    },
    {
      code: 'RATE_LIMIT_EXCEEDED',
      status: 429,
      means: 'Too many requests.',
      retry: BACKOFF,
      next: 'Wait a minute, then try again with fewer parallel requests.',
    },
    {
      code: 'EXTERNAL_SERVICE_ERROR',
      status: 502,
      means: 'The service depends on exchanges, blockchains and price sources, and one of these failed.',
      retry: BACKOFF,
      next: LATER,
    },
    {
      code: 'INTERNAL_ERROR',
      sources: ['application', 'transactions and ledgers'],
      status: 500,
      means: 'The service failed unexpectedly.',
      retry: BACKOFF,
      next: LATER,
    },
  ]),
  ...section('transactions and ledgers', [
    {
      code: 'BAD_REQUEST',
      status: 400,
      means: 'The requested change is not possible. For example, the transactions cannot be merged or split.',
      next: FIX,
    },
    {
      code: 'PERIOD_LOCKED',
      status: 409,
      means: 'The request would change an accounting period that is filed and locked. Nothing was changed.',
      retry: 'yes, after unlocking the period',
      next: "Unlock the period in the service's own application, then send the request again.",
    },
    {
      code: 'CURRENCY_CONVERSION_FAILED',
      status: 422,
      means: 'A price in the request could not be converted. Nothing was changed.',
      retry: 'yes, after correcting the price',
      next: 'Set "price.baseCurrency" to a currency that has an exchange rate on the date of the transaction. Then send the request again.',
    },
  ]),
  ...section('OIDC', [
    {
      code: 'invalid_request',
      kind: 'rejected',
      means: 'A required parameter is missing.',
      next: 'Check the redirect URI and the client id.',
    },
    {
      code: 'invalid_client',
      kind: 'auth',
      means: 'The client id or the client secret is wrong.',
      next: 'Check the client id and the client secret.',
    },
    {
      code: 'invalid_grant',
      kind: 'auth',
      means: 'The authorization code or the refresh token is invalid, used, expired or revoked.',
      next: 'Log in again.',
    },
    {
      code: 'unauthorized_client',
      kind: 'forbidden',
      means: 'The client may not use this grant type.',
      next: CLIENT,
    },
    {
      code: 'unsupported_grant_type',
      kind: 'rejected',
      means: 'The authorization server does not support this grant type.',
      next: 'Check the address of the authorization server.',
    },
    {
      code: 'invalid_scope',
      kind: 'forbidden',
      means: 'A requested scope is unknown, or is not registered for the client.',
      next: 'Scopes are registered when the client is created. Support can register more scopes later. Or request fewer scopes.',
    },
    {
      code: 'access_denied',
      kind: 'auth',
      means: 'Consent was denied in the browser.',
      next: 'Log in again, and allow the access in the browser.',
    },
    {
      code: 'invalid_token',
      kind: 'auth',
      means: 'The token is invalid or expired.',
      retry: AFTER_LOGIN,
      next: NEW_TOKEN,
    },
  ]),
  ...section('legacy', [
    {
      code: 'invalid_parameters',
      status: 400,
      means:
        'A posted transaction has an invalid field, an unknown wallet or an unsupported label. Each detail in the response contains the path of the invalid field.',
      next: FIX,
    },
  ]),
];

const BY_CODE = new Map(ERROR_CATALOGUE.map((entry) => [entry.code, entry]));

/** Finds an error by its code in the specification. Also accepts OIDC codes in upper case, as in the tool's own errors. */
export function cataloguedError(code: string): CataloguedError | undefined {
  return BY_CODE.get(code) ?? BY_CODE.get(code.toLowerCase());
}
