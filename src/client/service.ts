import { type Endpoint, type List, type Single, segmentsOf } from '../api/endpoint.ts';
import type { Fields, RecordOf } from '../api/records.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import { type CallPromise, callPromise } from './call-promise.ts';
import { readRecord } from './envelope.ts';
import type { ListQuery } from './filters.ts';
import { checkFilters } from './filters.ts';
import { type Listing, type ListRequest, RequestedList } from './listing.ts';
import type { CallOptions } from './options.ts';
import { checkRecord } from './records.ts';
import type { Notice, ServiceAnswer, ServiceRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** Sends typed requests to declared endpoints. */
export class Service {
  readonly transport: Transport;
  readonly #onNotice: ((notice: Notice) => void) | undefined;

  constructor(transport: Transport, onNotice?: (notice: Notice) => void) {
    this.transport = transport;
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
    return this.listRequest(request, (row) => checkRecord(row, noun, record));
  }

  listRequest<T>(request: ListRequest, parse: (row: unknown) => T): Listing<T> {
    return new RequestedList({ transport: this.transport, request, parse, onNotice: this.#onNotice });
  }

  /** Returns the record as the service sends it. */
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
   * Returns `data` of the response, or the whole response if there is no `data`. A response in an unknown format is returned
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

  /** Sends a request to a declared endpoint, and returns what `parse` makes of the response. */
  send<T>(
    declared: Endpoint,
    { ids, ...parts }: RequestParts,
    options: CallOptions | undefined,
    parse: (answer: ServiceAnswer) => T,
  ): CallPromise<T> {
    return callPromise(this.transport.redactor, async (seen) => {
      const answer = await this.transport.request({ ...options, ...requestTo(declared, parts, ids) });
      seen(answer);
      return parse(answer);
    });
  }
}

type RequestParts = Pick<ServiceRequest, 'query' | 'body' | 'form'> & { readonly ids?: readonly string[] };

/** Creates a request to a declared endpoint. */
export function requestTo(
  declared: Endpoint,
  parts: Pick<ServiceRequest, 'query' | 'body' | 'form'> = {},
  ids: readonly string[] = [],
): ServiceRequest {
  const { method, api, scope } = declared;
  return { method, api, path: segmentsOf(declared, ids), auth: scope !== null, ...parts };
}
