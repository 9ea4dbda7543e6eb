import type { JsonRecord } from '../../core/json.ts';
import { Accounts } from '../accounts.ts';
import { checkFilters, type Extra } from '../filters.ts';
import type { Listing } from '../listing.ts';
import { poll, type WatchOptions } from '../poll.ts';
import { checkRecord, isBoolean, isJsonNumber, isString, type JsonNumber, nullable } from '../records.ts';
import type { ServiceRequest } from '../request.ts';
import type { Service } from '../service.ts';
import type { Change } from '../watch.ts';
import { current, OPEN_CHECKS, type OpenFilters, openRecord } from './open.ts';

interface IntegrationParts {
  /** Id of the connected account. */
  readonly walletId: string;
  /** Id of its provider in the catalogue. */
  readonly providerId?: string | null | undefined;
  /** Entered by hand; its provider is in no catalogue. */
  readonly isCustomWallet?: boolean | null | undefined;
  readonly provider?: string | null | undefined;
  readonly providerPublicName?: string | null | undefined;
  /** Empty for exchanges, OAuth and CSV. */
  readonly publicAddress?: string | null | undefined;
  readonly logoUrl?: string | null | undefined;
  readonly isContract?: boolean | null | undefined;
  readonly alias?: string | null | undefined;
  /** `QUEUED`, `SYNCING`, `COMPLETED`, `FAILED`, `DELETING`, `DELETED` or `INACTIVE`: not the states of a sync. */
  readonly status?: string | null | undefined;
  /** Why the sync failed; absent unless `status` is `FAILED`. */
  readonly errorMessage?: string | null | undefined;
  /** Unix milliseconds; 0 if unknown. */
  readonly addedOn?: JsonNumber | null | undefined;
  /** Unix milliseconds of the last successful sync; 0 if there was none. */
  readonly lastSyncedAt?: JsonNumber | null | undefined;
  /** `exchange`, `wallet`, `blockchain` or `unknown`. */
  readonly category?: string | null | undefined;
  /** `api` or `csv`. */
  readonly type?: string | null | undefined;
  readonly totalTransactions?: JsonNumber | null | undefined;
}
/** "Integration (webhook data object; matches the Integrations API response)". */
export type Integration = IntegrationParts & JsonRecord;

export interface AliasQuestion {
  /** Name of the query parameter, which is not specified: `alias` where not given. */
  readonly parameter?: string | undefined;
  readonly extra?: Extra | undefined;
}

/** Connected accounts: wallets, exchanges, blockchains, services. */
export class Integrations {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/integrations`. */
  list(filters: OpenFilters = {}, signal?: AbortSignal): Listing<Integration> {
    const query = checkFilters(filters, OPEN_CHECKS);
    return this.#service.list({ ...at(), query, style: 'offset', signal }, parseIntegration);
  }

  /** `GET /v1/integrations/{id}/assets`; its records are not specified. */
  assets(id: string, filters: OpenFilters = {}, signal?: AbortSignal): Listing<JsonRecord> {
    const query = checkFilters(filters, OPEN_CHECKS);
    return this.#service.list({ ...at(id, 'assets'), query, style: 'offset', signal }, openRecord('assets'));
  }

  /** `GET /v1/integrations/alias-exists`: what the answer says, whose form is not specified; see {@link aliasExists}. */
  async aliasExists(
    alias: string,
    { parameter = 'alias', extra = {} }: AliasQuestion = {},
    signal?: AbortSignal,
  ): Promise<JsonRecord> {
    const query = { ...extra, [parameter]: alias };
    return this.#service.write({ ...at('alias-exists'), method: 'GET', query, signal });
  }

  /**
   * `POST /v1/integrations/test-credentials`, its body sent as it is: no form of it is specified.
   *
   * @throws ServiceError `CREDENTIAL_VALIDATION_FAILED` where the provider rejects them
   */
  async testCredentials(body: unknown, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.write({ ...testCredentialsRequest(body), signal });
  }

  /**
   * `POST /v1/integrations/batch-delete`, its body sent as it is: no form of it is specified. It is sent once.
   *
   * @returns `data` of the answer; `failed` in it lists what was not deleted, which is no error
   */
  async batchDelete(body: unknown, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.write({ ...batchDeleteRequest(body), signal });
  }

  /**
   * `POST /v1/integrations/resync-all`; a body is sent where one is given, as none is specified. It is sent once.
   *
   * @returns `data` of the answer; `failed` in it lists what is not synced, which is no error
   */
  async resyncAll(body?: unknown, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.write({ ...resyncAllRequest(body), signal });
  }

  /**
   * Each change of the accounts with these ids, or of all where none is given, the first look included, until every
   * one is `COMPLETED`, `FAILED` or `INACTIVE`, or gone from the list: that is told as `DELETED`.
   *
   * @throws CryptodataError `WAIT_TIMED_OUT`; of kind `notFound` for an id that the first look does not find
   */
  async *watch(ids: readonly string[] = [], options: WatchOptions = {}): AsyncGenerator<Change> {
    const { clock } = this.#service.transport;
    const accounts = new Accounts(ids);
    const look = async (signal: AbortSignal | undefined) => {
      const records: unknown[] = [];
      for await (const row of this.list({}, signal).asServed()) records.push(row);
      const changes = accounts.see(records, clock.now());
      return { value: changes, changed: changes.length > 0 };
    };
    for await (const changes of poll(look, clock, options)) {
      yield* changes;
      if (accounts.settled) return;
    }
  }
}

/**
 * Whether an answer of `alias-exists` says so: `true` itself, or a field whose name ends with "exists". undefined
 * where it does not say it plainly, as its form is not specified.
 */
export function aliasExists(answer: JsonRecord): boolean | undefined {
  const { success: _, ...said } = answer;
  const values = Object.entries(said).flatMap(([name, value]) =>
    typeof value === 'boolean' && (name === 'data' || /exists$/i.test(name)) ? [value] : [],
  );
  return values.length === 1 ? values[0] : undefined;
}

/** The call that {@link Integrations.testCredentials} makes. */
export function testCredentialsRequest(body: unknown): ServiceRequest {
  return { ...at('test-credentials'), method: 'POST', body };
}

/** The call that {@link Integrations.batchDelete} makes. */
export function batchDeleteRequest(body: unknown): ServiceRequest {
  return { ...at('batch-delete'), method: 'POST', body };
}

/** The call that {@link Integrations.resyncAll} makes. */
export function resyncAllRequest(body?: unknown): ServiceRequest {
  return { ...at('resync-all'), method: 'POST', body };
}

function at(...rest: readonly string[]) {
  return current(['v1', 'integrations', ...rest]);
}

/** @throws ServiceError `BAD_RECORD` */
export function parseIntegration(value: unknown): Integration {
  return checkRecord<IntegrationParts>(value, 'integration', {
    walletId: isString,
    providerId: nullable(isString),
    isCustomWallet: nullable(isBoolean),
    provider: nullable(isString),
    providerPublicName: nullable(isString),
    publicAddress: nullable(isString),
    logoUrl: nullable(isString),
    isContract: nullable(isBoolean),
    alias: nullable(isString),
    status: nullable(isString),
    errorMessage: nullable(isString),
    addedOn: nullable(isJsonNumber),
    lastSyncedAt: nullable(isJsonNumber),
    category: nullable(isString),
    type: nullable(isString),
    totalTransactions: nullable(isJsonNumber),
  });
}
