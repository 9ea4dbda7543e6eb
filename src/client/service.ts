import type { JsonRecord } from '../base/json.ts';
import { readRecord } from './envelope.ts';
import { Listing, type ListRequest } from './listing.ts';
import type { Notice } from './paging.ts';
import type { ServiceRequest, Transport } from './transport.ts';

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
}
