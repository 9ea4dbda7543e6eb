import { type LedgerFilterValues, ledgerBounds, ledgerFilters } from '../../api/ledgers.ts';
import { checkFilters, checksOf, type Extra, isOneOf, isWhole } from '../filters.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type Ledger, parseLedger } from '../types.ts';

/** Query parameters of `GET /v1/ledgers`. */
export interface LedgerFilters extends LedgerFilterValues {
  /** Unix milliseconds; whether it is inclusive is not specified. */
  readonly startTime?: number | undefined;
  /** Unix milliseconds; whether it is inclusive is not specified. */
  readonly endTime?: number | undefined;
  readonly sortBy?: 'timestamp' | 'createdAt' | undefined;
  /** Default of the service: `desc`, newest first. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Rows per page, 1 to 200 (default of the service: 50). */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  readonly extra?: Extra | undefined;
}

/** Legs of transactions; needs the scope `transactions:read` ("Ledgers"). */
export class Ledgers {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Rows that arrive while pages are read shift those that follow: for a proved copy, use the export. */
  list(filters: LedgerFilters = {}, signal?: AbortSignal): Listing<Ledger> {
    const query = checkFilters(filters, CHECKS);
    const request = { ...at(), query, allLimit: 200, style: 'offset', signal } as const;
    return this.#service.list(request, parseLedger);
  }

  /** @throws ServiceError of kind `notFound` */
  async get(id: string, signal?: AbortSignal): Promise<Ledger> {
    return parseLedger(await this.getAsServed(id, signal));
  }

  /** The record as it came, unchecked. */
  async getAsServed(id: string, signal?: AbortSignal) {
    return this.#service.record({ ...at(id), signal });
  }
}

function at(...rest: readonly string[]) {
  return { api: 'current', path: ['v1', 'ledgers', ...rest], auth: true } as const;
}

const CHECKS = {
  ...checksOf(ledgerFilters),
  ...checksOf(ledgerBounds),
  sortBy: isOneOf('timestamp', 'createdAt'),
  sortOrder: isOneOf('asc', 'desc'),
  limit: isWhole(1, 200),
  offset: isWhole(0),
};
