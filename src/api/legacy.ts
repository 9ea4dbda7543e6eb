import { isRecord, type JsonNumber } from '../core/json.ts';
import { byOffset, call, list, openPaging, single, unpaged } from './endpoint.ts';
import {
  choiceFilter,
  countFilter,
  flagFilter,
  listFilter as values,
  textFilter as word,
} from './filters.ts';
import { isOneOf, isSameId } from './readings.ts';
import { arrayOf, bool, nullable, number, open, parts, type RecordOf, required, text } from './records.ts';

// Records and endpoints of the legacy API, from "Legacy API" in the specification. The specification names an API key for two
// endpoints. All other endpoints require a login: the access token, the client id and the client secret (see "Headers").

/** Fields of a provider, from "Integration (legacy public list object)" in the specification. */
const provider = {
  id: required(text),
  name: text,
  publicName: text,
  logo: nullable(text),
  type: open('wallet', 'exchange', 'blockchain', 'services'),
  /** Whether accounts can be connected with an API key or an address. */
  isAPI: bool,
  isCSV: bool,
  isOAuth: bool,
  /** An EVM-compatible chain. */
  isEVM: bool,
  isWorking: bool,
  /** For blockchains, the id at a third-party data aggregator. */
  communityId: nullable(number),
  importGuide: nullable(text),
  functions: nullable(arrayOf(parts('name', 'publicName'))),
  /** For exchanges, this object may contain `apiKeyRequired` and `apiSecretRequired`. */
  integrationInfo: nullable(parts()),
  walletLimitations: nullable(parts()),
};
export type LegacyProvider = RecordOf<typeof provider>;

/** Fields of a wallet that the user has connected. */
const integration = {
  walletId: required(text),
  name: nullable(text),
  type: nullable(text),
  address: nullable(text),
};
export type LegacyIntegration = RecordOf<typeof integration>;

/** Fields of an NFT holding, from "NFT holding (legacy endpoint)" in the specification. */
const nft = {
  id: required(text),
  contractAddress: nullable(text),
  tokenId: nullable(text),
  name: nullable(text),
  description: nullable(text),
  /** MIME type. */
  contentType: nullable(text),
  nftUrl: nullable(text),
  thumbnailUrl: nullable(text),
  source: nullable(parts('provider', 'walletId', 'publicAddress')),
  /** `ERC-721` for unique tokens, `ERC-1155` for multi-token contracts. */
  ercType: nullable(open('ERC-721', 'ERC-1155')),
  amount: nullable(number),
  price: nullable(parts('price', 'baseCurrency')),
  isNftSpam: nullable(bool),
  collection: nullable(
    parts(
      'collectionId',
      'name',
      'description',
      'imageUrl',
      'floorPrice',
      'ownerCount',
      'totalQuantity',
      'socialLinks',
    ),
  ),
  lastSale: nullable(
    parts(
      'fromAddress',
      'toAddress',
      'quantity',
      'timestamp',
      'transactionHash',
      'marketplaceName',
      'totalPrice.price',
      'totalPrice.baseCurrency',
    ),
  ),
};
export type NftHolding = RecordOf<typeof nft>;

/** Fields of a DeFi holding, from "DeFi holding (legacy v0 endpoint)" in the specification. */
const position = {
  id: required(text),
  /** Protocol. */
  name: nullable(text),
  chain: nullable(text),
  /** For example `lending`. */
  type: nullable(text),
  stats: nullable(
    parts('net_usd_value', 'asset_usd_value', 'debt_usd_value', 'converted_net_value', 'converted_currency'),
  ),
  /** Each entry of `supply_token_list` contains `currency` and `amount`. */
  portfolio_entry: nullable(parts('supply_token_list')),
  source: nullable(parts('walletId', 'address')),
};
export type DefiHolding = RecordOf<typeof position>;

/** The chains that the filter `chain` accepts. */
const CHAINS = ['ethereum', 'polygon'] as const;

