// How to trigger each error code in the specification. A test sends the requests.

/** The shapes of an error body: `oauth`, `wrapped` and `nested` are shapes 1, 2 and 3 of the specification. */
const SHAPES = ['oauth', 'wrapped', 'nested', 'legacy', 'oidc'] as const;

export interface ErrorEntry {
  readonly shape: (typeof SHAPES)[number];
  readonly code: string;
  /** Null if the specification does not define the status. */
  readonly status: number | null;
  /** The cause of the error, in words similar to the specification. */
  readonly cause: string;
  /** The option of createSandbox that the requests need. */
  readonly option?: Readonly<Record<string, unknown>>;
  /**
   * The requests that cause the error. By default, a request is sent with the access token in the sandbox's `env`. Requests
   * that name another credential, contain a form, or go to a control endpoint are not. A placeholder such as `{alias}` stands
   * for a value from an earlier response, or for the client id, the client secret or the workspace id.
   */
  readonly how: string;
}

/** An error has two lines: `status code: cause`, then the requests. */
const TABLE = `
oauth
  401 unauthorized: No credentials
    GET /v1/ledgers without a credential
  401 unauthorized: Invalid token
    GET /v1/ledgers with an invalid token
  403 insufficient_scope: Scope not registered on the client
    GET /v1/contacts
  403 forbidden: Workspace id sent, although the token is already bound to a workspace
    GET /v1/ledgers?wid={workspaceId}
  403 forbidden: Not a member of the workspace
    GET /v1/ledgers?wid=ws_other with X-API-Key
  400 bad_request: Workspace id required but not supplied
    GET /v1/ledgers with X-API-Key
  500 server_error: Failure while authenticating
    POST /_sandbox/faults {"path":"/v1/ledgers","status":500,"code":"server_error"}; then GET /v1/ledgers
wrapped
  400 VALIDATION_ERROR: Schema validation failed
    GET /v1/providers?featured=perhaps
  404 NOT_FOUND: No such resource in this workspace
    GET /v1/providers/none
  409 CONFLICT: Another integration already has the alias
    GET /v1/integrations, whose data.0.alias is {alias}; then POST /v1/integrations/test-credentials {"providerId":"binance","alias":"{alias}"}
  400 CREDENTIAL_VALIDATION_FAILED: The exchange or wallet rejected the credentials
    POST /v1/integrations/test-credentials {"providerId":"binance","credentials":{"apiKey":"rejected"}}
  400 SYNC_ERROR: Sync could not be started: another sync is in progress
    POST /v1/integrations/resync-all; then POST /v1/integrations/resync-all
  400 FILE_REQUIRED: No file attached to a CSV upload
    POST /v1/csv/upload with no file
  400 INVALID_FILE_TYPE: Not .csv, .xls or .xlsx
    POST /v1/csv/upload with the file a.txt (1 byte)
  400 TOO_MANY_FILES: Over the per-request file limit (default: 10; option: csvMaxFiles)
    POST /v1/csv/upload with 11 files of 1 byte each
  413 FILE_TOO_LARGE: Over the per-file size limit (default: 10 MB; option: csvMaxFileSize)
    POST /v1/csv/upload with the file large.csv (10000001 bytes)
  429 RATE_LIMIT_EXCEEDED: Too many requests
    POST /_sandbox/faults {"path":"/v1/holdings","status":429,"code":"RATE_LIMIT_EXCEEDED"}; then GET /v1/holdings
  502 EXTERNAL_SERVICE_ERROR: An upstream provider failed (isWorking is false)
    GET /v1/providers?isWorking=false&limit=1, whose data.providers.0.id is {providerId}; then POST /v1/integrations/test-credentials {"providerId":"{providerId}","credentials":{"apiKey":"mine"}}
  500 INTERNAL_ERROR: Unexpected server error
    POST /_sandbox/faults {"path":"/v1/holdings","status":500,"code":"INTERNAL_ERROR"}; then GET /v1/holdings
nested
  400 BAD_REQUEST: The request is invalid
    GET /v1/ledgers?limit=0
  404 NOT_FOUND: No such ledger in this workspace
    GET /v1/ledgers/none
  404 NOT_FOUND: No such transaction in this workspace
    GET /v1/transactions/none/ledgers
  409 PERIOD_LOCKED: The record is in a filed, locked accounting period (before lockedUntil)
    GET /v1/ledgers?sortOrder=asc&limit=1, whose data.0.transactionId is {transactionId}; then POST /v1/transactions/batch [{"id":"{transactionId}"}]
  422 CURRENCY_CONVERSION_FAILED: A supplied price could not be converted
    POST /v1/transactions/batch [{"price":{"price":1,"baseCurrency":"ZZZ"}}]
  500 INTERNAL_ERROR: Unexpected server error
    POST /_sandbox/faults {"path":"/v1/transactions","status":500,"code":"INTERNAL_ERROR"}; then GET /v1/transactions
legacy
  400 invalid_parameters: Invalid parameters
    POST /api/v0/transactions with X-API-Key {}
  400 invalid_parameters: Wallet not found (walletId not in the account)
    POST /api/v0/transactions with X-API-Key {"walletId":"none","transactions":[{"timestamp":1735689600000,"transactionType":"deposit","transactionId":"manual-1"}]}
  400 invalid_parameters: Invalid label
    GET /api/v1/integrations with X-API-Key, whose data.0.walletId is {walletId}; then POST /api/v0/transactions with X-API-Key {"walletId":"{walletId}","transactions":[{"timestamp":1735689600000,"transactionType":"deposit","transactionId":"manual-1","label":"No such label"}]}
  401 unauthorized: Missing key
    POST /api/v0/transactions without a credential {}
oidc
  - invalid_request: Missing required parameter
    POST /oidc/token client_id={clientId}&client_secret={clientSecret}&grant_type=authorization_code
  - invalid_client: Client authentication failed
    POST /oidc/token client_id={clientId}&client_secret=wrong&grant_type=refresh_token&refresh_token=none
  - invalid_grant: Grant invalid or expired
    POST /oidc/token client_id={clientId}&client_secret={clientSecret}&grant_type=refresh_token&refresh_token=none
  - unauthorized_client: Client not authorized for this grant type
    POST /oidc/token client_id={clientId}&client_secret={clientSecret}&grant_type=refresh_token&refresh_token=none (createSandbox({ clientGrantTypes: ["authorization_code"] }))
  - unsupported_grant_type: An unsupported grant type
    POST /oidc/token client_id={clientId}&client_secret={clientSecret}&grant_type=password
  - invalid_scope: An unknown scope
    log in with scope=openid nonsense
  - access_denied: User denied authorization
    log in, and choose Deny on the consent page
  - invalid_token: Token invalid or expired
    GET /oidc/userinfo with an invalid token
`;

export const ERRORS: readonly ErrorEntry[] = entries();

function entries(): ErrorEntry[] {
  const lines = TABLE.split('\n');
  let shape: ErrorEntry['shape'] = 'oauth';
  return lines.flatMap((line, at) => {
    shape = SHAPES.find((name) => name === line) ?? shape;
    const [, status, code = '', cause = ''] = /^ {2}(\d+|-) (\w+): (.*)$/.exec(line) ?? [];
    if (status === undefined) return [];
    const how = (lines[at + 1] ?? '').trim();
    const [, name = '', value] = /\(createSandbox\(\{ (\w+): (.*) \}\)\)$/.exec(how) ?? [];
    const option = value === undefined ? {} : { option: { [name]: JSON.parse(value) } };
    return [{ shape, code, status: status === '-' ? null : Number(status), cause, ...option, how }];
  });
}
