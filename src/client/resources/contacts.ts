import type { JsonRecord } from '../../core/json.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type OpenFilters, openList } from './open.ts';

/** Contacts; their records are not specified. The client must be registered with their scope ("Scopes"). */
export class Contacts {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/contacts`. */
  list(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'contacts'], filters, signal);
  }
}
