// What was asked of the sandbox, for tests and for those who watch it. Never a secret: only path and query are kept,
// and of the query no value that grants anything.

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Query parameters; an array where one was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly status: number;
  /** Unix milliseconds by the sandbox's clock, when the request came in. */
  readonly time: number;
  /** How the caller presented itself. The credential itself is not kept. */
  readonly credential: 'bearer' | 'api-key' | 'none';
}

export interface Journal {
  add(record: RequestRecord): void;
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
  let records: RequestRecord[] = [];
  return {
    add(record) {
      records.push(record);
      if (records.length > KEPT * 2) records = records.slice(-KEPT);
      onRequest?.(record);
    },
    list: () => records.slice(-KEPT),
    clear: () => {
      records = [];
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
