import type { File } from 'node:buffer';
import type { assets } from '../api/assets.ts';
import type { UploadResult } from '../api/csv.ts';
import type { Holding } from '../api/holdings.ts';
import type { AccountsResult, Integration } from '../api/integrations.ts';
import type { labels } from '../api/labels.ts';
import type { Ledger, ledgers } from '../api/ledgers.ts';
import type {
  DefiHolding,
  LegacyIntegration,
  LegacyProvider,
  legacyDefi,
  legacyNfts,
  legacyProviders,
  NftHolding,
  PostedBatch,
  TransactionBatch,
} from '../api/legacy.ts';
import type { Provider, providers } from '../api/providers.ts';
import type { Sync } from '../api/syncs.ts';
import type { BatchResult, Transaction, transactions } from '../api/transactions.ts';
import type { User } from '../api/users.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import type { Extra, ListQuery } from './filters.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Change, IntegrationsWatchOptions, SyncWatchOptions } from './options.ts';
import type { ServiceAnswer } from './request.ts';

/** Query parameters of `GET /v1/ledgers`. */
export type LedgerFilters = ListQuery<typeof ledgers>;
/** Query parameters of `GET /v1/transactions`. The specification does not name wallet and date filters; pass them in `extra`. */
export type TransactionFilters = ListQuery<typeof transactions>;
/** Query parameters of `GET /v1/providers`. */
export type ProviderFilters = ListQuery<typeof providers>;
/** Query parameters of `GET /v1/assets/search`. The specification names only one filter. */
export type AssetFilters = ListQuery<typeof assets>;
/** Paging parameters. The specification defines no filters for these lists; pass filters in `extra`. */
export type OpenFilters = ListQuery<typeof labels>;
/** Query parameters of `GET /api/v1/nft-holdings`. */
export type NftFilters = ListQuery<typeof legacyNfts>;
/** Query parameters of `GET /v0/defi-holdings`. The endpoint has no offset, so rows beyond `limit` cannot be read. */
export type DefiFilters = ListQuery<typeof legacyDefi>;
/** Paging parameters of a legacy list. The specification names no filters; pass filters in `extra`. */
export type LegacyFilters = ListQuery<typeof legacyProviders>;

/** A record whose fields are not in the specification. Read the fields with `field(record, name)`. */
export type OpenRecord = Readonly<Record<never, never>>;

export interface AliasQuestion {
  /** Name of the query parameter (default: `alias`). The specification does not define the name. */
  readonly parameter?: string | undefined;
  readonly extra?: Extra | undefined;
}

