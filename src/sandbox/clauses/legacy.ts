import { type Clause, sections } from './clause.ts';

export const LEGACY: readonly Clause[] = sections(`
Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy.public-list | endpoint
  endpoint: GET {legacy_public_url}/integrations/public/list. No authentication. Superseded by GET /v1/providers
  envelope [envelope]: { success: true, data: [Integration] }
  all [rule]: every supported integration, regardless of the user's connections
  static [rule]: Cacheable (relatively static)

Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy.integrations | field
  endpoint [endpoint]: GET {legacy_base_url}/api/v1/integrations. Header X-API-Key: the user's connected wallets
  envelope [envelope]: Returns { success, data: [ { walletId, name, type, address } ] }
  walletId: data[].walletId
  name: data[].name
  type: data[].type
  address: data[].address

Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy.post | field
  endpoint [endpoint]: POST {legacy_base_url}/api/v0/transactions. Headers Content-Type: application/json and X-API-Key
  permission [scope]: key needs write:transactions permission
  status [envelope]: Success 201
  message: message: string
  data: data: [ { timestamp, transactionType, transactionId, source: { walletId, name } } ]
  count: count: number
  user_id: user_id: string
  timestamp: timestamp: number
  failure [error]: Failure 400: { error: invalid_parameters, message, details: [ { path: array, message } ] }

Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy.nfts | parameter
  endpoint [endpoint]: GET {legacy_base_url}/api/v1/nft-holdings. Scope portfolios:read
  source, collection: comma-separated, max 30
  chain: ethereum or polygon
  tokenId: tokenId
  contract: contract
  limit [bound]: number 1 to 1000
  limit.default [default]: limit is 100
  offset: offset
  offset.default [default]: offset is 0
  envelope [envelope]: { holdings: [NFT holding], pagination: { limit, offset, returned_count, totalCount, hasNextPage, hasPreviousPage (true when offset > 0) }, user_id }
  hasPreviousPage [field]: true when offset > 0

Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy.defi | parameter
  endpoint [endpoint]: GET {legacy_base_url}/v0/defi-holdings. Marked legacy; to be deprecated in favor of the v1 DeFi endpoint
  docId: string, one holding by document id
  limit [bound]: number 1 to 1000
  sortByHighestValue: boolean
  sortByHighestValue.default [default]: sortByHighestValue is true
  envelope [envelope]: { holdings: [DeFi holding], user_id, base_currency, total_defi_value, total_count, sorted_by_highest_value }

Legacy API ({legacy_base_url} and {legacy_public_url}) | legacy | endpoint
  holdings: {legacy_base_url}/api/v1/holdings: previous-API form of the current holdings endpoint; requires Authorization plus client-credential headers
  userinfo: {legacy_base_url}/api/v1/userinfo: previous-API form of the current user endpoint; requires Authorization plus client-credential headers

NFT holding (legacy endpoint) | nft | field
  id: string; Holding id
  contractAddress: string; Contract address
  tokenId: string; Token id
  name, description: string; Metadata
  contentType: string; MIME type
  nftUrl, thumbnailUrl: string; URLs
  source: object; { provider, walletId, publicAddress }
  ercType: string; ERC-721 (unique) or ERC-1155 (multi-token)
  amount: number; Quantity held
  price: object; { price: number, baseCurrency: string }
  isNftSpam: boolean; Spam flag
  collection: object; { collectionId, name, description, imageUrl, floorPrice: [{price, baseCurrency}], ownerCount, totalQuantity, socialLinks: [{platform, url}] }
  lastSale: object; { fromAddress, toAddress, quantity, timestamp (ISO 8601 string), transactionHash, marketplaceName, totalPrice: {price, baseCurrency} }
  source.fields: { provider, walletId, publicAddress }
  price.fields: { price: number, baseCurrency: string }
  collection.fields: { collectionId, name, description, imageUrl, floorPrice, ownerCount, totalQuantity, socialLinks }
  lastSale.fields: { fromAddress, toAddress, quantity, timestamp (ISO 8601 string), transactionHash, marketplaceName, totalPrice }

DeFi holding (legacy v0 endpoint) | defi | field
  id: string; Holding id
  name: string; Protocol name
  chain: string; Chain
  type: string; Position type, e.g. lending
  stats: object; net_usd_value, asset_usd_value, debt_usd_value, converted_net_value (numbers), converted_currency (string)
  portfolio_entry: object; Contains supply_token_list: array of { currency: string, amount: number }
  source: object; { walletId, address }
  stats.fields: net_usd_value, asset_usd_value, debt_usd_value, converted_net_value (numbers), converted_currency (string)
  supply_token_list: array of { currency: string, amount: number }
  snake-case [rule]: Legacy v0 responses use snake_case; v1 responses use camelCase

Posted transaction (legacy write payload) | posted | parameter
  walletId: string, required
  transactions: array, required
  timestamp: number; Yes; Unix milliseconds
  transactionType: string; Yes; deposit, withdrawal, trade or payment
  transactionId: string; Yes; On-chain hash, exchange id, or unique manual id
  description: object; No; { title: string, desc: string }
  sentCurrency, receivedCurrency, fee: object; No; { currency: string, amount: number }
  feeValue, netValue: object; No; { fiatValue: number, baseCurrency: string, priceAccuracy: string (e.g. high) }
  sender, receiver: object; No; Counterparty: name (UPPERCASE internal name), publicName (exact public name), walletId (provider id) or address (string)
  label: string; No; Must be a supported label, case-sensitive and compatible with the transaction type
`);
