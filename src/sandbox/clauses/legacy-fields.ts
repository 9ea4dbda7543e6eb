import { type Clause, sections } from './clause.ts';

export const LEGACY_FIELDS: readonly Clause[] = sections(`
NFT holding (legacy endpoint) | nft | field
  id: string; Holding id
  contractAddress: string; Contract address
  tokenId: string; Token id
  name: string; Metadata
  description: string; Metadata
  contentType: string; MIME type
  nftUrl: string; URLs
  thumbnailUrl: string; URLs
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
  sentCurrency: object; No; { currency: string, amount: number }
  receivedCurrency: object; No; { currency: string, amount: number }
  fee: object; No; { currency: string, amount: number }
  feeValue: object; No; { fiatValue: number, baseCurrency: string, priceAccuracy: string (e.g. high) }
  netValue: object; No; { fiatValue: number, baseCurrency: string, priceAccuracy: string (e.g. high) }
  sender: object; No; Counterparty: name (UPPERCASE internal name), publicName (exact public name), walletId (provider id) or address (string)
  receiver: object; No; Counterparty: name (UPPERCASE internal name), publicName (exact public name), walletId (provider id) or address (string)
  label: string; No; Must be a supported label, case-sensitive and compatible with the transaction type
`);
