import { type Clause, sections } from './clause.ts';

export const BOOK_FIELDS: readonly Clause[] = sections(`
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
  fromAccount: object or null; Counterparty accounts, e.g. { provider, walletId }
  toAccount: object or null; Counterparty accounts, e.g. { provider, walletId }
  label: string or null; Annotations
  description: string or null; Annotations
  internalLabel: string or null; Annotations
  isEdited: boolean; A user edited the leg manually
  beforeBalance: string or null; Running asset balance around the leg
  afterBalance: string or null; Running asset balance around the leg
  costbasis: string or null; Accounting figures; null until tax processing has run
  proceeds: string or null; Accounting figures; null until tax processing has run
  profit: string or null; Accounting figures; null until tax processing has run
  debitCoaCode: string or null; General-ledger codes posted to; enterprise only
  creditCoaCode: string or null; General-ledger codes posted to; enterprise only
  isDebitCoaEdited: boolean; Code set manually, so a chart-of-accounts re-run skips it; enterprise only
  isCreditCoaEdited: boolean; Code set manually, so a chart-of-accounts re-run skips it; enterprise only
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
  costPerUnit: number; New
  transactionCount: number; New
  isSpam: boolean; New
  totalValue [envelope]: The list response carries top-level totalValue for the whole filtered set (token holdings only)
  nft-value [envelope]: NFT value is reported by GET /v1/nfts as totalEstimatedValueUsd
  defi-value [envelope]: DeFi value by GET /v1/defi/totals
  no-summary [rule]: No inline summary block exists

Transaction legs | transaction | field
  incomingAssets: Each is a ledger with an id, a quantity decimal string and a derived value
  outgoingAssets: Each is a ledger with an id, a quantity decimal string and a derived value
  fee: Each is a ledger with an id, a quantity decimal string and a derived value
`);
