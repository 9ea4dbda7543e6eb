// A ledger service for tests that does not use the sandbox. A random seed makes its changes and faults reproducible.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Row {
  readonly id: string;
  readonly timestamp: number;
  /** Position of the row in the order of creation. Rows that were created later have larger numbers. */
  readonly made: number;
  /** A JSON number with more digits than a double can represent. */
  readonly value: string;
  readonly note: string;
  readonly transactionId: string;
  readonly type: string;
  readonly assetId: string | null;
  readonly price: number | null;
  readonly afterBalance: string | null;
  /** Undefined in tests that need no accounts. */
  readonly walletId?: string;
}

/** Functions that compute the reported total from the real number of rows. */
export const TOTALS = {
  true: (rows: number) => rows,
  /** A random total that is at least the number of rows. */
  wild: (rows: number, random: () => number) => rows + Math.floor(random() * 1000),
  capped: (rows: number) => Math.min(rows, 100),
  zero: () => 0,
  huge: () => 1e15,
  timesMillion: (rows: number) => rows * 1e6,
  text: () => '"many"',
  digits: (rows: number) => `"${rows}"`,
  negative: (rows: number) => -rows - 1,
  fraction: (rows: number) => rows + 0.5,
  /** The number of rows on the page, not in the whole list. */
  page: (_rows: number, _random: () => number, page: number) => page,
} as const;
export type TotalKind = keyof typeof TOTALS;

export interface Conduct {
  /** Whether the service returns rows whose time equals `startTime` or `endTime`. */
  readonly inclusive: boolean;
  /** Whether rows of the same millisecond are in a different order in each response. */
  readonly unstableTies: boolean;
  /**
   * Whether all initial rows have the same creation time. If true, the order of these rows in a list that is sorted by creation
   * time differs from response to response.
   */
  readonly madeTogether: boolean;
  /**
   * The order for `sortBy=createdAt`. `ignored` means the order by time, and `reversed` means the opposite order. With `ties`,
   * groups of four rows share a creation time, and their order differs from response to response (default: correct).
   */
  readonly creationOrder?: 'correct' | 'ignored' | 'reversed' | 'ties';
  /** The order of rows with the same creation time, ascending (default: the order differs from response to response). */
  readonly tieOrder?: 'id' | 'timestamp';
  /** Probability, from 0 to 1, that a request fails. */
  readonly faults: number;
  /** Maximum number of faults. */
  readonly mostFaults: number;
  /** Probability, from 0 to 1, that the rows change before a response. */
  readonly drift: number;
  /** Maximum number of changes. */
  readonly mostChanges: number;
  /** The possible kinds of changes. */
  readonly changes: readonly ('head' | 'middle' | 'delete' | 'move' | 'edit')[];
  /** Probability, from 0 to 1, that a page omits or repeats a row. The reported total does not change. */
  readonly badPages: number;
  readonly mostBadPages: number;
  /** Whether the service ignores `startTime`, `endTime` and the requested order. */
  readonly ignoresTime: boolean;
  /** Whether the service always returns the newest row first. */
  readonly ignoresOrder: boolean;
  /** Maximum number of rows in a list. Further rows are neither returned nor counted. */
  readonly cap: number;
  /** Whether the service omits the ids of rows. */
  readonly noIds: boolean;
  readonly totals: TotalKind;
  /** Maximum number of rows per page. */
  readonly pageSize: number;
  /** If true, `meta.limit` repeats the requested page size, even if the page is smaller. */
  readonly hidesPageSize: boolean;
  /** Ignored filters. */
  readonly ignoredFilters: readonly string[];
}

export const CALM: Conduct = {
  inclusive: true,
  unstableTies: false,
  madeTogether: false,
  faults: 0,
  mostFaults: 0,
  drift: 0,
  mostChanges: 0,
  changes: [],
  badPages: 0,
  mostBadPages: 0,
  ignoresTime: false,
  ignoresOrder: false,
  cap: Number.POSITIVE_INFINITY,
  noIds: false,
  totals: 'true',
  pageSize: 200,
  hidesPageSize: false,
  ignoredFilters: [],
};

