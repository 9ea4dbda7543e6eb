import { isRecord, type JsonRecord } from '../core/json.ts';
import { readRecord } from './envelope.ts';
import { Listing, type ListRequest } from './listing.ts';
import type { Notice } from './paging.ts';
import type { ServiceRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** The two questions that resources ask, over one transport. */
export class Service {
  readonly transport: Transport;
  readonly #onNotice: ((notice: Notice) => void) | undefined;

  constructor(transport: Transport, onNotice?: (notice: Notice) => void) {
    this.transport = transport;
    this.#onNotice = onNotice;
  }

  list<T>(request: ListRequest, parse: (row: unknown) => T): Listing<T> {
    return new Listing({ transport: this.transport, request, parse, onNotice: this.#onNotice });
  }

  async record(request: Omit<ServiceRequest, 'method'>): Promise<JsonRecord> {
    const { body } = await this.transport.request({ ...request, method: 'GET' });
    return readRecord(body);
  }

  /**
   * A call that changes something: what its answer says, in `data` or bare. An answer of another form is no failure
   * of a call that was carried out, and is given as `data`.
   *
   * @throws ServiceError also where the body of a 2xx says `success: false`
   */
  async write(request: ServiceRequest): Promise<JsonRecord> {
    const { body } = await this.transport.request(request);
    if (body === undefined) return {};
    if (!isRecord(body)) return { data: body };
    const holds = body['success'] === false || !('data' in body) || isRecord(body['data']);
    return holds ? readRecord(body) : body;
  }
}