const limit = countFilter('rows per page', 1);
const offset = countFilter('rows to skip', 0);

export const legacyProviders = list({
  api: 'legacyPublic',
  path: '/integrations/public/list',
  scope: null,
  noun: 'provider',
  nouns: 'providers',
  // The response contains all supported integrations. The specification lists no parameters for this endpoint.
  paging: unpaged({ limit, offset }),
  record: provider,
  columns: {
    table: [
      { key: 'publicName', header: 'name' },
      { key: 'type' },
      { key: 'isWorking', header: 'working' },
      { key: 'isAPI', header: 'api' },
      { key: 'isCSV', header: 'csv' },
      { key: 'isOAuth', header: 'oauth' },
      { key: 'isEVM', header: 'evm' },
      { key: 'id' },
    ],
  },
});

export const legacyIntegrations = list({
  api: 'legacy',
  path: '/api/v1/integrations',
  credential: 'api-key',
  noun: 'wallet',
  nouns: 'wallets',
  paging: unpaged({ limit, offset }),
  record: integration,
});

/** The specification lists only the fields that have a new name in the current API. */
export const legacyHoldings = list({
  api: 'legacy',
  path: '/api/v1/holdings',
  credential: 'login',
  noun: 'holding',
  nouns: 'holdings',
  paging: openPaging,
  record: {},
  isOpen: true,
  columns: {
    table: [
      { key: 'asset.tokenId', header: 'token' },
      { key: 'costbasis', header: 'cost basis', figure: true },
      { key: 'roi', figure: true },
      { key: '24hrChange', header: '24 h %', figure: true },
    ],
    csv: [{ key: 'asset.tokenId' }, { key: 'costbasis' }, { key: 'roi' }, { key: '24hrChange' }],
  },
});

export const legacyNfts = list({
  api: 'legacy',
  path: '/api/v1/nft-holdings',
  credential: 'login',
  scope: 'portfolios:read',
  noun: 'NFT',
  nouns: 'NFTs',
  paging: byOffset({ max: 1000 }),
  record: nft,
  filters: {
    source: values('NFTs held at these sources (at most 30 sources)', 'list', {
      max: 30,
      known: { word: 'source', from: 'rows' },
      decides: ({ source }, wanted) =>
        isRecord(source)
          ? isOneOf([source['provider'], source['walletId'], source['publicAddress']], wanted)
          : undefined,
    }),
    collection: values('NFTs of these collections (at most 30 collections)', 'ids', {
      max: 30,
      known: { word: 'collection', from: 'rows' },
      // The id may also be a name, or the address of the contract.
      decides: ({ collection, contractAddress }, wanted) =>
        isRecord(collection)
          ? isOneOf([collection['collectionId'], collection['name'], contractAddress], wanted)
          : undefined,
    }),
    chain: choiceFilter('NFTs on this chain', 'chain', CHAINS, {
      // The specification lists no field for the chain.
      decides: ({ chain }, wanted) =>
        CHAINS.some((known) => known === chain) ? chain === wanted : undefined,
    }),
    tokenId: word('NFT with this token id', 'id', {
      known: { word: 'token id', from: 'rows' },
      decides: ({ tokenId }, id) => (typeof tokenId === 'string' ? isSameId(tokenId, id) : undefined),
    }),
    contract: word('NFTs of this contract', 'address', {
      known: { word: 'contract', from: 'rows', isOpen: true },
      decides: ({ contractAddress }, address) =>
        typeof contractAddress === 'string' ? isSameId(contractAddress, address) : undefined,
    }),
  },
  columns: {
    table: [
      { key: 'name' },
      { key: 'collection.name', header: 'collection' },
      { key: 'amount', figure: true },
      { key: 'price.price', header: 'price', figure: true },
      { key: 'price.baseCurrency', header: 'currency' },
      { key: 'ercType', header: 'kind' },
      { key: 'isNftSpam', header: 'spam' },
      { key: 'source.provider', header: 'held at' },
      { key: 'id' },
    ],
  },
});

