// The request log. A record has the path and the query of a request, with secrets masked in the query. For the newest
// requests, the log also keeps the headers and the beginning of each body, unmasked. The sandbox page masks secrets before
// it shows these headers and bodies.

import type { AddressName } from './addresses.ts';
import { type Exchange, MAX_RECENT } from './exchange.ts';
import { HIDDEN_TEXT, isSecretParameter } from './masks.ts';

export interface RequestRecord {
  readonly method: string;
  /** The address of the service to which the request was sent. */
  readonly address: AddressName;
  readonly path: string;
  /** Query parameters. A repeated parameter has an array of values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** HTTP status; 0 until the response is sent. */
  readonly status: number;
  /** Arrival time by the sandbox's clock, in Unix milliseconds. */
  readonly time: number;
  /** The kind of credential. The credential itself is not recorded. */
  readonly credential: 'bearer' | 'api-key' | 'none';
  /** The faults that were applied, in the syntax of `--fault`. Missing if no fault was applied. */
  readonly faults?: readonly string[];
  /** Mistakes of the application, such as a request to the wrong address. Missing if there are none. */
  readonly remarks?: readonly string[];
}

/** The part of a record that is known only when the request ends. */
export type RequestOutcome = Pick<RequestRecord, 'status' | 'faults'>;

/** One of the newest requests, with its headers and bodies. */
export interface RecentRequest {
  /** Request number. The numbering continues after a reset. */
  readonly id: number;
  readonly record: RequestRecord;
  /** Duration in milliseconds of real time; undefined until the request ends. */
  readonly duration: number | undefined;
  readonly exchange: Exchange;
}

export type ReceivedRequests = ReturnType<typeof createRequestLog>;

/** Maximum number of entries. Older entries are dropped. */
export const MAX_ENTRIES = 10_000;

interface Entry {
  readonly id: number;
  record: () => RequestRecord;
  duration: number | undefined;
  /** Set to undefined when MAX_RECENT newer requests have arrived. */
  exchange: (() => Exchange) | undefined;
}

export function createRequestLog(onRequest: ((line: RequestRecord) => void) | undefined) {
  let entries: Entry[] = [];
  let count = 0;
  return {
    /**
     * Records a request when it arrives. Returns a function to call when the request ends. Until that call, reads of the log take
     * the current outcome from `live`. Therefore, if a client has received a response, the log contains the status of the response.
     */
    open(
      request: Omit<RequestRecord, keyof RequestOutcome>,
      live: { outcome: () => RequestOutcome; exchange: () => Exchange },
    ): () => void {
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
    list: (): readonly RequestRecord[] => entries.slice(-MAX_ENTRIES).map(({ record }) => record()),
    /** The newest requests with their headers and bodies, newest first. */
    recent: (): RecentRequest[] =>
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
      const values = params.getAll(name).map((value) => (isSecretParameter(name) ? HIDDEN_TEXT : value));
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
