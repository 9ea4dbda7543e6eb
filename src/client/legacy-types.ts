// Records of the previous API, by "Resources and their fields" of the specification; open, as those of types.ts.
import type { JsonRecord } from '../core/json.ts';
import {
  arrayOf,
  checkRecord,
  isBoolean,
  isJsonNumber,
  isObject,
  isString,
  type JsonNumber,
  nullable,
  optional,
} from './records.ts';

export interface LegacyProviderParts {
  readonly id: string;
  readonly name?: string;
  readonly publicName?: string;
  readonly logo?: string | null;
  /** `wallet`, `exchange`, `blockchain`, `services`, or others. */
  readonly type?: string;
  /** Connected by API key or by address. */
  readonly isAPI?: boolean;
  readonly isCSV?: boolean;
  readonly isOAuth?: boolean;
  /** An EVM-compatible chain. */
  readonly isEVM?: boolean;
  readonly isWorking?: boolean;
  /** Id in a third-party data aggregator, for blockchains. */
  readonly communityId?: JsonNumber | null;
  readonly importGuide?: string | null;
  /** Entries `{ name, publicName }`. */
  readonly functions?: readonly JsonRecord[] | null;
  /** For exchanges it may hold `apiKeyRequired` and `apiSecretRequired`. */
  readonly integrationInfo?: JsonRecord | null;
  readonly walletLimitations?: JsonRecord | null;
}
/** "Integration (legacy public list object)". */
export type LegacyProvider = LegacyProviderParts & JsonRecord;

export interface LegacyIntegrationParts {
  readonly walletId: string;
  readonly name?: string | null;
  readonly type?: string | null;
  readonly address?: string | null;
}
/** A connected wallet of the user, as the previous API gives it. */
export type LegacyIntegration = LegacyIntegrationParts & JsonRecord;

export interface NftHoldingParts {
  readonly id: string;
  readonly contractAddress?: string | null;
  readonly tokenId?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
  /** MIME type. */
  readonly contentType?: string | null;
  readonly nftUrl?: string | null;
  readonly thumbnailUrl?: string | null;
  /** `provider`, `walletId`, `publicAddress`. */
  readonly source?: JsonRecord | null;
  /** `ERC-721` (unique) or `ERC-1155` (many of one). */
  readonly ercType?: string | null;
  readonly amount?: JsonNumber | null;
  /** `price`, `baseCurrency`. */
  readonly price?: JsonRecord | null;
  readonly isNftSpam?: boolean | null;
  readonly collection?: JsonRecord | null;
  readonly lastSale?: JsonRecord | null;
}
/** "NFT holding (legacy endpoint)". */
export type NftHolding = NftHoldingParts & JsonRecord;

export interface DefiHoldingParts {
  readonly id: string;
  /** Protocol. */
  readonly name?: string | null;
  readonly chain?: string | null;
  /** As in `lending`. */
  readonly type?: string | null;
  /** `net_usd_value`, `asset_usd_value`, `debt_usd_value`, `converted_net_value`, `converted_currency`. */
  readonly stats?: JsonRecord | null;
  /** Holds `supply_token_list`: entries `{ currency, amount }`. */
  readonly portfolio_entry?: JsonRecord | null;
  /** `walletId`, `address`. */
  readonly source?: JsonRecord | null;
}
/** "DeFi holding (legacy v0 endpoint)". */
export type DefiHolding = DefiHoldingParts & JsonRecord;

/** A quantity of a currency. An amount with more digits than a double holds: `new LosslessNumber('0.1…')`. */
export interface PostedAmount {
  readonly currency: string;
  readonly amount: JsonNumber;
}

export interface PostedValue {
  readonly fiatValue: JsonNumber;
  readonly baseCurrency: string;
  /** As in `high`. */
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

/** "Posted transaction (legacy write payload)". */
export interface PostedTransaction {
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly transactionType: 'deposit' | 'withdrawal' | 'trade' | 'payment';
  /** On-chain hash, the exchange's id, or a unique one of your own. */
  readonly transactionId: string;
  readonly description?: { readonly title?: string; readonly desc?: string };
  readonly sentCurrency?: PostedAmount;
  readonly receivedCurrency?: PostedAmount;
  readonly fee?: PostedAmount;
  readonly feeValue?: PostedValue;
  readonly netValue?: PostedValue;
  readonly sender?: PostedParty;
  readonly receiver?: PostedParty;
  /** A supported label that fits the type; case-sensitive. */
  readonly label?: string;
}

/** What is posted. */
export interface TransactionBatch {
  readonly walletId: string;
  readonly transactions: readonly PostedTransaction[];
}

export interface PostedBatchParts {
  readonly message?: string;
  /** Entries `{ timestamp, transactionType, transactionId, source: { walletId, name } }`. */
  readonly data?: readonly JsonRecord[];
  readonly count?: JsonNumber;
  readonly user_id?: string;
  /** Unix milliseconds. */
  readonly timestamp?: JsonNumber;
}
/** What the service says of a batch that it took. */
export type PostedBatch = PostedBatchParts & JsonRecord;

/** @throws ServiceError `BAD_RECORD` */
export function parseLegacyProvider(value: unknown): LegacyProvider {
  return checkRecord<LegacyProviderParts>(value, 'provider', {
    id: isString,
    name: optional(isString),
    publicName: optional(isString),
    logo: nullable(isString),
    type: optional(isString),
    isAPI: optional(isBoolean),
    isCSV: optional(isBoolean),
    isOAuth: optional(isBoolean),
    isEVM: optional(isBoolean),
    isWorking: optional(isBoolean),
    communityId: nullable(isJsonNumber),
    importGuide: nullable(isString),
    functions: nullable(arrayOf(isObject)),
    integrationInfo: nullable(isObject),
    walletLimitations: nullable(isObject),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parseLegacyIntegration(value: unknown): LegacyIntegration {
  return checkRecord<LegacyIntegrationParts>(value, 'integration', {
    walletId: isString,
    name: nullable(isString),
    type: nullable(isString),
    address: nullable(isString),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parseNftHolding(value: unknown): NftHolding {
  return checkRecord<NftHoldingParts>(value, 'NFT holding', {
    id: isString,
    contractAddress: nullable(isString),
    tokenId: nullable(isString),
    name: nullable(isString),
    description: nullable(isString),
    contentType: nullable(isString),
    nftUrl: nullable(isString),
    thumbnailUrl: nullable(isString),
    source: nullable(isObject),
    ercType: nullable(isString),
    amount: nullable(isJsonNumber),
    price: nullable(isObject),
    isNftSpam: nullable(isBoolean),
    collection: nullable(isObject),
    lastSale: nullable(isObject),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parseDefiHolding(value: unknown): DefiHolding {
  return checkRecord<DefiHoldingParts>(value, 'DeFi holding', {
    id: isString,
    name: nullable(isString),
    chain: nullable(isString),
    type: nullable(isString),
    stats: nullable(isObject),
    portfolio_entry: nullable(isObject),
    source: nullable(isObject),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parsePostedBatch(value: unknown): PostedBatch {
  return checkRecord<PostedBatchParts>(value, 'answer to posted transactions', {
    message: optional(isString),
    data: optional(arrayOf(isObject)),
    count: optional(isJsonNumber),
    user_id: optional(isString),
    timestamp: optional(isJsonNumber),
  });
}
