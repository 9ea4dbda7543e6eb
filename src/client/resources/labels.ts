import type { JsonRecord } from '../../core/json.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type OpenFilters, openList } from './open.ts';

/** Labels of transactions; their records are not specified. */
export class Labels {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/labels`. */
  list(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'labels'], filters, signal);
  }
}
