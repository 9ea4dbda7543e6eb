import type { JsonRecord } from '../../core/json.ts';
import { checkFilters } from '../filters.ts';
import type { Listing } from '../listing.ts';
import {
  checkRecord,
  isBoolean,
  isJsonNumber,
  isObject,
  isString,
  type JsonNumber,
  nullable,
} from '../records.ts';
import type { Service } from '../service.ts';
import { current, OPEN_CHECKS, type OpenFilters, openList } from './open.ts';

interface HoldingParts {
  readonly assetId?: string | null | undefined;
  /** Holds `tokenId`; the rest of it is not specified. */
  readonly asset?: JsonRecord | null | undefined;
  readonly costBasis?: JsonNumber | null | undefined;
  readonly costPerUnit?: JsonNumber | null | undefined;
  /** null means that no cost basis is recorded: it is not 0. */
  readonly roiPercentage?: JsonNumber | null | undefined;
  /** Change of 24 hours as an amount of currency. */
  readonly change24h?: JsonNumber | null | undefined;
  readonly change24hPercentage?: JsonNumber | null | undefined;
  readonly transactionCount?: JsonNumber | null | undefined;
  readonly isSpam?: boolean | null | undefined;
}
/** "Holdings": the fields that the change list names. */
export type Holding = HoldingParts & JsonRecord;

/** What a workspace holds: tokens, NFTs, DeFi positions, balances. Parameters go in `extra`: none is specified. */
export class Holdings {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/holdings`. `extras.totalValue` of a page is the value of all tokens of the query. */
  list(filters: OpenFilters = {}, signal?: AbortSignal): Listing<Holding> {
    const query = checkFilters(filters, OPEN_CHECKS);
    return this.#service.list(
      { ...current(['v1', 'holdings']), query, style: 'offset', signal },
      parseHolding,
    );
  }

  /** `GET /v1/nfts`. `extras.totalEstimatedValueUsd` of a page is their value. */
  nfts(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'nfts'], filters, signal);
  }

  /** `GET /v1/defi`. */
  defi(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'defi'], filters, signal);
  }

  /** `GET /v1/defi/totals`: the record as it came. */
  async defiTotals({ extra }: Pick<OpenFilters, 'extra'> = {}, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.record({ ...current(['v1', 'defi', 'totals']), query: extra, signal });
  }

  /** `GET /v1/calculated-balances`. */
  balances(filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    return openList(this.#service, ['v1', 'calculated-balances'], filters, signal);
  }
}

/** @throws ServiceError `BAD_RECORD` */
export function parseHolding(value: unknown): Holding {
  return checkRecord<HoldingParts>(value, 'holding', {
    assetId: nullable(isString),
    asset: nullable(isObject),
    costBasis: nullable(isJsonNumber),
    costPerUnit: nullable(isJsonNumber),
    roiPercentage: nullable(isJsonNumber),
    change24h: nullable(isJsonNumber),
    change24hPercentage: nullable(isJsonNumber),
    transactionCount: nullable(isJsonNumber),
    isSpam: nullable(isBoolean),
  });
}
