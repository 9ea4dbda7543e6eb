import { assets } from '../api/assets.ts';
import { contacts, counterParties } from '../api/contacts.ts';
import { csvUpload } from '../api/csv.ts';
import { type Endpoint, type List, type Single, segmentsOf } from '../api/endpoint.ts';
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
import { type Fields, oddField, type RecordOf } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { sync } from '../api/syncs.ts';
import { transactionBatch, transactionLedgers, transactions } from '../api/transactions.ts';
import { user } from '../api/users.ts';
import { type ServiceError, UpstreamError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import { type CallPromise, callPromise } from './call-promise.ts';
import { callerOfEach } from './caller.ts';
import { checkFilters, type ListQuery } from './filters.ts';
import { type Listing, RequestedList } from './listing.ts';
import type { CsvUpload, Legacy, Nouns } from './nouns.ts';
import type { CallOptions } from './options.ts';
import { type FormPart, type Notice, requestTo, type ServiceAnswer, type ServiceRequest } from './request.ts';
import { readRecord } from './response.ts';
import { visible } from './text.ts';
import type { Transport } from './transport.ts';
import { watchIntegrations, watchSync } from './watch.ts';

/** Creates the calls of all nouns from the declarations in `api/`. */
export function nounsOf(transport: Transport, onNotice?: (notice: Notice) => void): Nouns {
  const service = new Service(transport, onNotice);
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

  const { redactor, clock } = transport;
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
      watch: (ids, options) => {
        const list = (call: CallOptions) => service.list(integrations, {}, call).asServed();
        return callerOfEach(redactor, watchIntegrations(list, clock, ids, options));
      },
    },
    syncs: {
      ...getOf(sync),
      watch: (id, options) => {
        const read = (call: CallOptions) => service.read(sync, [id], call);
        return callerOfEach(redactor, watchSync(read, clock, id, options));
      },
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

class Service {
  readonly #transport: Transport;
  readonly #onNotice: ((notice: Notice) => void) | undefined;

  constructor(transport: Transport, onNotice?: (notice: Notice) => void) {
    this.#transport = transport;
    this.#onNotice = onNotice;
  }

  /** @throws usage error `BAD_FILTER` */
  list<R extends Fields, L extends List<R>>(
    declared: L & List<R>,
    filters: ListQuery<L>,
    options: CallOptions = {},
    ...ids: readonly string[]
  ): Listing<RecordOf<R>> {
    const { api, paging, noun, record, scope } = declared;
    const query = checkFilters(filters, {
      ...declared.filters,
      ...declared.parameters,
      ...paging.parameters,
    });
    const path = segmentsOf(declared, ids);
    const auth = scope !== null;
    const identified = 'id' in record;
    const request = {
      ...options,
      api,
      path,
      auth,
      query,
      allLimit: paging.max,
      style: paging.style,
      identified,
    };
    const parse = (row: unknown) => checkRecord(row, noun, record);
    return new RequestedList({ transport: this.#transport, request, parse, onNotice: this.#onNotice });
  }

  read(
    declared: Endpoint,
    ids: readonly string[] = [],
    options: CallOptions = {},
    query?: Query,
  ): CallPromise<JsonRecord> {
    return this.send(declared, { query, ids }, options, ({ body }) => readRecord(body));
  }

  /** @throws ServiceError `BAD_RECORD` */
  readChecked<R extends Fields>(
    declared: Single<R>,
    ids: readonly string[] = [],
    options: CallOptions = {},
  ): CallPromise<RecordOf<R>> {
    const { noun, record } = declared;
    return this.send(declared, { ids }, options, ({ body }) => checkRecord(readRecord(body), noun, record));
  }

  /**
   * Returns `data` of the response. Without `data`, returns the whole response. A response in an unknown format is returned
   * unchanged, because the call may have succeeded.
   *
   * @throws ServiceError if the status is not 2xx, or if the body contains `success: false`
   */
  call(
    declared: Endpoint,
    parts: Pick<ServiceRequest, 'query' | 'body' | 'form'>,
    options: CallOptions = {},
  ): CallPromise<JsonRecord> {
    return this.send(declared, parts, options, ({ body }) => {
      if (body === undefined) return {};
      if (!isRecord(body)) return { data: body };
      const isReadable = body['success'] === false || !('data' in body) || isRecord(body['data']);
      return isReadable ? readRecord(body) : body;
    });
  }

  /** Sends a request to a declared endpoint. Returns the result of calling `parse` with the response. */
  send<T>(
    declared: Endpoint,
    { ids, ...parts }: RequestParts,
    options: CallOptions | undefined,
    parse: (answer: ServiceAnswer) => T,
  ): CallPromise<T> {
    return callPromise(this.#transport.redactor, async (seen) => {
      const answer = await this.#transport.request({ ...options, ...requestTo(declared, parts, ids) });
      seen(answer);
      return parse(answer);
    });
  }
}

type RequestParts = Pick<ServiceRequest, 'query' | 'body' | 'form'> & { readonly ids?: readonly string[] };

/**
 * Checks the declared fields of a record. Returns the record unchanged, including undeclared fields.
 *
 * @throws ServiceError `BAD_RECORD`; the message contains the invalid field
 */
function checkRecord<F extends Fields>(value: unknown, noun: string, fields: F): RecordOf<F> {
  if (isRecordOf(value, fields)) return value;
  if (!isRecord(value)) throw badRecord(noun, undefined, 'is not an object', value);
  const name = oddField(value, fields) ?? '';
  throw badRecord(noun, value['id'], `has an unexpected ${name}`, value[name]);
}

function isRecordOf<F extends Fields>(value: unknown, fields: F): value is RecordOf<F> {
  return oddField(value, fields) === undefined;
}

function badRecord(noun: string, id: unknown, what: string, value: unknown): ServiceError {
  const which = typeof id === 'string' ? ` ${JSON.stringify(visible(id, 100))}` : '';
  const held = value === undefined ? 'the field is missing' : visible(String(JSON.stringify(value)), 100);
  return new UpstreamError('BAD_RECORD', `The ${noun}${which} ${what}: ${held}`, {
    hint: 'To skip this check, use asServed() for a list, or getAsServed(id) for one record.',
  });
}
