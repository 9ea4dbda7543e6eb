import type { Api } from '../../core/credentials.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { Query } from '../address.ts';
import { checkFilters, type Extra, isFlag, isListOf, isOneOf, isText, isWhole } from '../filters.ts';
import {
  type DefiHolding,
  type LegacyIntegration,
  type LegacyProvider,
  type NftHolding,
  type PostedBatch,
  parseDefiHolding,
  parseLegacyIntegration,
  parseLegacyProvider,
  parseNftHolding,
  parsePostedBatch,
  type TransactionBatch,
} from '../legacy-types.ts';
import type { Listing } from '../listing.ts';
import { checkRecord } from '../records.ts';
import type { ServiceRequest } from '../request.ts';
import type { Service } from '../service.ts';
import type { ServiceAnswer } from '../transport.ts';

/** Query parameters of `GET /api/v1/nft-holdings`. */
export interface NftFilters {
  /** At most 30. */
  readonly source?: readonly string[] | undefined;
  /** At most 30. */
  readonly collection?: readonly string[] | undefined;
  readonly chain?: 'ethereum' | 'polygon' | undefined;
  readonly tokenId?: string | undefined;
  readonly contract?: string | undefined;
  /** Rows a page, 1 to 1000; the service's own is 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly extra?: Extra | undefined;
}

/** Query parameters of `GET /v0/defi-holdings`. It takes no offset: what lies beyond `limit` cannot be had. */
export interface DefiFilters {
  /** One holding, by its document id. */
  readonly docId?: string | undefined;
  /** 1 to 1000. */
  readonly limit?: number | undefined;
  /** The service's own is true. */
  readonly sortByHighestValue?: boolean | undefined;
  readonly extra?: Extra | undefined;
}

/** Parameters of a list of the previous API of which none is shown. */
export interface LegacyFilters {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly extra?: Extra | undefined;
}

/**
 * The previous API ("Legacy API"), at addresses of its own. A bearer token goes with the client's id and secret;
 * connected wallets and posted transactions need an enterprise API key.
 */
export class Legacy {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /integrations/public/list` of the public host: every supported integration. No credentials are sent. */
  providers(filters: LegacyFilters = {}, signal?: AbortSignal): Listing<LegacyProvider> {
    const query = checkFilters(filters, PAGED);
    const path = ['integrations', 'public', 'list'];
    return this.#service.list({ api: 'legacyPublic', path, auth: false, query, signal }, parseLegacyProvider);
  }

  /** `GET /api/v1/integrations`: the user's connected wallets. Needs an API key. */
  integrations(filters: LegacyFilters = {}, signal?: AbortSignal): Listing<LegacyIntegration> {
    const query = checkFilters(filters, PAGED);
    return this.#service.list({ ...at('integrations'), query, signal }, parseLegacyIntegration);
  }

  /** `GET /api/v1/holdings`: records are not shown, but for the names that have changed since. */
  holdings(filters: LegacyFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    const query = checkFilters(filters, PAGED);
    return this.#service.list({ ...at('holdings'), query, style: 'offset', signal }, (row) =>
      checkRecord(row, 'holding', {}),
    );
  }

  /** `GET /api/v1/userinfo`: a record that is not shown. */
  userinfo(query?: Query, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.record({ ...at('userinfo'), query, signal });
  }

  /** `GET /api/v1/nft-holdings`; needs the scope `portfolios:read`. */
  nfts(filters: NftFilters = {}, signal?: AbortSignal): Listing<NftHolding> {
    const query = checkFilters(filters, NFT_CHECKS);
    const request = { ...at('nft-holdings'), query, allLimit: 1000, style: 'offset', signal } as const;
    return this.#service.list(request, parseNftHolding);
  }

  /**
   * `GET /v0/defi-holdings`: one page of at most 1000, as the endpoint takes no offset. `extras` of it hold
   * `total_defi_value` and `base_currency`.
   */
  defi(filters: DefiFilters = {}, signal?: AbortSignal): Listing<DefiHolding> {
    const query = checkFilters(filters, DEFI_CHECKS);
    const path = ['v0', 'defi-holdings'];
    return this.#service.list({ api: 'legacy', path, auth: true, query, signal }, parseDefiHolding);
  }

  /**
   * `POST /api/v0/transactions`; needs an API key with `write:transactions`. It is never repeated by itself: after an
   * error of kind `network` or `service` it is not known whether the service took the batch.
   */
  async postTransactions(batch: TransactionBatch, signal?: AbortSignal): Promise<PostedBatch> {
    const { body } = await this.postAsServed(batch, signal);
    return parsePostedBatch(body);
  }

  /** As {@link postTransactions}, with the answer as it came. */
  postAsServed(batch: object, signal?: AbortSignal, query?: Query): Promise<ServiceAnswer> {
    return this.#service.transport.request({ ...postRequest(batch, query), signal });
  }
}

/** The request that posts a batch, for those who want to see it first. */
export function postRequest(batch: object, query?: Query): ServiceRequest {
  return {
    method: 'POST',
    api: 'legacy',
    path: ['api', 'v0', 'transactions'],
    auth: true,
    idempotent: false,
    query,
    body: batch,
  };
}

function at(...rest: readonly string[]): { readonly api: Api; readonly path: string[]; readonly auth: true } {
  return { api: 'legacy', path: ['api', 'v1', ...rest], auth: true };
}

const PAGED = { limit: isWhole(1), offset: isWhole(0) };

const upTo30 = (value: Parameters<typeof isText>[0]) =>
  isListOf(isText)(value) ??
  (Array.isArray(value) && value.length > 30 ? 'takes at most 30 values' : undefined);

const NFT_CHECKS = {
  source: upTo30,
  collection: upTo30,
  chain: isOneOf('ethereum', 'polygon'),
  tokenId: isText,
  contract: isText,
  limit: isWhole(1, 1000),
  offset: isWhole(0),
};

const DEFI_CHECKS = { docId: isText, limit: isWhole(1, 1000), sortByHighestValue: isFlag };
