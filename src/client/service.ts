import { type Endpoint, type List, type Single, segmentsOf } from '../api/endpoint.ts';
import type { Fields, RecordOf } from '../api/records.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import { readRecord } from './envelope.ts';
import type { ListQuery } from './filters.ts';
import { checkFilters } from './filters.ts';
import { type Listing, type ListRequest, RequestedList } from './listing.ts';
import type { CallOptions } from './options.ts';
import { checkRecord } from './records.ts';
import type { Notice, ServiceRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** Typed access to declared endpoints over one transport. */
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
    const request = { ...options, api, path, auth, query, allLimit: paging.max, style: paging.style };
    return this.listRequest(request, (row) => checkRecord(row, noun, record));
  }

  listRequest<T>(request: ListRequest, parse: (row: unknown) => T): Listing<T> {
    return new RequestedList({ transport: this.transport, request, parse, onNotice: this.#onNotice });
  }

  /** Returns the unchanged record. */
  async read(
    declared: Endpoint,
    ids: readonly string[] = [],
    options: CallOptions = {},
    query?: Query,
  ): Promise<JsonRecord> {
    const { body } = await this.transport.request({ ...options, ...requestTo(declared, { query }, ids) });
    return readRecord(body);
  }

  /** @throws ServiceError `BAD_RECORD` */
  async readChecked<R extends Fields>(
    declared: Single<R>,
    ids: readonly string[] = [],
    options: CallOptions = {},
  ): Promise<RecordOf<R>> {
    return checkRecord(await this.read(declared, ids, options), declared.noun, declared.record);
  }

  /**
   * The response to a call: its `data`, or the whole response. A response in an unknown format does not mean that the
   * call failed, so it is returned unchanged.
   *
   * @throws ServiceError also for a 2xx whose body has `success: false`
   */
  async call(
    declared: Endpoint,
    parts: Pick<ServiceRequest, 'query' | 'body' | 'form'>,
    options: CallOptions = {},
  ): Promise<JsonRecord> {
    const { body } = await this.transport.request({ ...options, ...requestTo(declared, parts) });
    if (body === undefined) return {};
    if (!isRecord(body)) return { data: body };
    const isReadable = body['success'] === false || !('data' in body) || isRecord(body['data']);
    return isReadable ? readRecord(body) : body;
  }
}

/** The request that is sent by a call to a declared endpoint. */
export function requestTo(
  declared: Endpoint,
  parts: Pick<ServiceRequest, 'query' | 'body' | 'form'> = {},
  ids: readonly string[] = [],
): ServiceRequest {
  const { method, api, scope } = declared;
  return { method, api, path: segmentsOf(declared, ids), auth: scope !== null, ...parts };
}
