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
import type { CallPromise } from './call-promise.ts';
import type { Extra, ListQuery } from './filters.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, IntegrationsWatchOptions, StatusChange, SyncWatchOptions } from './options.ts';
import type { ServiceAnswer } from './request.ts';

/** Query parameters of `GET /v1/ledgers`. */
export type LedgerFilters = ListQuery<typeof ledgers>;
/** Query parameters of `GET /v1/transactions`. The specification lists no wallet or date filters; pass them in `extra`. */
export type TransactionFilters = ListQuery<typeof transactions>;
/** Query parameters of `GET /v1/providers`. */
export type ProviderFilters = ListQuery<typeof providers>;
/** Query parameters of `GET /v1/assets/search`. The specification lists only one filter. */
export type AssetFilters = ListQuery<typeof assets>;
/** Paging parameters. The specification lists no filters for these endpoints; pass filters in `extra`. */
export type OpenFilters = ListQuery<typeof labels>;
/** Query parameters of `GET /api/v1/nft-holdings`. */
export type NftFilters = ListQuery<typeof legacyNfts>;
/** Query parameters of `GET /v0/defi-holdings`. The endpoint has no `offset`, so only the first `limit` rows can be read. */
export type DefiFilters = ListQuery<typeof legacyDefi>;
/** Paging parameters of a legacy list. The specification lists no filters; pass filters in `extra`. */
export type LegacyFilters = ListQuery<typeof legacyProviders>;

/** A record whose fields are not in the specification. Read a field with `field(record, name)`. */
export type OpenRecord = Readonly<Record<never, never>>;

export interface AliasQuestion {
  /** Name of the query parameter (default: `alias`). This name is not in the specification. */
  readonly parameter?: string | undefined;
  readonly extra?: Extra | undefined;
}

