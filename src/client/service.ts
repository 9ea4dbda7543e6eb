import { type Endpoint, type List, type QueryOf, type Single, segmentsOf } from '../api/endpoint.ts';
import type { Fields, RecordOf } from '../api/records.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Query } from './address.ts';
import { readRecord } from './envelope.ts';
import { checkFilters, type Extra } from './filters.ts';
import { Listing, type ListRequest } from './listing.ts';
import type { Notice } from './paging.ts';
import { checkRecord } from './records.ts';
import type { ServiceRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** Values for the declared parameters of a list; `extra` holds parameters that are not declared. */
export type ListQuery<L extends List> = QueryOf<L> & { readonly extra?: Extra | undefined };

/** Reads and calls declared endpoints, with types, over one transport. */
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
    signal?: AbortSignal,
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
    const request = { api, path, auth, query, allLimit: paging.max, style: paging.style, signal };
    return this.listRequest(request, (row) => checkRecord(row, noun, record));
  }

  listRequest<T>(request: ListRequest, parse: (row: unknown) => T): Listing<T> {
    return new Listing({ transport: this.transport, request, parse, onNotice: this.#onNotice });
  }

  /** Returns the unchanged record. */
  async read(
    declared: Endpoint,
    ids: readonly string[] = [],
    signal?: AbortSignal,
    query?: Query,
  ): Promise<JsonRecord> {
    const { body } = await this.transport.request({ ...requestTo(declared, { query }, ids), signal });
    return readRecord(body);
  }

  /** @throws ServiceError `BAD_RECORD` */
  async readChecked<R extends Fields>(
    declared: Single<R>,
    ids: readonly string[] = [],
    signal?: AbortSignal,
  ): Promise<RecordOf<R>> {
    return checkRecord(await this.read(declared, ids, signal), declared.noun, declared.record);
  }

  /**
   * The answer to a call: its `data`, or the whole answer. An answer of unknown form does not mean that the call failed, so it
   * is returned unchanged.
   *
   * @throws ServiceError also for a 2xx whose body has `success: false`
   */
  async call(request: ServiceRequest): Promise<JsonRecord> {
    const { body } = await this.transport.request(request);
    if (body === undefined) return {};
    if (!isRecord(body)) return { data: body };
    const isReadable = body['success'] === false || !('data' in body) || isRecord(body['data']);
    return isReadable ? readRecord(body) : body;
  }
}

/** The request that a call of a declared endpoint sends. */
export function requestTo(
  declared: Endpoint,
  parts: Pick<ServiceRequest, 'query' | 'body' | 'form'> = {},
  ids: readonly string[] = [],
): ServiceRequest {
  const { method, api, scope } = declared;
  return { method, api, path: segmentsOf(declared, ids), auth: scope !== null, ...parts };
}
