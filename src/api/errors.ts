import type { ServiceErrorKind } from '../core/errors.ts';

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
const BACKOFF = 'yes, with exponential backoff; the tool has already retried reads';
const AFTER_LOGIN = 'only with a new token; the tool has already tried to refresh it';
const LATER =
  "Try again later. If the error persists, contact the service's support and state the time of the error.";
/** The login command in the hints below. {@link nextStep} replaces it with the command for the current profile. */
const LOGIN = 'cryptodata login';
const LOG_IN = 'Log in again: cryptodata login. If CRYPTODATA_ACCESS_TOKEN is set, replace that token.';
const CLIENT = "Check the client's registration. To check client_id, run `cryptodata config list`.";
const FIX =
  'Correct the fields named in the message, then send the request again. An unchanged request will fail again.';

/** Every error code in the specification. Hints and `help errors` use this list. */
export const ERROR_CATALOGUE: readonly CataloguedError[] = [
  {
    code: 'unauthorized',
    sources: ['authentication', 'legacy'],
    status: 401,
    kind: 'auth',
    means:
      'Credentials are missing, or the token is invalid or expired. In the legacy API, the API key is missing, invalid or expired, or lacks a permission.',
    retry: AFTER_LOGIN,
    next: LOG_IN,
  },
  {
    code: 'insufficient_scope',
    sources: ['authentication'],
    status: 403,
    kind: 'forbidden',
    means:
      'The credentials are valid but lack the scope that the endpoint requires; the message names the scope.',
    retry: NO,
    next: "To show the granted scopes, run `cryptodata whoami`. To get a default scope, log in again; the member's role must include the scope. Write scopes, and all scopes for contacts, invoices and swaps, must first be registered for the client. Register them in the client's scope picker or through support, then log in again.",
  },
  {
    code: 'forbidden',
    sources: ['authentication'],
    status: 403,
    kind: 'forbidden',
    means:
      'The user is not a member of the workspace, or the token is bound to another workspace. The service also returns this error if a request names a workspace although the token in the request is already bound to a workspace.',
    retry: NO,
    next: 'A login is bound to one workspace. To show the workspace, run `cryptodata whoami`. To use another workspace, run `cryptodata login -p NAME` to log in with another profile. An API key works only in the workspace for which it was created.',
  },
  {
    code: 'bad_request',
    sources: ['authentication'],
    status: 400,
    kind: 'rejected',
    means: 'The workspace id is missing.',
    retry: NO,
    next: 'Pass the workspace of the API key with --workspace ws_…, or set CRYPTODATA_WORKSPACE.',
  },
  {
    code: 'server_error',
    sources: ['authentication'],
    status: 500,
    kind: 'service',
    means: 'The service failed while checking the credentials.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'VALIDATION_ERROR',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The request is invalid. Each issue in the response contains the path of the invalid field.',
    retry: NO,
    next: FIX,
  },
  {
    code: 'NOT_FOUND',
    sources: ['application', 'transactions and ledgers'],
    status: 404,
    kind: 'notFound',
    means: 'The item does not exist in this workspace.',
    retry: NO,
    next: 'Check the id. The item may be in another workspace. To show the workspace of this login, run `cryptodata whoami`.',
  },
  {
    code: 'CONFLICT',
    sources: ['application'],
    status: 409,
    kind: 'conflict',
    means:
      'The request contains a value that must be unique, such as an alias, but the value already exists.',
    retry: NO,
    next: 'Choose another name. To check an alias, run `cryptodata integrations alias-exists NAME`.',
  },
  {
    code: 'CREDENTIAL_VALIDATION_FAILED',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The exchange or wallet rejected the credentials.',
    retry: NO,
    next: 'At the exchange, check the permissions, IP restrictions and expiry date of the API key. To test credentials, run `cryptodata integrations test-credentials`. To show the required fields, run `cryptodata providers get ID`.',
  },
  {
    code: 'SYNC_ERROR',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The sync could not start.',
    retry: NO,
    next: 'Another sync may be running. To show the state of the account, run `cryptodata sync status`.',
  },
  {
    code: 'FILE_REQUIRED',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The upload contains no file, or the file is in a form field that the service does not read.',
    retry: NO,
    next: 'To use another form field, run `cryptodata csv upload --field NAME`.',
  },
  {
    code: 'INVALID_FILE_TYPE',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The file is not a .csv, .xls or .xlsx file.',
    retry: NO,
    next: 'Save the file in one of these formats. To check a file before the upload, run `cryptodata csv check FILE`.',
  },
  {
    code: 'TOO_MANY_FILES',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The request contains more files than the service accepts.',
    retry: NO,
    next: 'Upload fewer files at a time.',
  },
  {
    code: 'FILE_TOO_LARGE',
    sources: ['application'],
    status: 413,
    kind: 'rejected',
    means: 'The file is larger than the service accepts.',
    retry: NO,
    next: 'Split the file, repeat the header in each part, and upload the parts.',
  },
  {
    code: 'RATE_LIMIT_EXCEEDED',
    sources: ['application'],
    status: 429,
    kind: 'rateLimited',
    means: 'Too many requests.',
    retry: BACKOFF,
    next: 'Wait a minute, then try again with a lower --concurrency.',
  },
  {
    code: 'EXTERNAL_SERVICE_ERROR',
    sources: ['application'],
    status: 502,
    kind: 'service',
    means: 'The service depends on exchanges, blockchains and price sources, and one of these failed.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'INTERNAL_ERROR',
    sources: ['application', 'transactions and ledgers'],
    status: 500,
    kind: 'service',
    means: 'The service failed unexpectedly.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'BAD_REQUEST',
    sources: ['transactions and ledgers'],
    status: 400,
    kind: 'rejected',
    means: 'The requested change is not possible. For example, the transactions cannot be merged or split.',
    retry: NO,
    next: FIX,
  },
  {
    code: 'PERIOD_LOCKED',
    sources: ['transactions and ledgers'],
    status: 409,
    kind: 'conflict',
    means: 'The request would change an accounting period that is filed and locked. Nothing was changed.',
    retry: 'yes, after unlocking the period',
    next: "Unlock the period in the service's own application, then send the request again.",
  },
  {
    code: 'CURRENCY_CONVERSION_FAILED',
    sources: ['transactions and ledgers'],
    status: 422,
    kind: 'rejected',
    means: 'A price in the request could not be converted. Nothing was changed.',
    retry: 'yes, after correcting the price',
    next: 'Set "price.baseCurrency" to a currency that has an exchange rate on the date of the transaction. Then send the request again.',
  },
  {
    code: 'invalid_request',
    sources: ['OIDC'],
    status: null,
    kind: 'rejected',
    means: 'A required parameter is missing.',
    retry: NO,
    next: 'Check redirect_uri and client_id with: cryptodata config list.',
  },
  {
    code: 'invalid_client',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'The client id or the client secret is wrong.',
    retry: NO,
    next: 'To check client_id, run `cryptodata config list`. To enter a new client secret, run `cryptodata login` on a terminal, or set CRYPTODATA_CLIENT_SECRET.',
  },
  {
    code: 'invalid_grant',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'The authorization code or the refresh token is invalid, used, expired or revoked.',
    retry: NO,
    next: 'Log in again: cryptodata login.',
  },
  {
    code: 'unauthorized_client',
    sources: ['OIDC'],
    status: null,
    kind: 'forbidden',
    means: 'The client may not use this grant type.',
    retry: NO,
    next: CLIENT,
  },
  {
    code: 'unsupported_grant_type',
    sources: ['OIDC'],
    status: null,
    kind: 'rejected',
    means: 'The authorization server does not support this grant type.',
    retry: NO,
    next: 'Check auth_url with: cryptodata config list.',
  },
  {
    code: 'invalid_scope',
    sources: ['OIDC'],
    status: null,
    kind: 'forbidden',
    means: 'A requested scope is unknown, or is not registered for the client.',
    retry: NO,
    next: 'Scopes are registered when the client is created. Support can register more scopes later. To request fewer scopes, run `cryptodata login --scopes "…"`.',
  },
  {
    code: 'access_denied',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'Consent was denied in the browser.',
    retry: NO,
    next: 'Try again with: cryptodata login.',
  },
  {
    code: 'invalid_token',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'The token is invalid or expired.',
    retry: AFTER_LOGIN,
    next: LOG_IN,
  },
  {
    code: 'invalid_parameters',
    sources: ['legacy'],
    status: 400,
    kind: 'rejected',
    means:
      'A posted transaction has an invalid field, an unknown wallet or an unsupported label. Each detail in the response contains the path of the invalid field.',
    retry: NO,
    next: FIX,
  },
];

const BY_CODE = new Map(ERROR_CATALOGUE.map((entry) => [entry.code, entry]));

/** Finds an error by its code in the specification. Also accepts OIDC codes in upper case, as in the tool's own errors. */
export function cataloguedError(code: string): CataloguedError | undefined {
  return BY_CODE.get(code) ?? BY_CODE.get(code.toLowerCase());
}

/** @param login the login command of the current profile */
export function nextStep({ next }: CataloguedError, login = LOGIN): string {
  return next.replaceAll(LOGIN, login);
}
