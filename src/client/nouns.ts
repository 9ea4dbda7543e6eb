import type { File } from 'node:buffer';
import { assets } from '../api/assets.ts';
import { contacts, counterParties } from '../api/contacts.ts';
import { csvUpload } from '../api/csv.ts';
import type { List, Single } from '../api/endpoint.ts';
import { balances, defi, defiTotals, holdings, nfts } from '../api/holdings.ts';
import {
  aliasExistsCall,
  batchDelete,
  integrationAssets,
  integrations,
  resyncAll,
  testCredentials,
} from '../api/integrations.ts';
import { labels } from '../api/labels.ts';
import { ledger, ledgers } from '../api/ledgers.ts';
import {
  legacyDefi,
  legacyHoldings,
  legacyIntegrations,
  legacyNfts,
  legacyPost,
  legacyProviders,
  legacyUser,
  type PostedBatch,
  postedBatch,
  type TransactionBatch,
} from '../api/legacy.ts';
import { provider, providers } from '../api/providers.ts';
import type { Fields } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { sync } from '../api/syncs.ts';
import { transactionBatch, transactionLedgers, transactions } from '../api/transactions.ts';
import { user } from '../api/users.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import type { Extra } from './filters.ts';
import type { WatchOptions } from './poll.ts';
import { checkRecord } from './records.ts';
import type { FormPart } from './request.ts';
import { type ListQuery, requestTo, type Service } from './service.ts';
import type { ServiceAnswer } from './transport.ts';
import { type SyncWatchOptions, watchIntegrations, watchSync } from './watch.ts';

/** Query parameters of `GET /v1/ledgers`. */
export type LedgerFilters = ListQuery<typeof ledgers>;
/** Query parameters of `GET /v1/transactions`; pass filters by wallet and date, whose names are not specified, in `extra`. */
export type TransactionFilters = ListQuery<typeof transactions>;
/** Query parameters of `GET /v1/providers`. */
export type ProviderFilters = ListQuery<typeof providers>;
/** Query parameters of `GET /v1/assets/search`: only one is specified. */
export type AssetFilters = ListQuery<typeof assets>;
/** Parameters of a list without specified parameters; pass any others in `extra`. */
export type OpenFilters = ListQuery<typeof labels>;
/** Query parameters of `GET /api/v1/nft-holdings`. */
export type NftFilters = ListQuery<typeof legacyNfts>;
/** Query parameters of `GET /v0/defi-holdings`. There is no offset, so rows beyond `limit` cannot be read. */
export type DefiFilters = ListQuery<typeof legacyDefi>;
/** Parameters of a legacy list without specified parameters. */
export type LegacyFilters = ListQuery<typeof legacyProviders>;

/** The answer to `POST /v1/transactions/batch`: only `errorCount` is specified. */
export type BatchResult = JsonRecord;

export interface AliasQuestion {
  /** Name of the query parameter, which is not specified (default: `alias`). */
  readonly parameter?: string | undefined;
  readonly extra?: Extra | undefined;
}

