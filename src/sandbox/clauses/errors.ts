import { type Clause, sections } from './clause.ts';

export const ERROR_CLAUSES: readonly Clause[] = sections(`
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
`);
