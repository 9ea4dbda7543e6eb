// The journal of requests. It contains no secrets: only path and query are kept, and sensitive values of the query are
// masked.

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Query parameters; an array for a repeated parameter. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** 0 until the response is sent. */
  readonly status: number;
  /** When the request arrived, in Unix milliseconds of the sandbox's clock. */
  readonly time: number;
  /** The kind of credential. The credential itself is not recorded. */
  readonly credential: 'bearer' | 'api-key' | 'none';
  /** The faults that were applied, in the syntax of `--fault`; missing if there were none. */
  readonly faults?: readonly string[];
}

/** The part of a record that is known when the request ends. */
export type RequestOutcome = Pick<RequestRecord, 'status' | 'faults'>;

export interface Journal {
  /**
   * Records a request on arrival. Until the returned function is called, every read of the journal calls `outcome`.
   * Thus, as soon as a client has received a response, the journal has the request and its status.
   */
  open(request: Omit<RequestRecord, keyof RequestOutcome>, outcome: () => RequestOutcome): () => void;
  list(): readonly RequestRecord[];
  clear(): void;
}

/** Maximum number of entries; older entries are dropped. */
const MAX_ENTRIES = 10_000;

const SECRET = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code',
  'client_secret',
  'code_verifier',
]);
const MASK = '***';

export function createJournal(onRequest: ((line: RequestRecord) => void) | undefined): Journal {
  let entries: (() => RequestRecord)[] = [];
  return {
    open(request, outcome) {
      let read = () => ({ ...request, ...outcome() });
      entries.push(() => read());
      if (entries.length > MAX_ENTRIES * 2) entries = entries.slice(-MAX_ENTRIES);
      return () => {
        const settled = read();
        read = () => settled;
        onRequest?.(settled);
      };
    },
    list: () => entries.slice(-MAX_ENTRIES).map((read) => read()),
    clear: () => {
      entries = [];
    },
  };
}

export function queryRecord(params: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name).map((value) => (SECRET.has(name.toLowerCase()) ? MASK : value));
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
