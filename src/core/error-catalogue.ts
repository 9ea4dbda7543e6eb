import type { ErrorKind } from './errors.ts';

/** Where a code comes from: the sections under "Errors" in the specification. */
export type ErrorSource = 'authentication' | 'application' | 'transactions and ledgers' | 'OIDC' | 'legacy';

/** One error code of the service, as its specification explains it. */
export interface CataloguedError {
  readonly code: string;
  readonly sources: readonly ErrorSource[];
  /** HTTP status; null where the specification does not show it. */
  readonly status: number | null;
  readonly kind: ErrorKind;
  readonly means: string;
  /** Whether sending the same again can help. */
  readonly retry: string;
  /** What to do. */
  readonly next: string;
}

const NO = 'no: fix the request';
const BACKOFF = 'yes, with growing pauses; the tool has done so already for reads';
const AFTER_LOGIN = 'only after the token is renewed; the tool has done so already where it could';
const LATER = "Try again later; if it goes on, tell the service's support the time of it.";
/** As it stands in what follows. */
const LOGIN = 'cryptodata login';
const LOG_IN = 'Log in again: cryptodata login. A token from CRYPTODATA_ACCESS_TOKEN must be replaced.';
const CLIENT = 'Check client_id and what the client is registered for: cryptodata config list.';
const FIX = 'Fix what is named above and send it again: it will be refused as often as it is repeated.';

