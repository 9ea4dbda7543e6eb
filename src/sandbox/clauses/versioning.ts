import { type Clause, sections } from './clause.ts';

export const VERSIONING: readonly Clause[] = sections(`
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
