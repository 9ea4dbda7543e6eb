import {
  checkFilters,
  type Extra,
  isDecimalText,
  isFlag,
  isListOf,
  isOneOf,
  isText,
  isTime,
  isWhole,
} from '../filters.ts';
import type { Listing } from '../listing.ts';
import type { Service } from '../service.ts';
import { type Ledger, parseLedger } from '../types.ts';

/** Query parameters of `GET /v1/ledgers`. */
export interface LedgerFilters {
  readonly transactionIds?: readonly string[] | undefined;
  readonly assetIds?: readonly string[] | undefined;
  /** `incoming`, `outgoing`, `fee`. */
  readonly types?: readonly string[] | undefined;
  /** Provider ids. */
  readonly providers?: readonly string[] | undefined;
  readonly hasMissingPrice?: boolean | undefined;
  readonly hasMissingAsset?: boolean | undefined;
  /** Unix milliseconds; whether it is inclusive is not specified. */
  readonly startTime?: number | undefined;
  /** Unix milliseconds; whether it is inclusive is not specified. */
  readonly endTime?: number | undefined;
  /** A decimal string, sent as it is. Legs without a running balance are left out by either filter. */
  readonly ltAfterBalance?: string | undefined;
  /** A decimal string, sent as it is. */
  readonly gtAfterBalance?: string | undefined;
  readonly sortBy?: 'timestamp' | 'createdAt' | undefined;
  /** The service's own order is `desc`: newest first. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Rows a page, 1 to 200; the service's own is 50. */
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
  transactionIds: isListOf(isText),
  assetIds: isListOf(isText),
  types: isListOf(isOneOf('incoming', 'outgoing', 'fee')),
  providers: isListOf(isText),
  hasMissingPrice: isFlag,
  hasMissingAsset: isFlag,
  startTime: isTime,
  endTime: isTime,
  ltAfterBalance: isDecimalText,
  gtAfterBalance: isDecimalText,
  sortBy: isOneOf('timestamp', 'createdAt'),
  sortOrder: isOneOf('asc', 'desc'),
  limit: isWhole(1, 200),
  offset: isWhole(0),
};
