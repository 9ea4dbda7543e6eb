import { type Clause, sections } from './clause.ts';

export const GENERAL: readonly Clause[] = sections(`
Integration status (webhook vocabulary) | status | state
  QUEUED: Waiting to sync; not terminal
  SYNCING: Sync running; not terminal
  COMPLETED: Sync finished (also reported when rows were dropped: partial runs report COMPLETED); terminal
  FAILED: Sync failed or was cancelled; terminal
  DELETING: Removal started; not terminal
  DELETED: Removal finished; only sent on integration.deleted; terminal
  INACTIVE: Syncing disabled or integration suspended; terminal
  removed [transition]: DELETING: removal settles, removal succeeded: DELETED, and an integration.deleted event with status DELETED
  not-removed [transition]: DELETING: removal settles, removal failed: FAILED, and an integration event with status FAILED

Sync states | sync | state
  states: The sync has seven states
  folds.partially_synced [transition]: The webhook status folds them: partially_synced maps to COMPLETED
  folds.cancelled [transition]: The webhook status folds them: cancelled maps to FAILED
  partially_synced: GET /v1/sync/{syncId} exposes the underlying partially_synced status
  recordsFailed [field]: GET /v1/sync/{syncId} exposes recordsFailed
  limitReached [field]: GET /v1/sync/{syncId} exposes limitReached (true when the run was cut short by the workspace's transaction limit rather than a connector failure)

Transfer detection and cost basis runs | run | transition
  started [state]: Both event categories carry status started, completed or failed
  completed: started: run finishes, success: completed, completed event sent
  failed: started: run errors: failed, failed event sent with reason
  order: In a full portfolio recalculation the events typically occur in this order: transfer_detection.started, transfer_detection.completed, costbasis.started, costbasis.completed

Accounting period | period | state
  locked: A period can be filed and locked; writes that fall in it are rejected with PERIOD_LOCKED (409) and nothing is applied
  unlocked [transition]: The period must be unlocked before the edit can land

Events | events | event
  categories: The service sends webhook deliveries in three categories: integration, transfer detection and cost basis. No other event categories are sent

Envelope | envelope | event
  id: Delivery id, form whd_<id>; a retry of the same delivery reuses it
  event: <category>.<action>
  timestamp: ISO 8601 time of delivery
  grant_id: Form cgrant_<id>; the grant the delivery belongs to; the key for mapping to a customer
  workspace_id: Form ws_<id>; null only for grants issued before the v1 to v2 migration
  data: Event-specific payload
  body-only [header]: grant_id and workspace_id are in the body only, never in headers
  no-user: data carries no user identifier and, for transfer detection and cost basis, no wallet id

Event kinds | event | event
  integration.created: A user connected a wallet or exchange: Integration webhook object
  integration.updated: An integration was updated or synced: Integration webhook object
  integration.deleted: A user removed a connection: Integration webhook object (status DELETING then DELETED or FAILED)
  integration.failed: An integration sync errored: Integration webhook object with status FAILED, errorMessage when present
  transfer_detection.started: Transfer detection began for the workspace: Run object
  transfer_detection.completed: Transfer detection finished successfully: Run object
  transfer_detection.failed: Transfer detection errored: Run object, reason set
  costbasis.started: Cost basis calculation began: Run object
  costbasis.completed: Cost basis calculation finished successfully: Run object
  costbasis.failed: Cost basis calculation errored: Run object, reason set
  run.action [field]: string; always DETECT_TRANSFER for transfer detection, always ACCOUNT_MANAGER for cost basis
  run.status [field]: started, completed or failed
  run.reason [field]: string or null; error reason when failed, otherwise null
  run.timestamp [field]: number, Unix milliseconds of the status change
  workspace-wide: Transfer detection and cost basis events are workspace-wide
  created-first: The first integration.created for a new connection arrives before the client has stored any wallet id

Errors | errors | envelope
  by-domain: Three body shapes exist; which one appears depends on the endpoint, not on the status code

HTTP status codes | http | error
  200: Success
  201: Created
  202: Accepted for asynchronous processing
  204: Success, empty body
  400: Invalid parameters, or a required workspace id is missing
  401: Invalid or missing authentication
  403: Insufficient scope, or no access to that workspace
  404: Resource does not exist in this workspace
  409: Duplicate resource, or locked accounting period
  413: File upload over the size limit
  422: Valid request that cannot be applied, e.g. price that cannot convert
  429: Rate limit exceeded
  500: Server error
  502: An upstream exchange, chain or price provider failed

Shape 1: authentication and authorization (OAuth form, no success field) | oauth | error
  body [envelope]: Body: { error: string, error_description: string }
  before [rule]: Emitted before the request reaches the endpoint
  unauthorized: 401: No credentials, or invalid or expired token
  insufficient_scope: 403: Valid credential lacking the endpoint's scope; error_description names the missing scope
  forbidden: 403: Not a member of the workspace, or token bound to a different workspace, or a workspace passed on a bound token
  bad_request: 400: Workspace id required but not supplied
  server_error: 500: Failure while authenticating

Shape 2: wrapped application errors | wrapped | error
  body [envelope]: Body: { success: false, error: string, code: string, details: object }
  domains [rule]: Used by integrations, providers, portfolios, credentials, syncs, CSV, user profile, assets, labels, spam and DeFi metadata
  VALIDATION_ERROR: 400: Schema validation failed
  VALIDATION_ERROR.issues [field]: details.issues lists entries { code, expected, received, path (array), message }
  NOT_FOUND: 404: No such resource in this workspace
  CONFLICT: 409: Would duplicate something unique, e.g. an integration alias
  CREDENTIAL_VALIDATION_FAILED: 400: The exchange or wallet rejected the credentials
  SYNC_ERROR: 400: Sync could not be started
  FILE_REQUIRED: 400: No file attached to a CSV upload
  INVALID_FILE_TYPE: 400: Not .csv, .xls or .xlsx
  TOO_MANY_FILES: 400: Over the per-request file limit
  FILE_TOO_LARGE: 413: Over the per-file size limit
  RATE_LIMIT_EXCEEDED: 429: Too many requests
  EXTERNAL_SERVICE_ERROR: 502: An upstream provider failed
  INTERNAL_ERROR: 500: Unexpected server error
  hint.alias [rule]: Hint: check alias availability with GET /v1/integrations/alias-exists before creating
  hint.credentials [rule]: Hint: validate credentials up front with POST /v1/integrations/test-credentials

Shape 3: nested errors (transactions and ledgers) | nested | error
  body [envelope]: Body: { error: { code: string, message: string } }, no success field
  BAD_REQUEST: 400: Ineligible merge or split
  NOT_FOUND: 404: No such transaction or ledger in this workspace
  PERIOD_LOCKED: 409: Falls in a filed, locked accounting period
  CURRENCY_CONVERSION_FAILED: 422: A supplied price could not be converted; price.baseCurrency must be convertible on that date
  INTERNAL_ERROR: 500: Unexpected server error
  whole [rule]: 409 and 422 reject the write whole; nothing is partially applied

OIDC error codes (token and authorization endpoints) | oidc-error | error
  invalid_request: missing required parameter
  invalid_client: client authentication failed
  invalid_grant: grant invalid or expired
  unauthorized_client: client not authorized for this grant type
  unsupported_grant_type: unsupported_grant_type
  invalid_scope: invalid_scope
  access_denied: user denied authorization
  invalid_token: token invalid or expired
  body [envelope]: Body fields: error and error_description

Legacy error body | legacy-error | error
  invalid_parameters: Legacy transaction posting returns { error: invalid_parameters, message, details: [ { path, message } ] } on 400
  unauthorized: missing, invalid, expired key or missing permission
  wallet-not-found: wallet not found (walletId not in the account)
  invalid-label: invalid label

Partial success is not an error | partial | partial success
  transactions-batch: POST /v1/transactions/batch: data.errorCount
  batch-delete: POST /v1/integrations/batch-delete: data.failed[]
  resync-all: POST /v1/integrations/resync-all: data.failed[]
  csv-upload: POST /v1/csv/upload: data.failures[]
  sync: A sync reaching partially_synced: recordsFailed and message

Retry guidance | retry | rule
  transient: 429, 502, 500: Yes, exponential backoff
  conversion: 422 CURRENCY_CONVERSION_FAILED: Yes, after correcting the price
  locked: 409 PERIOD_LOCKED: Yes, after unlocking the period
  401: 401: Only after refreshing the token
  never: 400, 403, 404: No; fix the request

Rate limits (OIDC endpoints; per client id) | rate | rate limit
  token: Token endpoint: 100 requests per minute
  userinfo: UserInfo endpoint: 1000 requests per hour
  others: Other OIDC endpoints: 200 requests per hour
  client: The limits are per client id
  answer [header]: Exceeding a limit returns HTTP 429 with a retry_after header

Paging and size bounds | bounds | bound
  providers: GET /v1/providers: limit 1 to 100, default 50, clamped silently; page default 1
  ledgers: GET /v1/ledgers: limit 1 to 200, default 50; offset default 0
  legacy-nfts: Legacy NFT holdings: limit 1 to 1000, default 100; source and collection filters at most 30 values each
  legacy-defi: Legacy DeFi holdings: limit 1 to 1000
  quantity: Ledger quantity: decimal string, up to 18 places

Other limits | limits | bound
  transactions: A workspace has a transaction limit; a sync stopped by it reports limitReached true
  csv: CSV upload has a per-request file limit and a per-file size limit

Versioning | versions | rule
  current: Paths prefixed /v1 and no service name in the path; access tokens are validated against the grant, so no client credentials are sent on data calls
  same-login: The OAuth authorization flow is unchanged between the APIs (same client credentials, access tokens)
  v0-removed [removal]: The whole /v0 surface is removed from the current API

Envelope changes | envelopes | envelope
  no-user_id: The previous API added user_id and timestamp to nearly every response; the current API does not. Use the grant record or GET /v1/users/me for the user id
  wrapped: Most current endpoints wrap: { success: true, data, totalCount, offset, limit, hasMore, totalValue }
  data-meta: Transactions and ledgers return { data, meta } with no success field
  providers: Providers return { success, data: { providers, pagination } }
  no-old-pagination [removal]: The old pagination object { limit, offset, returned_count, totalCount, hasNextPage, hasPreviousPage } no longer exists

Renames | rename | rename
  defi-holdings: GET /v1/defi-holdings: GET /v1/defi
  nft-holdings: GET /v1/nft-holdings: GET /v1/nfts
  userinfo: GET /v1/userinfo: GET /v1/users/me
  label-types: GET /v1/transactions/label-types: GET /v1/labels
  integrations-providers: GET /v1/integrations/providers: GET /v1/providers
  public-list: GET /integrations/public/list: GET /v1/providers
  counterparties: GET /v1/counterparties: GET /v1/counter-parties
  v0-wallets: GET /v0/wallets: GET /v1/integrations
  v0-transactions: GET /v0/transactions: GET /v1/transactions
  v0-nft-holdings: GET /v0/nft-holdings: GET /v1/nfts
  v0-defi-holdings: GET /v0/defi-holdings: GET /v1/defi
  assets-lookup: GET /v1/assets/lookup: GET /v1/assets/search?contractAddress=...
  holdings: GET /v1/holdings: GET /v1/holdings (same path, new fields)
  costbasis: Holding field renames: costbasis to costBasis
  roi: roi to roiPercentage (null instead of 0 when unknown)
  24hrChange: 24hrChange (a percentage) split into change24h (absolute) and change24hPercentage
  reconciliation: Reconciliation endpoints (uncategorized, high-pnl, missing-purchases, missing-prices) became filters on GET /v1/transactions
  counterparty [removal]: GET /v1/counterparties/{id} has no replacement

Removed without replacement | removed | removal
  profiling: GET /v1/profiling (investor classification and portfolio analytics)
  holdings-graph: GET /v1/holdings/graph (portfolio value over time)
  writes: Previous-API write operations (POST /v0/transactions, POST /v0/integrations, transaction and label PATCH endpoints, PATCH /v1/transactions/values) have no documented replacement

Added in the current API | added | endpoint
  endpoints: GET /v1/ledgers, GET /v1/calculated-balances, GET /v1/spam, GET /v1/integrations/{id}/assets
  filters [parameter]: richer transaction filters (exclusion filters such as notLabels, notWalletIds, and data-quality flags)

Format changes | format | rule
  case: v0 responses use snake_case; v1 responses use camelCase
  quantities: Ledger quantities are decimal strings and must be parsed with a decimal type
`);
