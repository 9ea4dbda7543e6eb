// Records as the service gives them, by "Resources and their fields" of the specification. A field may be
// missing unless it says otherwise, and may be null only where the specification says so. Every type is open:
// a field that it does not name is there, as `unknown`.
import type { JsonRecord } from '../core/json.ts';
import {
  arrayOf,
  checkRecord,
  isBoolean,
  isJsonNumber,
  isNumber,
  isObject,
  isString,
  type JsonNumber,
  mapOf,
  nullable,
  objectOf,
  optional,
} from './records.ts';

/** What a provider must be given to connect an account. The map of these is open: iterate it. */
export interface CredentialFieldParts {
  readonly required?: boolean;
  /** `string`, `password` or `boolean`: what kind of input it is. */
  readonly type?: string;
  readonly label?: string;
  readonly placeholder?: string | null;
}
export type CredentialField = CredentialFieldParts & JsonRecord;

/** One thing that a provider's connector can fetch, with its health. */
export interface ConnectorFunctionParts {
  /** The value accepted in `config.userFunctions`. */
  readonly name?: string;
  readonly public_name?: string;
  /** A core function: where it is not operational, the provider is out fully, else partly. */
  readonly is_base?: boolean;
  /** `trade`, `deposit`, … */
  readonly categories?: readonly string[];
  readonly enabled?: boolean;
  /** Enabled, and the last health probe was clean; false also where none was made. */
  readonly operational?: boolean;
}
export type ConnectorFunction = ConnectorFunctionParts & JsonRecord;

export interface ProviderParts {
  /** Always there. */
  readonly id: string;
  readonly slug?: string;
  readonly name?: string;
  readonly publicName?: string;
  readonly description?: string | null;
  /** `exchange`, `blockchain`, `wallet`, `service` or `aggregator`. */
  readonly type?: string;
  readonly logo?: string | null;
  readonly featured?: boolean;
  /** False: connecting is allowed, and syncs will likely fail. */
  readonly isWorking?: boolean;
  /** Any of `api`, `csv`, `oauth`, `address`, `wallet_connect`, `manual`. */
  readonly importMethods?: readonly string[];
  readonly credentialFields?: Readonly<Record<string, CredentialField>>;
  /** An absent key means unsupported. */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** Entries `{ id, onlyManual? }`. */
  readonly walletSupportedChains?: readonly JsonRecord[] | null;
  readonly functions?: readonly ConnectorFunction[] | null;
  readonly integrationInfo?: JsonRecord | null;
  readonly walletLimitations?: JsonRecord | null;
  readonly metadata?: JsonRecord | null;
  /** ISO 8601. */
  readonly createdAt?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
}
/** "Provider (current catalogue)". */
export type Provider = ProviderParts & JsonRecord;

/** Price of one unit when the leg moved. */
export interface PriceParts {
  readonly price?: JsonNumber;
  readonly baseCurrency?: string;
  /** Unix milliseconds. */
  readonly timestamp?: number;
  readonly source?: string;
}
export type Price = PriceParts & JsonRecord;

export interface LedgerParts {
  /** Always there. */
  readonly id: string;
  readonly transactionId?: string;
  readonly workspaceId?: string;
  /** `incoming`, `outgoing` or `fee`. */
  readonly type?: string;
  /** Null while unresolved. */
  readonly assetId?: string | null;
  /** The asset as its source reports it; holds `symbol`. */
  readonly assetRaw?: JsonRecord;
  /** A decimal string, up to 18 places: never make a number of it. */
  readonly quantity?: string;
  /** Currency of `price` and `value`. */
  readonly baseCurrency?: string;
  readonly price?: Price | null;
  /** Quantity × price, the only figure that is a number. */
  readonly value?: JsonNumber | null;
  /** Unix milliseconds. */
  readonly timestamp?: number;
  /** The account that owns the leg. */
  readonly walletId?: string;
  readonly syncId?: string | null;
  readonly fromAccount?: JsonRecord | null;
  readonly toAccount?: JsonRecord | null;
  readonly label?: string | null;
  readonly description?: string | null;
  readonly internalLabel?: string | null;
  readonly isEdited?: boolean;
  /** Decimal string. */
  readonly beforeBalance?: string | null;
  /** Decimal string. */
  readonly afterBalance?: string | null;
  /** Decimal string; null until tax processing has run. */
  readonly costbasis?: string | null;
  /** Decimal string; null until tax processing has run. */
  readonly proceeds?: string | null;
  /** Decimal string; null until tax processing has run. */
  readonly profit?: string | null;
  /** Enterprise only. */
  readonly debitCoaCode?: string | null;
  /** Enterprise only. */
  readonly creditCoaCode?: string | null;
  /** Enterprise only. */
  readonly isDebitCoaEdited?: boolean;
  /** Enterprise only. */
  readonly isCreditCoaEdited?: boolean;
  /** `symbol`, `name`, `logoUrl`, `type`. */
  readonly asset?: JsonRecord | null;
}
/** "Ledger (one leg of a transaction)". */
export type Ledger = LedgerParts & JsonRecord;

