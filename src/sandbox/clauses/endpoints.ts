import { type Clause, sections } from './clause.ts';

export const ENDPOINT_CLAUSES: readonly Clause[] = sections(`
Endpoints | endpoints | rule
  json: All bodies are JSON unless stated

Providers catalogue ({base_url}, no authentication) | providers | parameter
  list [endpoint]: GET /v1/providers
  type: exchange, blockchain, wallet, service or aggregator
  featured: Only highlighted providers
  isWorking: Only operational providers
  search: Match on name, public name and slug
  page: Page number
  page.default [default]: page is 1
  limit [bound]: 1 to 100; out-of-range values are silently clamped
  limit.default [default]: limit is 50
  order [rule]: Order: featured first, then working, then alphabetical
  envelope [envelope]: { success: true, data: { providers: [Provider], pagination: { page, limit, total, totalPages, hasMore } } }
  get [endpoint]: GET /v1/providers/{id} returns { success, data: Provider }
  get.not-found [error]: GET /v1/providers/{id}: or 404 with code NOT_FOUND

Ledgers ({base_url}, scope transactions:read) | ledgers | parameter
  list [endpoint]: GET /v1/ledgers
  errors [envelope]: This domain returns { data, meta } with no success field and nests errors as { error: { code, message } }
  transactionIds: Comma-separated list filter
  assetIds: Comma-separated list filter: asset ids
  types: Comma-separated list filter: incoming, outgoing, fee
  providers: Comma-separated list filter: provider ids
  hasMissingPrice: Legs with no resolved price
  hasMissingAsset: Legs whose asset is unresolved
  startTime: Unix milliseconds
  endTime: Unix milliseconds
  ltAfterBalance: Running balance strictly less than this decimal string (examples of form: 0, negative decimal, exponent form)
  gtAfterBalance: Running balance strictly greater than this decimal string
  sortBy: timestamp or createdAt
  sortBy.default [default]: sortBy is timestamp
  sortOrder: asc or desc
  sortOrder.default [default]: sortOrder is desc
  limit [bound]: 1 to 200
  limit.default [default]: limit is 50
  offset: Rows to skip
  offset.default [default]: offset is 0
  balance.exact [rule]: Balance filters are decimal strings, never coerced to floats
  balance.null [rule]: Rows with no running balance are excluded from either filter
  balance.negative [rule]: ltAfterBalance=0 finds negative running balances (missing purchase history)
  envelope [envelope]: { data: [Ledger], meta: { total, limit, offset } }. meta has no hasMore
  paging [rule]: page by comparing offset + data length with meta.total
  get [endpoint]: GET /v1/ledgers/{id} returns { data: Ledger }
  get.not-found [error]: GET /v1/ledgers/{id}: or 404 { error: { code: NOT_FOUND, message } }

Other current endpoints named by the change list ({base_url}) | current | endpoint
  holdings: GET /v1/holdings (response carries top-level totalValue)
  users-me: GET /v1/users/me (returns uid)
  integrations: GET /v1/integrations (items include providerId and isCustomWallet)
  integrations.providerId [field]: Items include providerId
  integrations.isCustomWallet [field]: Items include isCustomWallet
  alias-exists: GET /v1/integrations/alias-exists
  test-credentials: POST /v1/integrations/test-credentials
  batch-delete: POST /v1/integrations/batch-delete (result data.failed[])
  resync-all: POST /v1/integrations/resync-all (result data.failed[])
  integration-assets: GET /v1/integrations/{id}/assets
  sync: GET /v1/sync/{syncId}
  csv-upload: POST /v1/csv/upload (accepts .csv, .xls, .xlsx; result data.failures[])
  csv-upload.types [bound]: accepts .csv, .xls, .xlsx
  transactions: GET /v1/transactions
  transaction-ledgers: GET /v1/transactions/{id}/ledgers (cheaper than /v1/ledgers for one transaction)
  transactions-batch: POST /v1/transactions/batch (result data.errorCount)
  labels: GET /v1/labels
  assets-search: GET /v1/assets/search (accepts contractAddress)
  assets-search.contractAddress [parameter]: accepts contractAddress
  defi: GET /v1/defi
  defi-totals: GET /v1/defi/totals
  nfts: GET /v1/nfts
  spam: GET /v1/spam
  calculated-balances: GET /v1/calculated-balances
  contacts: GET /v1/contacts
  counter-parties: GET /v1/counter-parties (hyphenated; no single-item endpoint)
  portfolios: portfolio endpoints (any portfolio query can be scoped to one portfolio): no path is shown
  no-write [removal]: The current API documents no write operations. Write operations of the previous API have no documented replacement

Other current endpoints named by the change list ({base_url}) | transactions | parameter
  types: filter named: types
  labels: filter named: labels
  notLabels: filter named: notLabels
  notWalletIds: filter named: notWalletIds
  isUncategorisedIgnored: filter named: isUncategorisedIgnored
  minTotalGains: filter named: minTotalGains
  isHighPnLReviewed: filter named: isHighPnLReviewed
  isMissingTransaction: filter named: isMissingTransaction
  hasMissingPrice: filter named: hasMissingPrice
  envelope [envelope]: returns { data, meta } where meta includes hasMore
  uncategorized [rename]: uncategorized = types=deposit,withdrawal with labels=Deposit,Withdrawal and isUncategorisedIgnored=false
  high-pnl [rename]: high PnL = minTotalGains with isHighPnLReviewed=false
  missing-purchases [rename]: missing purchases = isMissingTransaction=true
  missing-prices [rename]: missing prices = hasMissingPrice=true
  combine [rule]: Filters combine with wallet and date filters
`);