export interface Controls {
  /** Delay before each response, in milliseconds. */
  delay: number;
  /** Number of further requests for which the service closes the connection without a response. */
  broken: number;
  /** Called for each request for ledgers. `count` is the number of these requests so far, including this one. */
  onRequest: ((count: number) => void) | undefined;
  /** The required access token. Undefined if no token is required. */
  token: string | undefined;
  /** Whether the service returns 404 for each leg that is requested by id. */
  hidesLegs: boolean;
  /** The records of lists other than ledgers. Each key is a path, such as `/v1/integrations`. All other paths return 404. */
  lists: Readonly<Record<string, readonly unknown[]>>;
  /** The maximum total that the service reports for the lists in `lists`. */
  mostListed: number;
}

export interface LedgerServer {
  readonly url: string;
  readonly noIds: boolean;
  readonly rows: readonly Row[];
  /** All rows at the time of each request for the total of a span. The key is `startTime,endTime`. */
  readonly counted: ReadonlyMap<string, readonly (readonly Row[])[]>;
  readonly requests: readonly URLSearchParams[];
  /** For each request, the number of requests that arrived before its response was sent. */
  readonly answered: ReadonlyMap<URLSearchParams, number>;
  /** Settings that a test may change while the service runs. */
  readonly controls: Controls;
  /** Replaces the first row with a new row that has the same time, so that the number of rows stays the same. */
  exchange(): void;
  /** Replaces all rows. */
  replace(rows: readonly Row[]): void;
  close(): Promise<void>;
}

/** Returns a seeded generator of random numbers from 0 to 1 (mulberry32, public domain). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const START = 1_700_000_000_000;

export function makeRows(count: number, ties: number, random: () => number): Row[] {
  let timestamp = START;
  return Array.from({ length: count }, (_, made) => {
    if (made > 0 && random() >= ties) timestamp += 1 + Math.floor(random() * 5);
    return makeRow(timestamp, made, random);
  });
}

export function makeRow(timestamp: number, made: number, random: () => number): Row {
  const digits = String(Math.floor(random() * 1e15)).padStart(15, '0');
  // Derive several fields from one random number, so that fewer random numbers are needed.
  const lot = Math.floor(random() * 120);
  return {
    transactionId: `tx_${lot % 5}`,
    type: ['incoming', 'outgoing', 'fee'][lot % 3] ?? '',
    assetId: lot % 4 === 0 ? null : `asset_${lot % 4}`,
    price: lot % 8 < 3 ? null : 1.5,
    afterBalance: lot % 5 === 0 ? null : `${(lot % 7) - 3}.000000000000000001`,
    id: `led_${Math.floor(random() * 2 ** 48).toString(36)}_${made}`,
    timestamp,
    made,
    value: `${Math.floor(random() * 1e9)}.${digits}${digits}`,
    note: random() < 0.1 ? '=SUM("a",\n1)\u001b[31m' : `n${made}`,
  };
}

/** Returns a row as JSON. Responses and the expected JSONL file contain the same text. */
export function textOf({ id, timestamp, value, note, price, ...row }: Row, noIds = false): string {
  const { transactionId, type, assetId, afterBalance, walletId } = row;
  const fields = JSON.stringify({
    transactionId,
    type,
    assetId,
    price: price === null ? null : { price },
    afterBalance,
    walletId,
  }).slice(1);
  return `{${noIds ? '' : `"id":"${id}",`}"timestamp":${timestamp},"quantity":"${value}","value":${value},"description":${JSON.stringify(note)},${fields}`;
}

// Rows have balances of the form N.000000000000000001, and tests filter balances by whole numbers.
const balanceOf = (row: Row) =>
  row.afterBalance === null ? undefined : BigInt(row.afterBalance.replace('.', ''));
const boundOf = (value: string) => (/^-?\d+$/.test(value) ? BigInt(value) * 10n ** 18n : 0n);
const below = (one: bigint | undefined, other: bigint | undefined) =>
  one !== undefined && other !== undefined && one < other;

/** Filters on row fields. They follow the specification and do not use the tested code. */
const FILTERS: Readonly<Record<string, (row: Row, value: string) => boolean>> = {
  types: (row, value) => value.split(',').includes(row.type),
  assetIds: (row, value) => row.assetId !== null && value.split(',').includes(row.assetId),
  transactionIds: (row, value) => value.split(',').includes(row.transactionId),
  hasMissingPrice: (row, value) => String(row.price === null) === value,
  hasMissingAsset: (row, value) => String(row.assetId === null) === value,
  ltAfterBalance: (row, value) => below(balanceOf(row), boundOf(value)),
  gtAfterBalance: (row, value) => below(boundOf(value), balanceOf(row)),
};