export interface UserParts {
  /** The stable user id; equals `sub` of the userinfo claims. */
  readonly uid: string;
}
/** What `GET /v1/users/me` gives: nothing is specified of it but `uid`. */
export type User = UserParts & JsonRecord;

/** @throws ServiceError `BAD_RECORD` */
export function parseProvider(value: unknown): Provider {
  return checkRecord<ProviderParts>(value, 'provider', {
    id: isString,
    slug: optional(isString),
    name: optional(isString),
    publicName: optional(isString),
    description: nullable(isString),
    type: optional(isString),
    logo: nullable(isString),
    featured: optional(isBoolean),
    isWorking: optional(isBoolean),
    importMethods: optional(arrayOf(isString)),
    credentialFields: optional(mapOf(isCredentialField)),
    capabilities: optional(mapOf(isBoolean)),
    walletSupportedChains: nullable(arrayOf(isObject)),
    functions: nullable(arrayOf(isConnectorFunction)),
    integrationInfo: nullable(isObject),
    walletLimitations: nullable(isObject),
    metadata: nullable(isObject),
    createdAt: optional(isString),
    updatedAt: optional(isString),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parseLedger(value: unknown): Ledger {
  return checkRecord<LedgerParts>(value, 'ledger', {
    id: isString,
    transactionId: optional(isString),
    workspaceId: optional(isString),
    type: optional(isString),
    assetId: nullable(isString),
    assetRaw: optional(isObject),
    quantity: optional(isString),
    baseCurrency: optional(isString),
    price: nullable(isPrice),
    value: nullable(isJsonNumber),
    timestamp: optional(isNumber),
    walletId: optional(isString),
    syncId: nullable(isString),
    fromAccount: nullable(isObject),
    toAccount: nullable(isObject),
    label: nullable(isString),
    description: nullable(isString),
    internalLabel: nullable(isString),
    isEdited: optional(isBoolean),
    beforeBalance: nullable(isString),
    afterBalance: nullable(isString),
    costbasis: nullable(isString),
    proceeds: nullable(isString),
    profit: nullable(isString),
    debitCoaCode: nullable(isString),
    creditCoaCode: nullable(isString),
    isDebitCoaEdited: optional(isBoolean),
    isCreditCoaEdited: optional(isBoolean),
    asset: nullable(isObject),
  });
}

/** @throws ServiceError `BAD_RECORD` */
export function parseUser(value: unknown): User {
  return checkRecord<UserParts>(value, 'user', { uid: isString });
}

const isCredentialField = objectOf<CredentialFieldParts>({
  required: optional(isBoolean),
  type: optional(isString),
  label: optional(isString),
  placeholder: nullable(isString),
});

const isConnectorFunction = objectOf<ConnectorFunctionParts>({
  name: optional(isString),
  public_name: optional(isString),
  is_base: optional(isBoolean),
  categories: optional(arrayOf(isString)),
  enabled: optional(isBoolean),
  operational: optional(isBoolean),
});

const isPrice = objectOf<PriceParts>({
  price: optional(isJsonNumber),
  baseCurrency: optional(isString),
  timestamp: optional(isNumber),
  source: optional(isString),
});
