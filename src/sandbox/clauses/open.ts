import { type Clause, choices } from './clause.ts';

/** Details that the specification leaves open, each with the behaviour of the sandbox or the setting that determines it. */
export const OPEN: readonly Clause[] = [
  ...choices(
    'not shown',
    'not-shown',
    `
Fields left open
  transaction-record: Transaction record read shape: not shown beyond id, incomingAssets, outgoingAssets and fee.
    → returns only these four fields; the option legShape sets whether legs are lists or single objects
  holdings-record: Holdings record: not shown beyond the fields in the table above.
    → returns only the fields in the table; holdings.json in --data (option data) can add others
  sync-record: Sync record: not shown beyond its status, recordsFailed, limitReached and message.
    → returns only these four fields
  user-record: User profile record of GET /v1/users/me: not shown beyond uid.
    → returns only uid
  records: Records of portfolio, asset, label, contact, counter-party, spam, calculated balance, credential, report, tax and accounting: not shown.
    → these lists are empty, and a header explains why; --data (option data) supplies records; --data example supplies records that are marked as examples; records without a path in the specification have no endpoint

Integration status (webhook vocabulary)
  integration-moves: Other moves between QUEUED, SYNCING, COMPLETED, FAILED and INACTIVE: not shown.
    → a sync moves the account through QUEUED and SYNCING on the clock of the sandbox (option pace); POST /_sandbox/integrations/ID can script any other transition

Sync states
  sync-states: Names of the other five sync states and all sync transitions: not shown.
    → --sync-states (option syncStates) names up to five states, and the last name is the state of a finished sync; without this option, only a few accounts have syncs, each sync is partially_synced or cancelled, and all other legs have no syncId; POST /_sandbox/syncs/ID scripts any transition

Accounting period
  lock-operations: Operations that lock or unlock a period: not shown.
    → no endpoint of the API locks or unlocks a period; --locked-until (option lockedUntil) and POST /_sandbox/period set the locked period

Authorization server ({auth_url})
  callback: Redirect parameters on the callback beyond the authorization code: not shown.
    → returns the code and the state that the client must validate, and no other parameter
  revocation-and-documents: Revocation response, and request and response shapes of introspection, discovery and JWKS: not shown.
    → follows the standards (RFC 7009, RFC 7662, OpenID Connect Discovery, RFC 7517): the specification calls them standard

Other current endpoints named by the change list ({base_url})
  current-shapes: Request and response shapes of every endpoint in this list, and the query parameters of GET /v1/holdings: not shown.
    → returns the named fields in the envelope of "Envelope changes"; finds ids and values anywhere in a request body

Headers
  connect-paths: Paths of those endpoints: not shown.
    → has no Connect endpoint: link-token and token-exchange paths return 404

API keys (enterprise customers only)
  permission-names: Permission names other than write:transactions: not shown.
    → requires no other permission: a key without permissions can read

Who may call what
  other-scopes: Scope required by every other endpoint: not shown.
    → requires no scope: any valid credential is accepted

Event kinds
  deliveries: Endpoint registration, signing of deliveries, retry schedule and delivery headers: not shown.
    → --receiver or POST /_sandbox/receivers sets the receivers; the option retries sets the retry schedule; deliveries are signed only if --secret-env, --signature-header and --signature-encoding are all set

OIDC error codes (token and authorization endpoints)
  oidc-statuses: HTTP status for each OIDC error code: not shown.
    → follows RFC 6749 and RFC 6750; the tests check only the code

Rate limits (OIDC endpoints; per client id)
  data-rate-limits: Rate limits of the data API: not shown.
    → the data API has no rate limits; a fault can return 429

Other limits
  csv-limits: CSV upload has a per-request file limit and a per-file size limit; their numeric values: not shown.
    → the options csvMaxFiles and csvMaxFileSize set them
  batch-size: Maximum number of transactions per posted batch: not shown.
    → any number is accepted

Versioning
  removal-dates: Removal dates: not shown.
    → the legacy API has no removal date, and no header announces one
`,
  ),
  ...choices(
    'silent',
    'silent',
    `
Scopes
  unregistered-scope: How the authorization server treats a scope that is not registered for the client
    → rejects the request with invalid_scope; --unregistered-scopes narrow (option unregisteredScopes) grants the other scopes
  unknown-scope: How the authorization server treats an unknown scope
    → rejects the request with invalid_scope; the callback has only error, error_description and state

Authorization server ({auth_url})
  replayed-code: What happens if an authorization code is used twice
    → responds with invalid_grant, and revokes the grant and every token issued for the code
  reused-refresh-token: Whether a refresh token can be used twice
    → responds with invalid_grant, and revokes the grant and all its tokens; each refresh restarts the 30 days
  redirects: Which redirect addresses a client has
    → accepts only http addresses of this machine; errors are sent to an accepted address; without such an address, errors are in the response

Rate limits (OIDC endpoints; per client id)
  rate-windows: When a window starts, and the body of a 429
    → a window starts with its first request; the response has no body; requests from unregistered clients are not counted

Ledgers ({base_url}, scope transactions:read)
  unknown-parameters: How invalid parameter values are treated
    → rejects them with 400: BAD_REQUEST, or VALIDATION_ERROR with details.issues; also rejects repeated parameters, and lists with an empty entry
  time-bounds: Whether startTime and endTime are inclusive
    → both are inclusive by default (option timeBounds)
  ties: The order of rows with the same sort key
    → stable by default (option ties)
  unresolved-asset: The form of asset in a leg whose asset is unresolved
    → an empty object; assetId is null, and assetRaw has the symbol
  unknown-names: How query parameters with unknown names are treated
    → ignores them

Other current endpoints named by the change list ({base_url})
  transactions-parameters: The names and bounds of the wallet filter, the date filters and the paging of GET /v1/transactions
    → walletIds and notWalletIds; startTime and endTime as in GET /v1/ledgers; limit from 1 to 200 (default 50), and offset; newest first
  transactions-meta: The fields of meta in GET /v1/transactions, other than hasMore
    → total, limit and offset by default (option transactionsMeta)
  leg-shape: Whether the legs of a transaction are lists
    → incomingAssets and outgoingAssets are lists, and fee is one leg or null, by default (option legShape)
  transaction-types: The types of transactions other than posted transactions
    → transfers between accounts of the workspace and transactions with only a fee have no type; no value of types matches these transactions
  transaction-ledgers: The envelope, order and paging of GET /v1/transactions/{id}/ledgers
    → all legs at once, in the envelope and order of GET /v1/ledgers
  batch-items: The form of batch items, which items are errors, and what a batch changes
    → an item refers to the transaction with its id; an item without a known id is an error; a batch changes nothing
  currencies: Which currencies can be converted, and on which dates
    → 24 currencies on any date; currencies.json in --data (option data) sets others: codes, or { currency, from, to }
  failed-items: The form of the items of failed[] and failures[]
    → wallet ids in failed[], file names in failures[]
  what-fails: Which accounts cannot be synced or removed, and which files cannot be read
    → INACTIVE, unknown and removed accounts; files that are empty, or whose content does not match their extension
  csv-import: The name of the form field of an upload, and what the service imports from the files
    → accepts any name; checks the files, but adds no transaction, leg or account; a response header explains this
  list-paging: The paging parameters of the wrapped lists
    → limit from 1 to 200 (default 50) and offset, which are also the names in the envelope
  account-checks: The parameter of alias-exists and the body of test-credentials
    → accepts the alias under any parameter name; finds credentials anywhere in the body, and rejects the value \`rejected\`
  check-forms: The responses of alias-exists, test-credentials and defi/totals
    → success and data; data is true or false for alias-exists, an empty object for test-credentials, and one record for defi/totals, which is empty without --data
  write-statuses: The status of a write that succeeds
    → 200; posted transactions have 201, as the specification shows
  asset-search: What GET /v1/assets/search returns without contractAddress, and how addresses are compared
    → all assets; addresses are compared without regard to case

Integration status (webhook vocabulary)
  sync-pace: What advances a sync or a removal, and how fast
    → each request that returns its status, and the clock of the sandbox (option pace)

Transfer detection and cost basis runs
  recalculation: What starts transfer detection, and what happens if it fails
    → the end of the last running sync, if any sync succeeded; if transfer detection fails, no cost basis run follows; POST /_sandbox/runs starts both runs

Errors
  unknown-paths: The error format for an unknown path, and for an unreadable body
    → an unknown path gets 404, nested under /v1/ledgers and /v1/transactions, otherwise wrapped; an unreadable body gets 400 in the format of that API, with details.issues in a wrapped error

API keys (enterprise customers only)
  key-restrictions: The status for a key that is used from another IP address, or together with a bearer token
    → 401 unauthorized for both

Legacy API ({legacy_base_url} and {legacy_public_url})
  legacy-holdings: The envelopes and records of GET /api/v1/holdings and /api/v1/userinfo
    → holdings, pagination, user_id and timestamp, with the fields that the change list renames; userinfo has only user_id and timestamp
  legacy-filters: The meaning of source and collection, and the default limit of DeFi holdings
    → source is a provider, walletId or address; collection is a collectionId; limit is 1000
  unknown-document: The response to a docId that no holding has
    → 200 with an empty list, and totals of 0

Posted transaction (legacy write payload)
  posted-labels: Which labels are supported, and with which types
    → the labels of the generated ledgers; --labels (option labels) or labels.json in --data sets others
  posted-legs: How posted transactions appear
    → as legs with the posted amounts, in ledgers and transactions; a batch with a transaction in a locked period is rejected as a whole, with a nested error
  posted-repeats: Repeated transaction ids, empty batches and negative amounts in posted transactions
    → accepts all of them: a repeated id adds legs to the same transaction, an empty batch has count 0, and a negative amount is served as given

Event kinds
  delivery-time: Which time a retried delivery has
    → timestamp is the time of the event in every attempt, because each attempt sends the same body
`,
  ),
];
