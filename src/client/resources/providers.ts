import { checkFilters, type Extra, isFlag, isText, isWhole } from '../filters.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type Provider, parseProvider } from '../types.ts';

/** Query parameters of `GET /v1/providers`. */
export interface ProviderFilters {
  /** `exchange`, `blockchain`, `wallet`, `service` or `aggregator`. */
  readonly type?: string | undefined;
  /** Only highlighted ones, or only others. */
  readonly featured?: boolean | undefined;
  /** Only operational ones, or only others. */
  readonly isWorking?: boolean | undefined;
  /** Part of the name, the public name or the slug. */
  readonly search?: string | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  /** Rows a page; the service clamps it to 1 to 100. */
  readonly limit?: number | undefined;
  readonly extra?: Extra | undefined;
}

/** The public catalogue: no credentials are sent ("Providers catalogue"). */
export class Providers {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Featured first, then working, then by name. */
  list(filters: ProviderFilters = {}, signal?: AbortSignal): Listing<Provider> {
    const query = checkFilters(filters, CHECKS);
    const request = { ...at(), query, allLimit: 100, style: 'page', signal } as const;
    return this.#service.list(request, parseProvider);
  }

  /** @throws ServiceError of kind `notFound` */
  async get(id: string, signal?: AbortSignal): Promise<Provider> {
    return parseProvider(await this.getAsServed(id, signal));
  }

  /** The record as it came, unchecked. */
  async getAsServed(id: string, signal?: AbortSignal) {
    return this.#service.record({ ...at(id), signal });
  }
}

function at(...rest: readonly string[]) {
  return { api: 'current', path: ['v1', 'providers', ...rest], auth: false } as const;
}

const CHECKS = {
  type: isText,
  featured: isFlag,
  isWorking: isFlag,
  search: isText,
  page: isWhole(1),
  // What is out of bounds is clamped by the service, and told as a notice.
  limit: isWhole(1),
};
