import { type Clause, choices } from './clause.ts';

/** Details that the specification does not mention, each with the behaviour of the sandbox or the setting that determines it. */
export const SILENT_CLAUSES: readonly Clause[] = choices(
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
    → accepts only http addresses of this machine; an error is sent to such an address if the request names one, and is otherwise in the response

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
    → walletIds in addition to notWalletIds, startTime and endTime as in GET /v1/ledgers, limit from 1 to 200 (default 50) and offset; newest first
  transactions-meta: The fields of meta in GET /v1/transactions, other than hasMore
    → total, limit and offset by default (option transactionsMeta)
  leg-shape: Whether the legs of a transaction are lists
    → incomingAssets and outgoingAssets are lists, and fee is one leg or null, by default (option legShape)
  transaction-types: The types of transactions that were not posted
    → transfers between accounts of the workspace, and single fees, have no type, so no value of types matches them
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
    → accepts any name; checks the files, but imports nothing: no transaction, leg or account is added, and a response header says so
  list-paging: The parameters that page the wrapped lists
    → limit from 1 to 200 (default 50) and offset, which are also the names in the envelope
  account-checks: The parameter of alias-exists and the body of test-credentials
    → accepts the alias under any parameter name; finds credentials anywhere in the body, and rejects the value \`rejected\`
  check-forms: The responses of alias-exists, test-credentials and defi/totals
    → success and data: true or false, an empty object, and one record, which is empty without --data
  write-statuses: The status of a write that succeeds
    → 200; posted transactions have 201, as the specification shows
  asset-search: What GET /v1/assets/search returns without contractAddress, and how addresses are compared
    → all assets; addresses are compared without regard to case

Integration status (webhook vocabulary)
  sync-pace: What advances a sync or a removal, and how fast
    → each request that returns its status, and the clock of the sandbox (option pace)

Transfer detection and cost basis runs
  recalculation: What starts transfer detection, and what happens if it fails
    → the end of the last running sync, if any sync succeeded; if transfer detection fails, no cost basis run follows; POST /_sandbox/runs starts one

Errors
  unknown-paths: The error format for an unknown path, and for an unreadable body
    → nested under /v1/ledgers and /v1/transactions, otherwise wrapped, with 404; an unreadable body gets 400 in the format of that API, with details.issues if wrapped

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
    → as legs with the posted amounts, in ledgers and transactions; if one falls in a locked period, the whole batch is rejected with a nested error
  posted-repeats: Repeated transaction ids, empty batches and negative amounts in posted transactions
    → accepts all of them: a repeated id adds legs to the same transaction, an empty batch has count 0, and a negative amount is served as given

Event kinds
  delivery-time: Which time a retried delivery has
    → timestamp is the time of the event in every attempt, because each attempt sends the same body
`,
);
