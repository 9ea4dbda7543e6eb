import { type Clause, sections } from './clause.ts';

export const LIMITS: readonly Clause[] = sections(`
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
`);