/** Every code in the specification. `client` and `auth` take their hints from here, `help errors` shows it. */
export const ERROR_CATALOGUE: readonly CataloguedError[] = [
  {
    code: 'unauthorized',
    sources: ['authentication', 'legacy'],
    status: 401,
    kind: 'auth',
    means:
      'No credentials, or an invalid or expired token; for the legacy API also a key that is missing, invalid, expired or lacks the permission.',
    retry: AFTER_LOGIN,
    next: LOG_IN,
  },
  {
    code: 'insufficient_scope',
    sources: ['authentication'],
    status: 403,
    kind: 'forbidden',
    means: 'The credential is valid, but lacks the scope that the endpoint needs; the message names it.',
    retry: NO,
    next: "See what was granted: cryptodata whoami. A scope of the default set comes with a new login, if the member's role reaches it. Write scopes, contacts, invoices and swaps must be registered on the client first (in the scope picker when it is created, or by asking support), then log in again.",
  },
  {
    code: 'forbidden',
    sources: ['authentication'],
    status: 403,
    kind: 'forbidden',
    means:
      'Not a member of the workspace, a token that is bound to another one, or a workspace passed beside a bound token.',
    retry: NO,
    next: 'The login is bound to one workspace, and names none itself: see it with cryptodata whoami. To reach another workspace, log in to that one (a profile for each: -p NAME). An API key reaches the workspace it was made for.',
  },
  {
    code: 'bad_request',
    sources: ['authentication'],
    status: 400,
    kind: 'rejected',
    means: 'A workspace id is needed and was not given.',
    retry: NO,
    next: 'An API key needs the workspace beside it: --workspace ws_… or CRYPTODATA_WORKSPACE.',
  },
  {
    code: 'server_error',
    sources: ['authentication'],
    status: 500,
    kind: 'service',
    means: 'The service failed while it checked the credentials.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'VALIDATION_ERROR',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The request does not have the form that the service wants; each issue names its path.',
    retry: NO,
    next: FIX,
  },
  {
    code: 'NOT_FOUND',
    sources: ['application', 'transactions and ledgers'],
    status: 404,
    kind: 'notFound',
    means: 'There is no such thing in this workspace.',
    retry: NO,
    next: 'Check the id. What lies in another workspace is not found either: cryptodata whoami shows the workspace of this login.',
  },
  {
    code: 'CONFLICT',
    sources: ['application'],
    status: 409,
    kind: 'conflict',
    means: 'It would double something that must be unique, as the alias of an integration.',
    retry: NO,
    next: 'Choose another name. Whether an alias is taken: cryptodata integrations alias-exists NAME.',
  },
  {
    code: 'CREDENTIAL_VALIDATION_FAILED',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The exchange or wallet rejected the credentials.',
    retry: NO,
    next: 'Check them at the exchange (permissions, address restrictions, expiry), and try them before they are used: cryptodata integrations test-credentials. What a provider needs: cryptodata providers get ID.',
  },
  {
    code: 'SYNC_ERROR',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The sync could not be started.',
    retry: NO,
    next: 'See the state of the account, one may be running already: cryptodata sync status.',
  },
  {
    code: 'FILE_REQUIRED',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'No file was attached to the upload, or not in the form field that the service looks into.',
    retry: NO,
    next: 'The name of the form field may be another: cryptodata csv upload --field NAME.',
  },
  {
    code: 'INVALID_FILE_TYPE',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'The file is no .csv, .xls or .xlsx.',
    retry: NO,
    next: 'Save it in one of these forms. To look at it first: cryptodata csv check FILE.',
  },
  {
    code: 'TOO_MANY_FILES',
    sources: ['application'],
    status: 400,
    kind: 'rejected',
    means: 'More files in one request than the service takes.',
    retry: NO,
    next: 'Upload fewer at a time.',
  },
  {
    code: 'FILE_TOO_LARGE',
    sources: ['application'],
    status: 413,
    kind: 'rejected',
    means: 'The file is larger than the service takes.',
    retry: NO,
    next: 'Split the file, keep its header in each part, and upload the parts.',
  },
  {
    code: 'RATE_LIMIT_EXCEEDED',
    sources: ['application'],
    status: 429,
    kind: 'rateLimited',
    means: 'Too many requests.',
    retry: BACKOFF,
    next: 'Wait a minute and try again, with fewer requests side by side.',
  },
  {
    code: 'EXTERNAL_SERVICE_ERROR',
    sources: ['application'],
    status: 502,
    kind: 'service',
    means: 'An exchange, a chain or a price source behind the service failed.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'INTERNAL_ERROR',
    sources: ['application', 'transactions and ledgers'],
    status: 500,
    kind: 'service',
    means: 'The service failed in a way that it did not expect.',
    retry: BACKOFF,
    next: LATER,
  },
  {
    code: 'BAD_REQUEST',
    sources: ['transactions and ledgers'],
    status: 400,
    kind: 'rejected',
    means: 'The request cannot be right, as a merge or split of transactions that are not eligible for it.',
    retry: NO,
    next: FIX,
  },
  {
    code: 'PERIOD_LOCKED',
    sources: ['transactions and ledgers'],
    status: 409,
    kind: 'conflict',
    means:
      'It falls in an accounting period that is filed and locked. The write was rejected whole: nothing was applied.',
    retry: 'yes, after unlocking the period',
    next: "Unlock the period in the service's own application first, then send it again.",
  },
  {
    code: 'CURRENCY_CONVERSION_FAILED',
    sources: ['transactions and ledgers'],
    status: 422,
    kind: 'rejected',
    means:
      'A price that was supplied could not be converted. The write was rejected whole: nothing was applied.',
    retry: 'yes, after correcting the price',
    next: 'Give price.baseCurrency in a currency that can be converted on that date, then send it again.',
  },
  {
    code: 'invalid_request',
    sources: ['OIDC'],
    status: null,
    kind: 'rejected',
    means: 'The authorization server found that a required parameter is missing.',
    retry: NO,
    next: 'Check redirect_uri and client_id: cryptodata config list.',
  },
  {
    code: 'invalid_client',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'The client id and secret were not accepted.',
    retry: NO,
    next: 'Check client_id: cryptodata config list. A new client secret: cryptodata login on a terminal, which asks for one where the stored one is refused, or CRYPTODATA_CLIENT_SECRET, which goes before it.',
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
    means: 'The client may not use this way of getting a token.',
    retry: NO,
    next: CLIENT,
  },
  {
    code: 'unsupported_grant_type',
    sources: ['OIDC'],
    status: null,
    kind: 'rejected',
    means: 'The authorization server does not know this way of getting a token.',
    retry: NO,
    next: 'Check auth_url: cryptodata config list.',
  },
  {
    code: 'invalid_scope',
    sources: ['OIDC'],
    status: null,
    kind: 'forbidden',
    means: 'A scope that was asked for is unknown, or the client is not registered with it.',
    retry: NO,
    next: 'The client must be registered with every scope (at its creation, or by asking support to widen it). Ask for fewer: cryptodata login --scopes "…".',
  },
  {
    code: 'access_denied',
    sources: ['OIDC'],
    status: null,
    kind: 'auth',
    means: 'Consent was denied in the browser.',
    retry: NO,
    next: 'Nothing was changed. To try again: cryptodata login.',
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
      'A posted transaction has a field that the legacy API does not take; each detail names its path. A wallet that is not in the account and a label that is not supported are refused too.',
    retry: NO,
    next: FIX,
  },
];

const BY_CODE = new Map(ERROR_CATALOGUE.map((entry) => [entry.code, entry]));

/** By the code as it stands on the wire; an OIDC code also in capitals, as the tool's own errors carry it. */
export function cataloguedError(code: string): CataloguedError | undefined {
  return BY_CODE.get(code) ?? BY_CODE.get(code.toLowerCase());
}

/**
 * What to do about it.
 *
 * @param login how one logs in to the profile in use; the catalogue knows of none
 */
export function nextStep({ next }: CataloguedError, login = LOGIN): string {
  return next.replaceAll(LOGIN, login);
}
