import type { JsonRecord } from '../../core/json.ts';
import { stringifyJson } from '../../core/json.ts';
import { poll, type WatchOptions } from '../poll.ts';
import { checkRecord, isBoolean, isJsonNumber, isString, type JsonNumber, nullable } from '../records.ts';
import type { Service } from '../service.ts';
import { type Change, statusOf } from '../watch.ts';
import { current } from './open.ts';

interface SyncParts {
  /** One of seven states, of which two are specified: `partially_synced` and `cancelled`. */
  readonly status: string;
  readonly recordsFailed?: JsonNumber | null | undefined;
  /** Cut short by the workspace's transaction limit, rather than by a failure of the connector. */
  readonly limitReached?: boolean | null | undefined;
  readonly message?: string | null | undefined;
}
/** "Sync states": nothing else of it is specified. */
export type Sync = SyncParts & JsonRecord;

/**
 * The states of a sync that the specification names; both are ends, as the statuses of an integration that they are
 * folded into are. The other five have no names there.
 */
export const NAMED_SYNC_STATES = ['partially_synced', 'cancelled'] as const;

export interface SyncWatchOptions extends WatchOptions {
  /** Further states at which watching ends, beside the two that are named. */
  readonly until?: readonly string[] | undefined;
}

/** Runs that read connected accounts. */
export class Syncs {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/sync/{syncId}`. @throws ServiceError of kind `notFound` */
  async get(id: string, signal?: AbortSignal): Promise<Sync> {
    return parseSync(await this.getAsServed(id, signal));
  }

  /** The record as it came, unchecked. */
  async getAsServed(id: string, signal?: AbortSignal): Promise<JsonRecord> {
    return this.#service.record({ ...current(['v1', 'sync', id]), signal });
  }

  /**
   * Each change of a sync, the first look included, until it ends. States are compared with none of an integration.
   *
   * @throws CryptodataError `WAIT_TIMED_OUT`
   */
  async *watch(id: string, { until = [], ...options }: SyncWatchOptions = {}): AsyncGenerator<Change> {
    const ends = new Set<string | undefined>([...NAMED_SYNC_STATES, ...until]);
    const { clock } = this.#service.transport;
    let shown: string | undefined;
    let previous: string | undefined;
    const look = async (signal: AbortSignal | undefined) => {
      const record = await this.getAsServed(id, signal);
      const shows = facts(record);
      const changed = shows !== shown;
      shown = shows;
      return { value: { record, changed }, changed };
    };
    for await (const { record, changed } of poll(look, clock, options)) {
      const status = statusOf(record);
      if (changed) yield { time: clock.now(), id, status, previous, record };
      if (ends.has(status)) return;
      previous = status;
    }
  }
}

/** What is specified of a sync, to tell whether any of it moved. */
function facts({ status, recordsFailed, limitReached, message }: JsonRecord): string {
  return stringifyJson([status, recordsFailed, limitReached, message]);
}

/** @throws ServiceError `BAD_RECORD` */
export function parseSync(value: unknown): Sync {
  return checkRecord<SyncParts>(value, 'sync', {
    status: isString,
    recordsFailed: nullable(isJsonNumber),
    limitReached: nullable(isBoolean),
    message: nullable(isString),
  });
}
