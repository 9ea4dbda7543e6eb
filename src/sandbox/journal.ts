// The journal of requests. A record contains no secrets: it has only the path and the query, and sensitive query values are
// masked. For the newest requests, the journal also keeps the headers and the beginning of the bodies. The sandbox page masks
// secrets in headers and bodies.

import { type Exchange, MAX_RECENT } from './exchange.ts';
import { isSecretParameter, MASK } from './masks.ts';

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Query parameters; an array for a repeated parameter. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** 0 until the response is sent. */
  readonly status: number;
  /** Arrival time, in Unix milliseconds of the sandbox's clock. */
  readonly time: number;
  /** The kind of credential. The credential itself is not recorded. */
  readonly credential: 'bearer' | 'api-key' | 'none';
  /** The faults that were applied, in the syntax of `--fault`; missing if there were none. */
  readonly faults?: readonly string[];
}

/** The part of a record that is known when the request ends. */
export type RequestOutcome = Pick<RequestRecord, 'status' | 'faults'>;

/** A request that is new enough to be shown in full. */
export interface RecentRequest {
  /** Request number. A reset does not restart the numbering. */
  readonly id: number;
  readonly record: RequestRecord;
  /** Milliseconds of real time; undefined until the response has ended. */
  readonly duration: number | undefined;
  readonly exchange: Exchange;
}

interface Live {
  readonly outcome: () => RequestOutcome;
  readonly exchange: () => Exchange;
}

export interface Journal {
  /**
   * Records a request on arrival, and returns a function to call when the request has ended. Before that call, every read of the
   * journal gets the current outcome from `live`. A client that has received a response therefore finds the request and its
   * status in the journal.
   */
  open(request: Omit<RequestRecord, keyof RequestOutcome>, live: Live): () => void;
  list(): readonly RequestRecord[];
  /** The newest requests in full, newest first. */
  recent(): RecentRequest[];
  clear(): void;
}

/** Maximum number of entries; older entries are dropped. */
export const MAX_ENTRIES = 10_000;

interface Entry {
  readonly id: number;
  record: () => RequestRecord;
  duration: number | undefined;
  /** Undefined once MAX_RECENT newer requests have arrived. */
  exchange: (() => Exchange) | undefined;
}

export function createJournal(onRequest: ((line: RequestRecord) => void) | undefined): Journal {
  let entries: Entry[] = [];
  let count = 0;
  return {
    open(request, live) {
      count += 1;
      const entry: Entry = {
        id: count,
        record: () => ({ ...request, ...live.outcome() }),
        duration: undefined,
        exchange: live.exchange,
      };
      const began = performance.now();
      entries.push(entry);
      const old = entries.at(-MAX_RECENT - 1);
      if (old !== undefined) old.exchange = undefined;
      if (entries.length > MAX_ENTRIES * 2) entries = entries.slice(-MAX_ENTRIES);
      return () => {
        const settled = entry.record();
        entry.record = () => settled;
        entry.duration = performance.now() - began;
        const exchange = entry.exchange?.();
        entry.exchange = exchange && (() => exchange);
        onRequest?.(settled);
      };
    },
    list: () => entries.slice(-MAX_ENTRIES).map(({ record }) => record()),
    recent: () =>
      entries
        .slice(-MAX_RECENT)
        .reverse()
        .flatMap(({ id, record, duration, exchange }) =>
          exchange === undefined ? [] : [{ id, record: record(), duration, exchange: exchange() }],
        ),
    clear: () => {
      entries = [];
    },
  };
}

export function queryRecord(params: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name).map((value) => (isSecretParameter(name) ? MASK : value));
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
