import { assets } from '../api/assets.ts';
import { contacts, counterParties } from '../api/contacts.ts';
import { csvUpload } from '../api/csv.ts';
import type { List, Single } from '../api/endpoint.ts';
import { balances, defi, defiTotals, holdings, nfts } from '../api/holdings.ts';
import {
  aliasExists,
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
  postedBatch,
} from '../api/legacy.ts';
import { provider, providers } from '../api/providers.ts';
import type { Fields, RecordOf } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { sync } from '../api/syncs.ts';
import { transactionBatch, transactionLedgers, transactions } from '../api/transactions.ts';
import { user } from '../api/users.ts';
import { callerOfEach } from './caller.ts';
import type { ListQuery } from './filters.ts';
import type { Listing } from './listing.ts';
import type { CsvUpload, Legacy, Nouns } from './nouns.ts';
import type { CallOptions } from './options.ts';
import { checkRecord } from './records.ts';
import type { FormPart } from './request.ts';
import type { Service } from './service.ts';
import { watchIntegrations, watchSync } from './watch.ts';

/** Creates the calls of all nouns from the declarations in `api/`. */
export function nounsOf(service: Service): Nouns {
  function listOf<R extends Fields, L extends List<R>>(declared: L & List<R>) {
    return (filters: ListQuery<L> = {}, options?: CallOptions): Listing<RecordOf<R>> =>
      service.list<R, L>(declared, filters, options);
  }
  function listUnder<R extends Fields, L extends List<R>>(declared: L & List<R>) {
    return (id: string, filters: ListQuery<L> = {}, options?: CallOptions): Listing<RecordOf<R>> =>
      service.list<R, L>(declared, filters, options, id);
  }
  function getOf<R extends Fields>(declared: Single<R>) {
    return {
      get: (id: string, options?: CallOptions) => service.readChecked(declared, [id], options),
      getAsServed: (id: string, options?: CallOptions) => service.read(declared, [id], options),
    };
  }
  const postAsServed: Legacy['postAsServed'] = (batch, query, options) =>
    service.send(legacyPost, { body: batch, query }, options, (answer) => answer);

  const { redactor } = service.transport;
  return {
    providers: { list: listOf(providers), ...getOf(provider) },
    ledgers: { list: listOf(ledgers), ...getOf(ledger) },
    transactions: {
      list: listOf(transactions),
      ledgers: listUnder(transactionLedgers),
      batch: (body, options) => service.call(transactionBatch, { body }, options),
    },
    holdings: {
      list: listOf(holdings),
      nfts: listOf(nfts),
      defi: listOf(defi),
      defiTotals: ({ extra } = {}, options) => service.read(defiTotals, [], options, extra),
      balances: listOf(balances),
    },
    integrations: {
      list: listOf(integrations),
      assets: listUnder(integrationAssets),
      aliasExists: (alias, { parameter = 'alias', extra = {} } = {}, options) =>
        service.call(aliasExists, { query: { ...extra, [parameter]: alias } }, options),
      testCredentials: (body, options) => service.call(testCredentials, { body }, options),
      batchDelete: (body, options) => service.call(batchDelete, { body }, options),
      resyncAll: (body, options) => service.call(resyncAll, { body }, options),
      watch: (ids, options) => callerOfEach(redactor, watchIntegrations(service, ids, options)),
    },
    syncs: {
      ...getOf(sync),
      watch: (id, options) => callerOfEach(redactor, watchSync(service, id, options)),
    },
    csv: { upload: (upload, options) => service.call(csvUpload, { form: uploadFormOf(upload) }, options) },
    labels: { list: listOf(labels) },
    assets: { search: listOf(assets) },
    spam: { list: listOf(spam) },
    contacts: { list: listOf(contacts) },
    counterParties: { list: listOf(counterParties) },
    users: {
      me: (options) => service.readChecked(user, [], options),
      meAsServed: (options) => service.read(user, [], options),
    },
    legacy: {
      providers: listOf(legacyProviders),
      integrations: listOf(legacyIntegrations),
      holdings: listOf(legacyHoldings),
      userinfo: ({ extra } = {}, options) => service.read(legacyUser, [], options, extra),
      nfts: listOf(legacyNfts),
      defi: listOf(legacyDefi),
      postTransactions: (batch, options) =>
        service.send(legacyPost, { body: batch }, options, ({ body }) =>
          checkRecord(body, 'response to posted transactions', postedBatch),
        ),
      postAsServed,
    },
  };
}

/** Returns the form of an upload. Fields come first, so that the server receives them before the files. */
export function uploadFormOf({ field, files, fields = [] }: CsvUpload): FormPart[] {
  return [...fields, ...files.map((file) => ({ name: field, file }))];
}