export function passes(row: Row, name: string, value: string): boolean {
  return FILTERS[name]?.(row, value) ?? true;
}

export async function startLedgerServer(
  start: readonly Row[],
  conduct: Conduct,
  random: () => number,
): Promise<LedgerServer> {
  /** Each change creates a new array, so that `counted` can contain earlier states. */
  let rows: readonly Row[] = start;
  let made = start.length;
  let faults = 0;
  let changes = 0;
  let badPages = 0;
  const requests: URLSearchParams[] = [];
  const answered = new Map<URLSearchParams, number>();
  const counted = new Map<string, (readonly Row[])[]>();
  const controls: Controls = {
    delay: 0,
    broken: 0,
    onRequest: undefined,
    token: undefined,
    hidesLegs: false,
    lists: {},
    mostListed: Number.POSITIVE_INFINITY,
  };
  // Cache the sorted rows of each query, because sorting 150,000 rows for every page would take most of the test time.
  const selected = new Map<string, Row[]>();

  const change = () => {
    if (changes >= conduct.mostChanges || random() >= conduct.drift) return;
    changes += 1;
    selected.clear();
    const kind = conduct.changes[Math.floor(random() * conduct.changes.length)];
    const times = rows.map(({ timestamp }) => timestamp);
    const last = times.reduce((a, b) => Math.max(a, b), START);
    const first = times.reduce((a, b) => Math.min(a, b), last);
    made += 1;
    const add = (row: Row) => {
      rows = [...rows, row];
    };
    if (kind === 'head') add(makeRow(last + 1 + Math.floor(random() * 3), made, random));
    else if (kind === 'move') {
      const at = Math.floor(random() * rows.length);
      const [row] = rows.slice(at);
      const timestamp = first + Math.floor(random() * (last - first + 1));
      if (row) rows = rows.with(at, { ...row, timestamp });
    } else if (kind === 'edit') {
      const at = Math.floor(random() * rows.length);
      const [row] = rows.slice(at);
      const { id: _id, timestamp: _time, made: _made, ...fields } = makeRow(0, made, random);
      if (row) rows = rows.with(at, { ...row, ...fields });
    } else if (kind === 'middle') add(makeRow(first + Math.floor(random() * (last - first)), made, random));
    else if (rows.length > 0) rows = rows.toSpliced(Math.floor(random() * rows.length), 1);
  };

  const select = (query: URLSearchParams): Row[] => {
    const key = [...query].filter(([name]) => name !== 'offset' && name !== 'limit').join();
    const known = selected.get(key) ?? sorted(query);
    const isStable =
      conduct.tieOrder !== undefined || (!conduct.madeTogether && conduct.creationOrder !== 'ties');
    if (!conduct.unstableTies && isStable) selected.set(key, known);
    return known;
  };

  const sorted = (query: URLSearchParams): Row[] => {
    const edge = conduct.inclusive ? 0 : 1;
    const from = query.has('startTime') ? Number(query.get('startTime')) + edge : Number.NEGATIVE_INFINITY;
    const to = query.has('endTime') ? Number(query.get('endTime')) - edge : Number.POSITIVE_INFINITY;
    const filters = [...query].filter(([name]) => name in FILTERS && !conduct.ignoredFilters.includes(name));
    const wanted = rows.filter((row) => filters.every(([name, value]) => passes(row, name, value)));
    if (conduct.ignoresTime) return wanted;
    const found = wanted.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
    const byMade = query.get('sortBy') === 'createdAt' && conduct.creationOrder !== 'ignored';
    const group = conduct.creationOrder === 'ties' ? 4 : 1;
    const madeAt = ({ made }: Row) =>
      conduct.madeTogether && made < start.length ? 0 : Math.floor(made / group);
    const direction = conduct.creationOrder === 'reversed' ? -1 : 1;
    const keyOf = (row: Row) => (byMade ? direction * madeAt(row) : row.timestamp);
    const shuffled = byMade ? conduct.madeTogether || group > 1 : conduct.unstableTies;
    const lots = shuffled ? new Map(found.map((row) => [row, random()])) : undefined;
    const lotOf = (row: Row) => (lots ? (lots.get(row) ?? 0) : row.made);
    const sign = query.get('sortOrder') === 'asc' && !conduct.ignoresOrder ? 1 : -1;
    const { tieOrder } = conduct;
    if (byMade && tieOrder) found.sort((a, b) => (a[tieOrder] < b[tieOrder] ? -1 : 1));
    return found.sort(
      (a, b) => sign * (keyOf(a) - keyOf(b) || (byMade && tieOrder ? 0 : lotOf(a) - lotOf(b))),
    );
  };

  const answer = (query: URLSearchParams, response: ServerResponse) => {
    const found = select(query);
    const count = Math.min(found.length, conduct.cap);
    const offset = Number(query.get('offset') ?? 0);
    const asked = Math.min(200, Number(query.get('limit') ?? 50));
    const limit = Math.min(conduct.pageSize, asked);
    const page = found.slice(offset, Math.min(offset + limit, count));
    if (page.length > 1 && badPages < conduct.mostBadPages && random() < conduct.badPages) {
      badPages += 1;
      const at = Math.floor(random() * page.length);
      const [twice] = page;
      if (random() < 0.5) page.splice(at, 1);
      else if (twice) page[at] = twice;
    }
    const total = TOTALS[conduct.totals](count, random, page.length);
    const shown = conduct.hidesPageSize ? asked : limit;
    if (asked === 1 && offset === 0 && query.get('sortOrder') === 'asc') {
      const key = `${query.get('startTime')},${query.get('endTime')}`;
      counted.set(key, [...(counted.get(key) ?? []), rows]);
    }
    const body = `{"data":[${page.map((row) => textOf(row, conduct.noIds)).join(',')}],"meta":{"total":${total},"limit":${shown},"offset":${offset}}}`;
    if (faults < conduct.mostFaults && random() < conduct.faults) {
      faults += 1;
      return fail(body, response);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };

  const fail = (body: string, response: ServerResponse) => {
    const kinds = ['429', '429-date', '500', '502', 'reset', 'torn', 'short'];
    const kind = kinds[Math.floor(random() * kinds.length)];
    if (kind === '429') return void response.writeHead(429, { retry_after: '1' }).end('{}');
    if (kind === '429-date') {
      const until = new Date(Date.now() + 1000).toUTCString();
      return void response.writeHead(429, { 'retry-after': until }).end('{}');
    }
    if (kind === '500')
      return void response.writeHead(500).end('{"error":{"code":"INTERNAL_ERROR","message":"x"}}');
    if (kind === '502') return void response.writeHead(502).end('<html>Bad gateway</html>');
    if (kind === 'reset') return void response.destroy();
    if (kind === 'short') return void response.writeHead(200).end(body.slice(0, body.length / 2));
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  };

  const server = createServer(async (request: IncomingMessage, response) => {
    if (controls.broken > 0) {
      controls.broken -= 1;
      request.socket.destroy();
      return;
    }
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
    const [, wanted] = /^\/v1\/ledgers\/(.+)/.exec(pathname) ?? [];
    const row = wanted === undefined || controls.hidesLegs ? undefined : rows.find(({ id }) => id === wanted);
    if (row) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"data":${textOf(row)}}`);
      return;
    }
    if (pathname !== '/v1/ledgers') {
      const data = controls.lists[pathname];
      const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
      const page = {
        success: true,
        data: data?.slice(offset, offset + limit),
        totalCount: data && Math.min(data.length, controls.mostListed),
        offset,
        limit,
      };
      response.writeHead(data ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data ? page : { success: false, error: 'none', code: 'NOT_FOUND' }));
      return;
    }
    requests.push(query);
    controls.onRequest?.(requests.length);
    if (controls.token !== undefined && request.headers.authorization !== `Bearer ${controls.token}`) {
      response.writeHead(401).end('{"error":"unauthorized","error_description":"expired"}');
      return;
    }
    if (controls.delay > 0) await new Promise((resolve) => setTimeout(resolve, controls.delay));
    change();
    answered.set(query, requests.length);
    answer(query, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    noIds: conduct.noIds,
    get rows() {
      return rows;
    },
    counted,
    requests,
    answered,
    controls,
    exchange() {
      selected.clear();
      made += 1;
      const [first] = rows;
      if (first) rows = [makeRow(first.timestamp, made, random), ...rows.slice(1)];
    },
    replace(next) {
      selected.clear();
      rows = next;
      made = rows.reduce((most, row) => Math.max(most, row.made), made);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