export interface CsvUpload {
  /** Name of the form field that contains the files. This name is not in the specification. */
  readonly field: string;
  /** Files with the extension `.csv`, `.xls` or `.xlsx`, which are sent unchanged. */
  readonly files: readonly File[];
  /** Form fields other than the files. The specification lists no such fields. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** Reads one record by its id. */
interface Gets<R> {
  /** @throws NotFoundError */
  get(id: string, options?: CallOptions): CallPromise<R>;
  /** Returns the record as the service sends it, without checking the fields. */
  getAsServed(id: string, options?: CallOptions): CallPromise<JsonRecord>;
}

/** Reads a list whose fields and filters are not in the specification. */
interface OpenList {
  list(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** The public catalogue of providers (section "Providers catalogue" of the specification). No credentials are sent. */
export interface Providers extends Gets<Provider> {
  /** The service returns featured providers first, then working providers. Each group is in alphabetical order. */
  list(filters?: ProviderFilters, options?: CallOptions): Listing<Provider>;
}

/** Legs of transactions. Requires the scope `transactions:read` (section "Ledgers" of the specification). */
export interface Ledgers extends Gets<Ledger> {
  /** If rows are added while the list is being read, the result may lack some rows. `exportLedgers` detects missing rows. */
  list(filters?: LedgerFilters, options?: CallOptions): Listing<Ledger>;
}

export interface Transactions {
  list(filters?: TransactionFilters, options?: CallOptions): Listing<Transaction>;
  /** Legs of one transaction (`GET /v1/transactions/{id}/ledgers`). Cheaper than `ledgers.list`. */
  ledgers(id: string, filters?: OpenFilters, options?: CallOptions): Listing<Ledger>;
  /**
   * `POST /v1/transactions/batch`. Sends the body unchanged, because its format is not in the specification. Never retried.
   *
   * @returns `data` of the response. Failed items do not throw an error; `data.errorCount` is the number of failed items.
   */
  batch(body: unknown, options?: CallOptions): CallPromise<BatchResult>;
}

/** Tokens, NFTs, DeFi positions and balances of a workspace. The specification lists no filters; pass filters in `extra`. */
export interface Holdings {
  /** In each page, `extras.totalValue` is the value of all tokens that match the query. */
  list(filters?: OpenFilters, options?: CallOptions): Listing<Holding>;
  /** In each page, `extras.totalEstimatedValueUsd` is the value of the NFTs. */
  nfts(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  defi(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /** Returns the unchanged record from `GET /v1/defi/totals`. */
  defiTotals(filters?: Pick<OpenFilters, 'extra'>, options?: CallOptions): CallPromise<OpenRecord>;
  /** `GET /v1/calculated-balances`. */
  balances(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Connected accounts: wallets, exchanges, blockchains and services. */
export interface Integrations {
  list(filters?: OpenFilters, options?: CallOptions): Listing<Integration>;
  assets(id: string, filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /**
   * `GET /v1/integrations/alias-exists`. The response is not in the specification. To read it, use the function `aliasExists`.
   */
  aliasExists(alias: string, question?: AliasQuestion, options?: CallOptions): CallPromise<JsonRecord>;
  /**
   * `POST /v1/integrations/test-credentials`. Sends the body unchanged, because its format is not in the specification.
   *
   * @throws RejectedError `CREDENTIAL_VALIDATION_FAILED` if the provider rejects the credentials
   */
  testCredentials(body: unknown, options?: CallOptions): CallPromise<OpenRecord>;
  /**
   * `POST /v1/integrations/batch-delete`. Sends the body unchanged, because its format is not in the specification. Never
   * retried.
   *
   * @returns `data` of the response. A failed deletion does not throw an error; `data.failed` lists the failed accounts.
   */
  batchDelete(body: unknown, options?: CallOptions): CallPromise<AccountsResult>;
  /**
   * `POST /v1/integrations/resync-all`. By default, no body is sent, because the specification defines none. Never retried.
   *
   * @returns `data` of the response. A failed sync does not throw an error; `data.failed` lists the failed accounts.
   */
  resyncAll(body?: unknown, options?: CallOptions): CallPromise<AccountsResult>;
  /**
   * Yields the current status of each account, then every change. Ends when every account is `COMPLETED`, `FAILED`, `INACTIVE`
   * or deleted. An account that disappears from the list is reported as `DELETED`.
   *
   * @param ids accounts to watch (default: all)
   * @throws TimeoutError `WAIT_TIMED_OUT`
   * @throws NotFoundError if an id is unknown at the start
   */
  watch(
    ids?: readonly string[],
    options?: IntegrationsWatchOptions,
  ): AsyncGenerator<StatusChange, void, undefined>;
}

/** Syncs of connected accounts. */
export interface Syncs extends Gets<Sync> {
  /**
   * Yields the current state of a sync, then every change until the sync ends. Sync states and integration statuses have
   * different values, so do not compare them.
   *
   * @throws TimeoutError `WAIT_TIMED_OUT`
   */
  watch(id: string, options?: SyncWatchOptions): AsyncGenerator<StatusChange, void, undefined>;
}

/** Import of files. */
export interface Csv {
  /**
   * `POST /v1/csv/upload`. Never retried.
   *
   * @returns `data` of the response. A failed file does not throw an error; `data.failures` lists the failed files.
   */
  upload(upload: CsvUpload, options?: CallOptions): CallPromise<UploadResult>;
}

/** Labels of transactions. */
export interface Labels extends OpenList {}

export interface Assets {
  /** `GET /v1/assets/search`. */
  search(filters?: AssetFilters, options?: CallOptions): Listing<OpenRecord>;
}

/** Spam assets. */
export interface Spam extends OpenList {}

/** Requires the scope `contacts:read`, which must be registered for the client (section "Scopes" of the specification). */
export interface Contacts extends OpenList {}

/** Requires the scope `contacts:read`, which must be registered for the client (section "Scopes" of the specification). */
export interface CounterParties extends OpenList {}

/** The user who owns the credentials. */
export interface Users {
  /** `GET /v1/users/me`. The specification lists only the field `uid`. */
  me(options?: CallOptions): CallPromise<User>;
  /** Returns the record as the service sends it, without checking the fields. */
  meAsServed(options?: CallOptions): CallPromise<JsonRecord>;
}

/**
 * The legacy API (section "Legacy API" of the specification). The legacy API has its own base URLs. Requests with a bearer
 * token also contain the client id and secret. `integrations` and `postTransactions` require an enterprise API key.
 */
export interface Legacy {
  /** Lists every supported integration. Uses the public host, and sends no credentials. */
  providers(filters?: LegacyFilters, options?: CallOptions): Listing<LegacyProvider>;
  /** Connected wallets of the user (`GET /api/v1/integrations`). Requires an API key. */
  integrations(filters?: LegacyFilters, options?: CallOptions): Listing<LegacyIntegration>;
  holdings(filters?: OpenFilters, options?: CallOptions): Listing<OpenRecord>;
  /** `GET /api/v1/userinfo`. The fields of the record are not in the specification. */
  userinfo(filters?: Pick<OpenFilters, 'extra'>, options?: CallOptions): CallPromise<OpenRecord>;
  /** Requires the scope `portfolios:read`. */
  nfts(filters?: NftFilters, options?: CallOptions): Listing<NftHolding>;
  /** One page of at most 1000 rows. The page has `total_defi_value` and `base_currency` in `extras`. */
  defi(filters?: DefiFilters, options?: CallOptions): Listing<DefiHolding>;
  /**
   * `POST /api/v0/transactions`. Requires an API key with `write:transactions`. Never retried, because the service may have
   * accepted the batch despite a {@link NetworkError} or an {@link UpstreamError}.
   */
  postTransactions(batch: TransactionBatch, options?: CallOptions): CallPromise<PostedBatch>;
  /** Like `postTransactions`, but accepts query parameters and returns the complete, unchecked response. */
  postAsServed(batch: object, query?: Query, options?: CallOptions): CallPromise<ServiceAnswer>;
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
