// What was asked of the sandbox, for tests and for those who watch it. Never a secret: only path and query are kept,
// and of the query no value that grants anything.

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Query parameters; an array where one was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** 0 while the answer is still to come. */
  readonly status: number;
  /** Unix milliseconds by the sandbox's clock, when the request came in. */
  readonly time: number;
  /** How the caller presented itself. The credential itself is not kept. */
  readonly credential: 'bearer' | 'api-key' | 'none';
  /** The faults that it met, as `--fault` takes them; absent where it met none. */
  readonly faults?: readonly string[];
}

/** What is known of a request only later. */
export type RequestOutcome = Pick<RequestRecord, 'status' | 'faults'>;

export interface Journal {
  /**
   * Takes down a request as it comes in. `outcome` is asked for whenever the journal is read, until the function
   * returned is called: whoever has an answer in hand finds its request in the journal, with its status.
   */
  open(request: Omit<RequestRecord, keyof RequestOutcome>, outcome: () => RequestOutcome): () => void;
  list(): readonly RequestRecord[];
  clear(): void;
}

/** The oldest entries go first, so that a long session stays small. */
const KEPT = 10_000;

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
      if (entries.length > KEPT * 2) entries = entries.slice(-KEPT);
      return () => {
        const settled = read();
        read = () => settled;
        onRequest?.(settled);
      };
    },
    list: () => entries.slice(-KEPT).map((read) => read()),
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