export interface CsvUpload {
  /** Name of the form field that contains the files. The specification does not define the name. */
  readonly field: string;
  /** `.csv`, `.xls` or `.xlsx`; sent unchanged. */
  readonly files: readonly File[];
  /** Additional form fields. The specification defines no additional fields. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** The public catalogue, which is read without credentials ("Providers catalogue"). */
export interface Providers {
  /** Sorted: featured providers first, then working providers, then by name. */
  list(filters?: ProviderFilters, options?: CallOptions): Listing<Provider>;
  /** @throws NotFoundError */
  get(id: string, options?: CallOptions): Promise<Provider>;
  /** Returns the unchanged, unchecked record. */
  getAsServed(id: string, options?: CallOptions): Promise<JsonRecord>;
}

/** Legs of transactions; needs the scope `transactions:read` ("Ledgers"). */
export interface Ledgers {
  /** If rows are added during the read, later rows shift, so rows may be missing. `exportLedgers` detects missing rows. */
  list(filters?: LedgerFilters, options?: CallOptions): Listing<Ledger>;
  /** @throws NotFoundError */
  get(id: string, options?: CallOptions): Promise<Ledger>;
  /** Returns the unchanged, unchecked record. */
  getAsServed(id: string, options?: CallOptions): Promise<JsonRecord>;
}

export interface Transactions {
  list(filters?: TransactionFilters, options?: CallOptions): Listing<Transaction>;
  /** `GET /v1/transactions/{id}/ledgers`: cheaper than `ledgers.list` for one transaction. */
  ledgers(id: string, filters?: OpenFilters, options?: CallOptions): Listing<Ledger>;
  /**
   * `POST /v1/transactions/batch`. The body, whose format is not in the specification, is sent unchanged. Never retried.
   *
   * @returns `data` of the response. Failed items do not make the call throw; `data.errorCount` counts them.
   */
  batch(body: unknown, options?: CallOptions): Promise<BatchResult>;
}

/** Tokens, NFTs, DeFi positions and balances of a workspace. The specification names no filters; pass filters in `extra`. */
export interface Holdings {
  /** `extras.totalValue` of a page is the value of all tokens that match the query. */
  list(filters?: OpenFilters, options?: CallOptions): Listing<Holding>;
  /** `extras.totalEstimatedValueUsd` of a page is the value of the NFTs. */
  nfts(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  defi(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /** `GET /v1/defi/totals`: the unchanged record. */
  defiTotals(filters?: Pick<OpenFilters, 'extra'>, options?: CallOptions): Promise<OpenRecord>;
  /** `GET /v1/calculated-balances`. */
  balances(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Connected accounts: wallets, exchanges, blockchains, services. */
export interface Integrations {
  list(filters?: OpenFilters, options?: CallOptions): Listing<Integration>;
  assets(id: string, filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /** `GET /v1/integrations/alias-exists`. The format of the response is not in the specification; see `aliasExists(answer)`. */
  aliasExists(alias: string, question?: AliasQuestion, options?: CallOptions): Promise<JsonRecord>;
  /**
   * `POST /v1/integrations/test-credentials`. The body, whose format is not in the specification, is sent unchanged.
   *
   * @throws RejectedError `CREDENTIAL_VALIDATION_FAILED` if the provider rejects the credentials
   */
  testCredentials(body: unknown, options?: CallOptions): Promise<OpenRecord>;
  /**
   * `POST /v1/integrations/batch-delete`. The body, whose format is not in the specification, is sent unchanged. Never retried.
   *
   * @returns `data` of the response. Accounts that were not deleted do not make the call throw; `data.failed` lists them.
   */
  batchDelete(body: unknown, options?: CallOptions): Promise<AccountsResult>;
  /**
   * `POST /v1/integrations/resync-all`. The specification defines no body, so none is sent by default. Never retried.
   *
   * @returns `data` of the response. Accounts that were not synced do not make the call throw; `data.failed` lists them.
   */
  resyncAll(body?: unknown, options?: CallOptions): Promise<AccountsResult>;
  /**
   * Yields each change of the accounts with these ids (default: all), starting with the current status. Ends when
   * every account is `COMPLETED`, `FAILED`, `INACTIVE` or deleted. An account that is no longer in the list is reported as
   * `DELETED`.
   *
   * @throws TimeoutError `WAIT_TIMED_OUT`; NotFoundError for an id that is unknown at the start
   */
  watch(ids?: readonly string[], options?: IntegrationsWatchOptions): AsyncGenerator<Change, void, undefined>;
}

/** Syncs of connected accounts. */
export interface Syncs {
  /** @throws NotFoundError */
  get(id: string, options?: CallOptions): Promise<Sync>;
  /** Returns the unchanged, unchecked record. */
  getAsServed(id: string, options?: CallOptions): Promise<JsonRecord>;
  /**
   * Yields each change of a sync, starting with its current state, until the sync ends. Sync states and integration statuses are
   * separate sets of values, and are never compared.
   *
   * @throws TimeoutError `WAIT_TIMED_OUT`
   */
  watch(id: string, options?: SyncWatchOptions): AsyncGenerator<Change, void, undefined>;
}

/** Import of files. */
export interface Csv {
  /**
   * `POST /v1/csv/upload`. Never retried.
   *
   * @returns `data` of the response. Failed files do not make the call throw; `data.failures` lists them.
   */
  upload(upload: CsvUpload, options?: CallOptions): Promise<UploadResult>;
}

/** Labels of transactions. */
export interface Labels {
  list(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

export interface Assets {
  /** `GET /v1/assets/search`. */
  search(filters?: AssetFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Spam assets. */
export interface Spam {
  list(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Needs the scope `contacts:read`, which must be registered for the client ("Scopes"). */
export interface Contacts {
  list(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Needs the scope `contacts:read`, which must be registered for the client ("Scopes"). */
export interface CounterParties {
  list(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** The user who owns the credentials. */
export interface Users {
  /** `GET /v1/users/me`. The specification lists only the field `uid`. */
  me(options?: CallOptions): Promise<User>;
  /** Returns the unchanged, unchecked record. */
  meAsServed(options?: CallOptions): Promise<JsonRecord>;
}

/**
 * The legacy API (section "Legacy API" of the specification). It has its own addresses. A bearer token is sent with the
 * client's id and secret; connected wallets and posted transactions need an enterprise API key.
 */
export interface Legacy {
  /** Every supported integration, from the public host. No credentials are sent. */
  providers(filters?: LegacyFilters, options?: CallOptions): Listing<LegacyProvider>;
  /** `GET /api/v1/integrations`: the user's connected wallets. Needs an API key. */
  integrations(filters?: LegacyFilters, options?: CallOptions): Listing<LegacyIntegration>;
  holdings(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /** `GET /api/v1/userinfo`. The fields of the record are not in the specification. */
  userinfo(filters?: Pick<OpenFilters, 'extra'>, options?: CallOptions): Promise<OpenRecord>;
  /** Needs the scope `portfolios:read`. */
  nfts(filters?: NftFilters, options?: CallOptions): Listing<NftHolding>;
  /** One page of at most 1000 rows. The `extras` of the page contain `total_defi_value` and `base_currency`. */
  defi(filters?: DefiFilters, options?: CallOptions): Listing<DefiHolding>;
  /**
   * `POST /api/v0/transactions`; needs an API key with `write:transactions`. Never retried, because after a
   * {@link NetworkError} or an {@link UpstreamError} it is unknown whether the service accepted the batch.
   */
  postTransactions(batch: TransactionBatch, options?: CallOptions): Promise<PostedBatch>;
  /** Like `postTransactions`, but sends any query, and returns the unchanged response. */
  postAsServed(batch: object, query?: Query, options?: CallOptions): Promise<ServiceAnswer>;
}

/** Typed access to every resource of the service. */
export interface Nouns {
  readonly providers: Providers;
  readonly ledgers: Ledgers;
  readonly transactions: Transactions;
  readonly holdings: Holdings;
  readonly integrations: Integrations;
  readonly syncs: Syncs;
  readonly csv: Csv;
  readonly labels: Labels;
  readonly assets: Assets;
  readonly spam: Spam;
  readonly contacts: Contacts;
  readonly counterParties: CounterParties;
  readonly users: Users;
  readonly legacy: Legacy;
}
