import { type Clause, sections } from './clause.ts';

export const CURRENT: readonly Clause[] = sections(`
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
  startTime, endTime: Unix milliseconds
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

Provider (current catalogue) | provider | field
  id: string; Provider id; matches the providerId of an integration
  slug: string; URL-safe identifier
  name: string; Internal name
  publicName: string; Display name
  description: string or null; Short description
  type: string; exchange, blockchain, wallet, service or aggregator
  logo: string or null; Logo URL
  featured: boolean; Highlighted by the service
  isWorking: boolean; false means the provider's upstream API is detected as degraded or broken. Connecting is still allowed, but syncs will likely fail
  importMethods: array of string; Any of api, csv, oauth, address, wallet_connect, manual
  credentialFields: object; Map of field name to credential field definition (below); open-ended
  capabilities: object; Boolean flags; keys among trades, deposits, withdrawals, staking, nft, defi, holdings, margin, futures, swap, bridge. An absent key means unsupported
  walletSupportedChains: array or null; For wallets: entries { id, onlyManual? }
  functions: array or null; Connector functions (below)
  integrationInfo: object or null; Setup hints and known API limitations
  walletLimitations: object or null; Import options (entries with name, status boolean, isRecommended boolean), per-method feature lists, step-by-step instructions
  metadata: object or null; Provider-specific extras: a third-party data aggregator id, a wallet-connection id, native token
  createdAt, updatedAt: string; ISO 8601
  walletSupportedChains.entries: Entries { id, onlyManual? }
  capabilities.absent [rule]: An absent key means unsupported
  capabilities.keys: Keys among trades, deposits, withdrawals, staking, nft, defi, holdings, margin, futures, swap, bridge
  credential.required: boolean
  credential.type: string, password or boolean; drives the input type
  credential.label: string
  credential.placeholder: string, optional
  credential.keys [rule]: Possible keys include apiKey, secretKey, password, accountName, address, communityId; the map is open-ended
  function.name: string; the value accepted in config.userFunctions
  function.public_name: string
  function.is_base: boolean; core function
  function.categories: array of string, e.g. trade, deposit
  function.enabled: boolean
  function.operational: boolean: enabled and last health probe clean; false also for a function never probed
  function.degraded [rule]: enabled true with operational false means degraded
  function.outage [rule]: A base function that is not operational means full outage; a non-base one means partial outage
  no-internals [rule]: The connector's internal configuration (upstream endpoints, rate-limit and batching parameters, raw probe error text) is omitted from the response
  no-custom-wallet [rule]: An internal custom-wallet provider is always excluded from the catalogue
  isCustomWallet [rule]: A user's manual wallets appear on GET /v1/integrations with isCustomWallet true

Integration (legacy public list object) | public-list | field
  id: string; Provider identifier
  name: string; Internal provider name
  publicName: string; Display name
  logo: string; Logo URL
  type: string; wallet, exchange, blockchain, services (or others)
  isAPI: boolean; API key or address-based connection supported
  isCSV: boolean; CSV import supported
  isOAuth: boolean; OAuth supported
  isEVM: boolean; EVM-compatible chain
  isWorking: boolean; Currently operational
  communityId: number; Optional; id in a third-party data aggregator, for blockchain integrations
  importGuide: string; Connection instructions
  functions: array; Entries { name: string, publicName: string }
  integrationInfo: object; Optional metadata; for exchanges may hold apiKeyRequired and apiSecretRequired booleans
  walletLimitations: object or null; Optional limitations
  functions.entries: Entries { name: string, publicName: string }
  integrationInfo.keys: For exchanges may hold apiKeyRequired and apiSecretRequired booleans

Integration (webhook data object; matches the Integrations API response) | integration | field
  provider: string; Provider identifier
  providerPublicName: string; Display name
  publicAddress: string; Address for address-based connections; empty string (never null) for exchange, OAuth and CSV integrations
  walletId: string; Integration id as used by the Integrations API
  logoUrl: string; Logo URL; empty string if the provider has none
  isContract: boolean; Always false; contract detection is not performed
  alias: string; User alias; empty string if unset
  status: string; See States and transitions
  errorMessage: string; Why the sync failed; omitted entirely unless status is FAILED and a message exists (never null)
  addedOn: number; Milliseconds timestamp; 0 if unknown
  lastSyncedAt: number; Milliseconds timestamp of last successful sync; 0 if never synced
  category: string; exchange, wallet, blockchain or unknown
  type: string; api (API keys or OAuth) or csv (file upload)
  totalTransactions: number; Count of transactions from this integration

Ledger (one leg of a transaction: one asset moving in, out, or paid as fee) | ledger | field
  id: string; Ledger id
  transactionId: string; Parent transaction
  workspaceId: string; Workspace
  type: string; incoming, outgoing or fee
  assetId: string or null; Resolved asset; null while unresolved
  assetRaw: object; Asset as reported by the source (contains symbol)
  quantity: string; Decimal string, up to 18 places
  baseCurrency: string; Currency of price and value
  price: object or null; { price: number, baseCurrency: string, timestamp: number, source: string }
  value: number or null; quantity x price, derived on read; the only numeric (non-string) figure
  timestamp: number; Unix milliseconds
  walletId: string; Owning connected account; authoritative for the leg
  syncId: string or null; Sync run that produced the leg
  fromAccount, toAccount: object or null; Counterparty accounts, e.g. { provider, walletId }
  label, description, internalLabel: string or null; Annotations
  isEdited: boolean; A user edited the leg manually
  beforeBalance, afterBalance: string or null; Running asset balance around the leg
  costbasis, proceeds, profit: string or null; Accounting figures; null until tax processing has run
  debitCoaCode, creditCoaCode: string or null; General-ledger codes posted to; enterprise only
  isDebitCoaEdited, isCreditCoaEdited: boolean; Code set manually, so a chart-of-accounts re-run skips it; enterprise only
  asset: object; Resolved asset summary: symbol, name, logoUrl, type
  assetRaw.symbol: assetRaw contains symbol
  price.fields: { price: number, baseCurrency: string, timestamp: number, source: string }
  asset.fields: Resolved asset summary: symbol, name, logoUrl, type
  decimal-strings [rule]: All numeric columns except value are serialized as decimal strings so that 18-decimal balances compare exactly
  accounting-null [rule]: Accounting fields stay null until the accounting pipeline has run for that period

Holdings (current API, fields named by the change list) | holding | field
  costBasis: number; Renamed from costbasis
  roiPercentage: number or null; null means no cost basis recorded; must not be coerced to 0
  change24h: number; Absolute currency amount of 24-hour change
  change24hPercentage: number; Percentage 24-hour change
  assetId: string; Top-level asset id
  asset.tokenId: string; Still present
  costPerUnit, transactionCount: number; New
  isSpam: boolean; New
  totalValue [envelope]: The list response carries top-level totalValue for the whole filtered set (token holdings only)
  nft-value [envelope]: NFT value is reported by GET /v1/nfts as totalEstimatedValueUsd
  defi-value [envelope]: DeFi value by GET /v1/defi/totals
  no-summary [rule]: No inline summary block exists

Transaction legs | transaction | field
  incomingAssets, outgoingAssets, fee: Each is a ledger with an id, a quantity decimal string and a derived value
`);
