import type { JsonRecord } from '../../core/json.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type OpenFilters, openList } from './open.ts';

/** Counter-parties; their records are not specified. The client must be registered with the scope of contacts ("Scopes"). */
export class CounterParties {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/counter-parties`. */
  list(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'counter-parties'], filters, signal);
  }
}
