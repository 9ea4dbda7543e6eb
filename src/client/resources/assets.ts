import type { JsonRecord } from '../../core/json.ts';
import { checkFilters, isText } from '../filters.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { current, OPEN_CHECKS, type OpenFilters, openRecord } from './open.ts';

/** Query parameters of `GET /v1/assets/search`: the specification names one. */
export interface AssetFilters extends OpenFilters {
  readonly contractAddress?: string | undefined;
}

/** Assets; their records are not specified. */
export class Assets {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/assets/search`. */
  search(filters: AssetFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    const query = checkFilters(filters, { ...OPEN_CHECKS, contractAddress: isText });
    return this.#service.list(
      { ...current(['v1', 'assets', 'search']), query, style: 'offset', signal },
      openRecord('assets'),
    );
  }
}