export interface CsvUpload {
  /** Name of the form field for the files; it is not specified. */
  readonly field: string;
  /** `.csv`, `.xls` or `.xlsx`; sent unchanged. */
  readonly files: readonly File[];
  /** Other fields of the form; none are specified. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** Typed access to every noun of the service, derived from the declarations in `api/`. */
export function nounsOf(service: Service) {
  function listOf<R extends Fields, L extends List<R>>(declared: L & List<R>) {
    return (filters: ListQuery<L> = {}, signal?: AbortSignal) =>
      service.list<R, L>(declared, filters, signal);
  }
  function listUnder<R extends Fields, L extends List<R>>(declared: L & List<R>) {
    return (id: string, filters: ListQuery<L> = {}, signal?: AbortSignal) =>
      service.list<R, L>(declared, filters, signal, id);
  }
  function getOf<R extends Fields>(declared: Single<R>) {
    return {
      /** @throws ServiceError of kind `notFound` */
      get: (id: string, signal?: AbortSignal) => service.readChecked(declared, [id], signal),
      /** Returns the unchanged, unchecked record. */
      getAsServed: (id: string, signal?: AbortSignal) => service.read(declared, [id], signal),
    };
  }
  const postAsServed = (batch: object, signal?: AbortSignal, query?: Query): Promise<ServiceAnswer> =>
    service.transport.request({ ...requestTo(legacyPost, { body: batch, query }), signal });

  return {
    /** The public catalogue: no credentials are sent ("Providers catalogue"). */
    providers: {
      /** Sorted by featured, working, then name. */
      list: listOf(providers),
      ...getOf(provider),
    },
    /** Legs of transactions; needs the scope `transactions:read` ("Ledgers"). */
    ledgers: {
      /** New rows shift later rows while pages are read, so rows may be missing. An export detects that. */
      list: listOf(ledgers),
      ...getOf(ledger),
    },
    transactions: {
      list: listOf(transactions),
      /** `GET /v1/transactions/{id}/ledgers`: cheaper than `ledgers.list` for one transaction. */
      ledgers: listUnder(transactionLedgers),
      /**
       * `POST /v1/transactions/batch`, with an unchanged body, whose form is not specified. It is sent once.
       *
       * @returns `data` of the answer; its `errorCount` counts failed items, which do not throw
       */
      batch: (body: unknown, signal?: AbortSignal): Promise<BatchResult> =>
        service.call({ ...requestTo(transactionBatch, { body }), signal }),
    },
    /** Tokens, NFTs, DeFi positions and balances of a workspace. No parameters are specified: use `extra`. */
    holdings: {
      /** `extras.totalValue` of a page is the value of all tokens of the query. */
      list: listOf(holdings),
      /** `extras.totalEstimatedValueUsd` of a page is the value of the NFTs. */
      nfts: listOf(nfts),
      defi: listOf(defi),
      /** `GET /v1/defi/totals`: the unchanged record. */
      defiTotals: ({ extra }: Pick<OpenFilters, 'extra'> = {}, signal?: AbortSignal) =>
        service.read(defiTotals, [], signal, extra),
      /** `GET /v1/calculated-balances`. */
      balances: listOf(balances),
    },
    /** Connected accounts: wallets, exchanges, blockchains, services. */
    integrations: {
      list: listOf(integrations),
      assets: listUnder(integrationAssets),
      /** `GET /v1/integrations/alias-exists`: returns the answer, whose form is not specified; see {@link aliasExists}. */
      aliasExists: (
        alias: string,
        { parameter = 'alias', extra = {} }: AliasQuestion = {},
        signal?: AbortSignal,
      ): Promise<JsonRecord> =>
        service.call({ ...requestTo(aliasExistsCall, { query: { ...extra, [parameter]: alias } }), signal }),
      /**
       * `POST /v1/integrations/test-credentials`, with an unchanged body, whose form is not specified.
       *
       * @throws ServiceError `CREDENTIAL_VALIDATION_FAILED` if the provider rejects the credentials
       */
      testCredentials: (body: unknown, signal?: AbortSignal): Promise<JsonRecord> =>
        service.call({ ...requestTo(testCredentials, { body }), signal }),
      /**
       * `POST /v1/integrations/batch-delete`, with an unchanged body, whose form is not specified. It is sent once.
       *
       * @returns `data` of the answer; its `failed` lists accounts that were not deleted, which do not throw
       */
      batchDelete: (body: unknown, signal?: AbortSignal): Promise<JsonRecord> =>
        service.call({ ...requestTo(batchDelete, { body }), signal }),
      /**
       * `POST /v1/integrations/resync-all`; with a body only if passed, since none is specified. It is sent once.
       *
       * @returns `data` of the answer; its `failed` lists accounts that are not synced, which do not throw
       */
      resyncAll: (body?: unknown, signal?: AbortSignal): Promise<JsonRecord> =>
        service.call({ ...requestTo(resyncAll, { body }), signal }),
      /** See {@link watchIntegrations}. */
      watch: (ids?: readonly string[], options?: WatchOptions) => watchIntegrations(service, ids, options),
    },
    /** Runs that read connected accounts. */
    syncs: {
      ...getOf(sync),
      /** See {@link watchSync}. */
      watch: (id: string, options?: SyncWatchOptions) => watchSync(service, id, options),
    },
    /** Import of files. */
    csv: {
      /**
       * `POST /v1/csv/upload`. It is sent once.
       *
       * @returns `data` of the answer; its `failures` lists failed files, which do not throw
       */
      upload: (upload: CsvUpload, signal?: AbortSignal): Promise<JsonRecord> =>
        service.call({ ...requestTo(csvUpload, { form: formOf(upload) }), signal }),
    },
    /** Labels of transactions. */
    labels: { list: listOf(labels) },
    assets: {
      /** `GET /v1/assets/search`. */
      search: listOf(assets),
    },
    /** Spam assets. */
    spam: { list: listOf(spam) },
    /** The client must be registered with the scope of contacts ("Scopes"). */
    contacts: { list: listOf(contacts) },
    /** The client must be registered with the scope of contacts ("Scopes"). */
    counterParties: { list: listOf(counterParties) },
    /** The user who owns the credentials. */
    users: {
      /** `GET /v1/users/me`: only `uid` is specified. */
      me: (signal?: AbortSignal) => service.readChecked(user, [], signal),
      /** Returns the unchanged, unchecked record. */
      meAsServed: (signal?: AbortSignal) => service.read(user, [], signal),
    },
    /**
     * The legacy API ("Legacy API"), which has its own addresses. A bearer token is sent with the client's id and secret;
     * connected wallets and posted transactions need an enterprise API key.
     */
    legacy: {
      /** Every supported integration, from the public host. No credentials are sent. */
      providers: listOf(legacyProviders),
      /** `GET /api/v1/integrations`: the user's connected wallets. Needs an API key. */
      integrations: listOf(legacyIntegrations),
      holdings: listOf(legacyHoldings),
      /** `GET /api/v1/userinfo`: its fields are not specified. */
      userinfo: (query?: Query, signal?: AbortSignal) => service.read(legacyUser, [], signal, query),
      /** Needs the scope `portfolios:read`. */
      nfts: listOf(legacyNfts),
      /** One page of at most 1000 rows. Its `extras` contain `total_defi_value` and `base_currency`. */
      defi: listOf(legacyDefi),
      /**
       * `POST /api/v0/transactions`; needs an API key with `write:transactions`. It is never retried: after an error
       * of kind `network` or `service` it is unknown whether the service accepted the batch.
       */
      postTransactions: async (batch: TransactionBatch, signal?: AbortSignal): Promise<PostedBatch> => {
        const { body } = await postAsServed(batch, signal);
        return checkRecord(body, 'answer to posted transactions', postedBatch);
      },
      /** Like `postTransactions`, but returns the unchanged answer. */
      postAsServed,
    },
  };
}

export type Nouns = ReturnType<typeof nounsOf>;
export type Providers = Nouns['providers'];
export type Ledgers = Nouns['ledgers'];
export type Transactions = Nouns['transactions'];
export type Holdings = Nouns['holdings'];
export type Integrations = Nouns['integrations'];
export type Syncs = Nouns['syncs'];
export type Csv = Nouns['csv'];
export type Labels = Nouns['labels'];
export type Assets = Nouns['assets'];
export type Spam = Nouns['spam'];
export type Contacts = Nouns['contacts'];
export type CounterParties = Nouns['counterParties'];
export type Users = Nouns['users'];
export type Legacy = Nouns['legacy'];

/** The form of an upload. Fields come first, so that the server has them before the files. */
export function formOf({ field, files, fields = [] }: CsvUpload): FormPart[] {
  return [...fields, ...files.map((file) => ({ name: field, file }))];
}