export const legacyDefi = list({
  api: 'legacy',
  path: '/v0/defi-holdings',
  credential: 'login',
  noun: 'DeFi position',
  nouns: 'DeFi positions',
  // The endpoint has no offset parameter, so rows beyond the limit cannot be read.
  paging: unpaged({ limit: countFilter('rows to show', 1, 1000) }),
  record: position,
  filters: {
    docId: word('only the position with this document id', 'id', {
      known: { word: 'document id', from: 'rows' },
      // The document id may be in a field that the specification does not list, such as `docId`.
      decides: (position, id) => {
        const ids = Object.entries(position).filter(([name]) => /id$/i.test(name));
        return isOneOf([position['id'], ...ids.map(([, value]) => value)], [id]);
      },
    }),
  },
  parameters: { sortByHighestValue: flagFilter('whether to list the highest value first (default: true)') },
  columns: {
    table: [
      { key: 'name', header: 'protocol' },
      { key: 'chain' },
      { key: 'type' },
      { key: 'stats.net_usd_value', header: 'net USD', figure: true },
      { key: 'stats.asset_usd_value', header: 'assets USD', figure: true },
      { key: 'stats.debt_usd_value', header: 'debt USD', figure: true },
      { key: 'supplies', derive: ({ portfolio_entry }) => suppliesOf(portfolio_entry) },
      { key: 'source.walletId', header: 'wallet' },
      { key: 'id' },
    ],
  },
});

function suppliesOf(entry: unknown): unknown {
  const list: unknown = Object(entry).supply_token_list;
  return Array.isArray(list) ? list.map((token) => String(Object(token).currency ?? '?')).join(', ') : list;
}

export const legacyUser = single({
  api: 'legacy',
  path: '/api/v1/userinfo',
  credential: 'login',
  noun: 'user',
  record: {},
});

export const legacyPost = call({
  api: 'legacy',
  method: 'POST',
  path: '/api/v0/transactions',
  credential: 'api-key',
});

/** Fields of the response to an accepted batch. */
export const postedBatch = {
  message: text,
  /** `source` contains `walletId` and `name`. */
  data: arrayOf(parts('timestamp', 'transactionType', 'transactionId', 'source')),
  count: number,
  user_id: text,
  /** Unix milliseconds. */
  timestamp: number,
};
export type PostedBatch = RecordOf<typeof postedBatch>;

/** An amount in one currency. If `amount` has too many digits for a double, pass `new LosslessNumber('0.1…')`. */
export interface PostedAmount {
  readonly currency: string;
  readonly amount: JsonNumber;
}

export interface PostedValue {
  readonly fiatValue: JsonNumber;
  readonly baseCurrency: string;
  /** For example `high`. */
  readonly priceAccuracy?: string;
}

export interface PostedParty {
  /** Internal name, in upper case. */
  readonly name?: string;
  readonly publicName?: string;
  /** Provider id. */
  readonly walletId?: string;
  readonly address?: string;
}

/** A transaction to post. See "Posted transaction (legacy write payload)" in the specification. */
export interface PostedTransaction {
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly transactionType: 'deposit' | 'withdrawal' | 'trade' | 'payment';
  /** The on-chain hash, the id at the exchange, or your own unique id. */
  readonly transactionId: string;
  readonly description?: { readonly title?: string; readonly desc?: string };
  readonly sentCurrency?: PostedAmount;
  readonly receivedCurrency?: PostedAmount;
  readonly fee?: PostedAmount;
  readonly feeValue?: PostedValue;
  readonly netValue?: PostedValue;
  readonly sender?: PostedParty;
  readonly receiver?: PostedParty;
  /** A supported label for this `transactionType`. Labels are case-sensitive. */
  readonly label?: string;
}

/** The body of a request that posts transactions. */
export interface TransactionBatch {
  readonly walletId: string;
  readonly transactions: readonly PostedTransaction[];
}
