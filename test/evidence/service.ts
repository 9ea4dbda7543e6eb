// A model of the service that misbehaves. It serves every list of the current API that the tested commands read. A seed
// determines the records, the faults of the service (`Conduct`) and the changes of the records (`Change`). The model shares no
// code with the tool or with the sandbox. It logs each request and each state of the legs, so that a test knows the truth.
import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Leg {
  readonly id: string;
  /** Position in the order of creation. */
  readonly made: number;
  readonly timestamp: number;
  readonly transactionId: string;
  readonly type: 'incoming' | 'outgoing' | 'fee';
  readonly assetId: string | null;
  readonly quantity: string;
  readonly price: number | null;
  readonly walletId: string;
  readonly afterBalance: number | null;
  readonly description: string;
}

export type Legs = ReadonlyMap<string, Leg>;

/** The legs of the service, from a given request until the next change. */
export interface State {
  /** Number of the first request that saw this state, over the whole lifetime of the service. */
  readonly from: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly legs: Legs;
}

/** A row of a list, with the text that the service sends. */
export interface Row {
  readonly id: string;
  readonly text: string;
}

/** An answered request for a list. */
export interface Served {
  /** Position of the request in the lifetime of the service. */
  readonly number: number;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rows: readonly Row[];
  /** The total and the field `hasMore` of the response, if the response has them. */
  readonly total: number | undefined;
  readonly hasMore: boolean | undefined;
  /** Maximum number of rows that the service serves for this list. */
  readonly size: number;
}

export interface Conduct {
  /** The lists with faults in their pages. */
  readonly where: 'ledgers' | 'transactions' | 'others' | 'all';
  /** Maximum number of rows per page. */
  readonly pageSize: number;
  /** The page size in responses. `asked` repeats the requested size, even if the page is smaller. */
  readonly pageSizeShown: 'used' | 'asked';
  /** The response to a request for the page after the last row. */
  readonly pastEnd: 'empty' | 'lastRow' | 'lastPage' | 'totalZero' | 'rejected' | 'notFound';
  readonly offset: 'obeyed' | 'ignored';
  readonly offsetShown: 'used' | 'asked' | 'absent';
  /** From this position on, pages contain no rows. */
  readonly earlyEnd: number | undefined;
  /** Whether the empty page after an early end still reports that there are more rows. */
  readonly emptyPageHasMore: boolean;
  /** Whether pages after an early end are rejected, instead of empty. */
  readonly rejectsAfterEnd: boolean;
  /** Whether legs are paged by number. */
  readonly byPage: boolean;
  /** Whether the prices of holdings change with each response. Holdings have no id. */
  readonly changingPrices: boolean;
  /** Whether totals are sent as text. */
  readonly totalAsText: boolean;
  readonly total: 'true' | 'missing' | 'capped' | 'tooSmall' | 'tooLarge' | 'zero';
  readonly hasMore: 'true' | 'missing';
  /** Names of filters that the service ignores in every list. */
  readonly ignoredFilters: readonly string[];
  readonly ignoresSortBy: boolean;
  readonly ignoresSortOrder: boolean;
  /** Whether rows of the same time have a different order in each response. */
  readonly unstableTies: boolean;
  readonly bounds: 'inclusive' | 'exclusive' | 'ignored';
}

export const HONEST: Conduct = {
  where: 'all',
  pageSize: 200,
  pageSizeShown: 'used',
  pastEnd: 'empty',
  offset: 'obeyed',
  offsetShown: 'used',
  earlyEnd: undefined,
  emptyPageHasMore: false,
  ...{ rejectsAfterEnd: false, byPage: false, changingPrices: false, totalAsText: false },
  total: 'true',
  hasMore: 'true',
  ignoredFilters: [],
  ignoresSortBy: false,
  ignoresSortOrder: false,
  unstableTies: false,
  bounds: 'inclusive',
};

export const KINDS = [
  'append',
  'backfillBefore',
  'backfillMiddle',
  'backfillAfter',
  'edit',
  'replace',
  'replaceElsewhere',
  'move',
  'delete',
] as const;

/** Phases of a command. A change with the phase `request` happens before the request with the given number. */
export const PHASES = [
  'first',
  'request',
  'secondRead',
  'inSecondRead',
  'lastTotal',
  'afterTotal',
  'between',
] as const;
export type Phase = (typeof PHASES)[number];

export interface Change {
  readonly kind: (typeof KINDS)[number];
  readonly phase: Phase;
  /** Position of the command, if a test runs several commands. */
  readonly command: number;
  /** For the phases `request` and `inSecondRead`: the number of the request for the list that changes. */
  readonly request: number;
}

/** A span in Unix milliseconds; both ends are inclusive. */
export interface Asked {
  readonly from?: number;
  readonly to?: number;
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

export type Random = ReturnType<typeof seeded>;
export const pick = <T>(random: Random, values: readonly T[]): T => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));

const ASSETS = ['ast_btc', 'ast_eth', 'ast_usdc'];
const WALLETS = ['wal_1', 'wal_2', 'wal_3'];
const PROVIDERS: Readonly<Record<string, string>> = { wal_1: 'kraken', wal_2: 'ledger', wal_3: 'kraken' };
const START = Date.UTC(2025, 0, 20);
/** The legs lie in about three months, around February 2025. */
const LENGTH = 70 * 86_400_000;

function makeLeg(random: Random, made: number, timestamp: number): Leg {
  const lot = Math.floor(random() * 1e6);
  return {
    id: `led_${made}_${lot.toString(36)}`,
    made,
    timestamp,
    transactionId: lot % 3 === 0 ? `txn_${made}` : `txn_${made - (made % 4)}`,
    type: pick(random, ['incoming', 'incoming', 'outgoing', 'fee']),
    assetId: lot % 11 === 0 ? null : pick(random, ASSETS),
    quantity: `${lot % 1000}.${String(lot).padStart(18, '0')}`,
    price: lot % 7 === 0 ? null : 1.5,
    walletId: pick(random, WALLETS),
    afterBalance: lot % 13 === 0 ? null : (lot % 9) - 2,
    description: `note ${made}`,
  };
}

export function makeLegs(random: Random, count: number): Legs {
  const ties = pick(random, [0, 0.3, 0.8]);
  const step = LENGTH / Math.max(1, count);
  let timestamp = START;
  const legs = Array.from({ length: count }, (_, made) => {
    if (made > 0 && random() >= ties) timestamp += 2000 + Math.floor(2 * random() * step);
    return makeLeg(random, made, timestamp);
  });
  // The order of creation differs from the order of time.
  if (random() < 0.7) {
    return mapOf(legs.map((leg, at) => (at % 5 === 0 ? { ...leg, made: leg.made - 0.5 - (at % 3) } : leg)));
  }
  return mapOf(legs);
}

const mapOf = (legs: readonly Leg[]): Legs => new Map(legs.map((leg) => [leg.id, leg]));

const texts = new WeakMap<Leg, string>();

/** The text of a leg in responses. */
export function legText(leg: Leg): string {
  const text = texts.get(leg) ?? textOf(leg);
  texts.set(leg, text);
  return text;
}

function textOf(leg: Leg): string {
  const { id, transactionId, type, assetId, quantity, price, timestamp, walletId, afterBalance } = leg;
  const symbol = (assetId ?? 'ast_new').slice(4).toUpperCase();
  return JSON.stringify({
    ...{ id, transactionId, workspaceId: 'ws_1', type, assetId, assetRaw: { symbol }, quantity },
    baseCurrency: 'EUR',
    price: price === null ? null : { price, baseCurrency: 'EUR', timestamp, source: 'model' },
    value: price === null ? null : price * 2,
    ...{ timestamp, walletId, syncId: null, fromAccount: null, toAccount: null, label: null },
    ...{ description: leg.description, internalLabel: null, isEdited: false, beforeBalance: null },
    afterBalance: afterBalance === null ? null : `${afterBalance}.000000000000000001`,
    ...{ costbasis: null, proceeds: null, profit: null, debitCoaCode: null, creditCoaCode: null },
    ...{ isDebitCoaEdited: false, isCreditCoaEdited: false },
    asset: assetId === null ? null : { symbol, name: symbol, logoUrl: '', type: 'token' },
  });
}

const legRowOf = new WeakMap<Leg, Row>();

function rowOf(leg: Leg): Row {
  const row = legRowOf.get(leg) ?? { id: leg.id, text: legText(leg) };
  legRowOf.set(leg, row);
  return row;
}

/** A transaction, which consists of legs. */
export interface Txn extends Row {
  readonly legs: readonly Leg[];
  /** The earliest time of a leg. */
  readonly time: number;
}

const txnsOf = new WeakMap<Legs, readonly Txn[]>();

/** The transactions of a state, newest first. */
export function transactions(legs: Legs): readonly Txn[] {
  const known = txnsOf.get(legs);
  if (known) return known;
  const groups = new Map<string, Leg[]>();
  for (const leg of legs.values()) {
    groups.set(leg.transactionId, [...(groups.get(leg.transactionId) ?? []), leg]);
  }
  const found = [...groups].map(([id, group]): Txn => {
    const sorted = group.sort((a, b) => a.made - b.made);
    const ofType = (type: Leg['type']) => sorted.filter((leg) => leg.type === type).map(legText);
    const fee = ofType('fee');
    const text = `{"id":"${id}","incomingAssets":[${ofType('incoming')}],"outgoingAssets":[${ofType('outgoing')}],"fee":${fee.length === 0 ? 'null' : `[${fee}]`}}`;
    return { id, text, legs: sorted, time: Math.min(...sorted.map(({ timestamp }) => timestamp)) };
  });
  found.sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));
  txnsOf.set(legs, found);
  return found;
}

/** A record of a list that does not change, with its fields. */
export interface Fixed extends Row {
  readonly fields: Readonly<Record<string, unknown>>;
}

const fixed = (id: string, fields: Readonly<Record<string, unknown>>): Fixed => ({
  ...{ id, fields, text: JSON.stringify(fields) },
});

function makeLists(random: Random, most: number): Readonly<Record<string, readonly Fixed[]>> {
  const many = <T>(make: (at: number) => T) =>
    Array.from({ length: upTo(random, most) }, (_, at) => make(at));
  const provider = (id: string, at: number) => {
    const type = pick(random, ['exchange', 'wallet', 'blockchain']);
    const name = id.charAt(0).toUpperCase() + id.slice(1);
    return fixed(id, {
      ...{ id, slug: id, name: id, publicName: name, description: null, type, logo: null },
      ...{ featured: random() < 0.5, isWorking: random() < 0.5, importMethods: ['api'] },
      ...{ credentialFields: {}, capabilities: {}, walletSupportedChains: null, functions: null },
      ...{ integrationInfo: null, walletLimitations: null, metadata: { at } },
      ...{ createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-01T00:00:00.000Z' },
    });
  };
  const account = (walletId: string, providerId: string) =>
    fixed(walletId, {
      ...{ providerId, isCustomWallet: false, provider: providerId, providerPublicName: providerId },
      ...{ publicAddress: '', walletId, logoUrl: '', isContract: false, alias: `Account ${walletId}` },
      ...{ status: 'COMPLETED', addedOn: 1, lastSyncedAt: 1, category: 'exchange', type: 'api' },
      totalTransactions: 1,
    });
  return {
    '/v1/providers': [provider('kraken', 0), provider('ledger', 1), ...many((at) => provider(`p${at}`, at))],
    '/v1/integrations': [
      ...WALLETS.map((id) => account(id, PROVIDERS[id] ?? '')),
      ...many((at) => account(`wal_more_${at}`, 'kraken')),
    ],
    '/v1/labels': many((at) => fixed(`lab_${at}`, { id: `lab_${at}`, name: `Label ${at}` })),
    '/v1/spam': many((at) => fixed(`spam_${at}`, { id: `spam_${at}`, assetId: `ast_spam_${at}` })),
    '/v1/holdings': many((at) =>
      fixed(`ast_${at}`, {
        ...{ assetId: `ast_${at}`, asset: { tokenId: `t${at}` }, costBasis: 1.5, costPerUnit: 1 },
        ...{ roiPercentage: null, change24h: 0, change24hPercentage: 0, transactionCount: at, isSpam: false },
      }),
    ),
  };
}

const list = (value: string) => value.split(',');

/** Whether a leg passes a filter. */
export const LEG_FILTERS: Readonly<Record<string, (leg: Leg, value: string) => boolean>> = {
  transactionIds: ({ transactionId }, value) => list(value).includes(transactionId),
  assetIds: ({ assetId }, value) => assetId !== null && list(value).includes(assetId),
  types: ({ type }, value) => list(value).includes(type),
  providers: ({ walletId }, value) => list(value).includes(PROVIDERS[walletId] ?? ''),
  hasMissingPrice: ({ price }, value) => String(price === null) === value,
  hasMissingAsset: ({ assetId }, value) => String(assetId === null) === value,
  // Balances have the form N.000000000000000001, so `signed` shifts them slightly away from zero before the comparison.
  ltAfterBalance: ({ afterBalance }, value) => afterBalance !== null && signed(afterBalance) < Number(value),
  gtAfterBalance: ({ afterBalance }, value) => afterBalance !== null && signed(afterBalance) > Number(value),
};

/** The balance as a number. `0.000000000000000001` is above 0, and `-0.…` does not occur. */
const signed = (balance: number) => (balance < 0 ? balance - 1e-9 : balance + 1e-9);

/** Whether a transaction passes a filter. Filters on fields that the specification does not show use the id. */
export const TXN_FILTERS: Readonly<Record<string, (txn: Txn, value: string) => boolean>> = {
  notWalletIds: ({ legs }, value) => !legs.some(({ walletId }) => list(value).includes(walletId)),
  hasMissingPrice: ({ legs }, value) => String(legs.some(({ price }) => price === null)) === value,
  isMissingTransaction: ({ legs }, value) =>
    String(legs.some(({ afterBalance }) => afterBalance !== null && afterBalance < 0)) === value,
};

/** Whether a provider passes a filter. */
export const PROVIDER_FILTERS: Readonly<Record<string, (provider: Fixed, value: string) => boolean>> = {
  type: ({ fields }, value) => fields['type'] === value,
  featured: ({ fields }, value) => String(fields['featured']) === value,
  isWorking: ({ fields }, value) => String(fields['isWorking']) === value,
  search: ({ id }, value) => id.includes(value),
};

/** Returns a state after a change. `focus` is the period that the commands ask for. */
export function changed(legs: Legs, kind: Change['kind'], random: Random, made: number, focus: Asked): Legs {
  const rows = [...legs.values()];
  const times = rows.map(({ timestamp }) => timestamp);
  const first = Math.min(...times, START + LENGTH);
  const last = Math.max(...times, START);
  const low = Math.max(first, focus.from ?? first);
  const high = Math.max(low, Math.min(last, focus.to ?? last));
  const inside = times.filter((time) => time >= low && time <= high);
  const firstInside = Math.min(...inside, high);
  const lastInside = Math.max(...inside, low);
  const next = new Map(legs);
  const add = (timestamp: number) => {
    const leg = makeLeg(random, made, Math.floor(timestamp));
    next.set(leg.id, leg);
  };
  const between = (from: number, to: number) => from + random() * Math.max(0, to - from);
  const victims = rows.filter(({ timestamp }) => timestamp >= low && timestamp <= high);
  const victim = victims.length === 0 ? undefined : pick(random, victims);
  switch (kind) {
    case 'append':
      add(last + 1000 + upTo(random, 1e6));
      break;
    case 'backfillBefore':
      add(
        focus.from === undefined ? firstInside - 1000 - upTo(random, 1e6) : between(focus.from, firstInside),
      );
      break;
    case 'backfillMiddle':
      add(between(firstInside, lastInside));
      break;
    case 'backfillAfter':
      add(between(lastInside, focus.to === undefined ? lastInside : Math.min(focus.to, last + 1e6)));
      break;
    case 'edit':
      if (victim) next.set(victim.id, { ...victim, description: `edited ${made}`, quantity: `${made}.5` });
      break;
    case 'replace':
    case 'replaceElsewhere':
      if (victim) {
        next.delete(victim.id);
        add(kind === 'replace' ? victim.timestamp : between(firstInside, lastInside));
      }
      break;
    case 'move':
      if (victim) next.set(victim.id, { ...victim, timestamp: Math.floor(between(first, last)) });
      break;
    case 'delete':
      if (victim) next.delete(victim.id);
      break;
  }
  return next;
}

export interface Service {
  readonly url: string;
  /** All answered requests for lists. */
  readonly served: readonly Served[];
  readonly states: readonly State[];
  /** Phases in which a change was made. */
  readonly hit: ReadonlySet<string>;
  /** Number of all requests. */
  readonly requests: number;
  readonly lists: Readonly<Record<string, readonly Fixed[]>>;
  /** Begins the next command, and makes the changes between two commands. */
  begin(): void;
  close(): Promise<void>;
}

export interface Script {
  readonly conduct: Conduct;
  readonly changes: readonly Change[];
  readonly legs: Legs;
  readonly focus: Asked;
  /** The list whose requests are counted for the phases. */
  readonly path: '/v1/ledgers' | '/v1/transactions';
  /** After this number of requests, the service refuses all requests, so that the command ends. */
  readonly mostRequests: number;
  /** Maximum number of records in the lists that do not change. */
  readonly mostRecords: number;
}

interface Page {
  /** The status of a page that is rejected. */
  readonly refused: number | undefined;
  readonly rows: readonly Row[];
  readonly start: number;
  readonly size: number;
  readonly total: number | undefined;
  readonly hasMore: boolean;
}

function pageOf(rows: readonly Row[], offset: number, asked: number, conduct: Conduct): Page {
  const size = Math.max(1, Math.min(asked, conduct.pageSize));
  const end = conduct.earlyEnd ?? rows.length;
  let start = conduct.offset === 'ignored' ? 0 : offset;
  const isPast = start >= rows.length && rows.length > 0 && start > 0 && conduct.earlyEnd === undefined;
  if (isPast) {
    if (conduct.pastEnd === 'lastRow') start = rows.length - 1;
    if (conduct.pastEnd === 'lastPage') start = Math.floor((rows.length - 1) / size) * size;
  }
  const page = rows.slice(start, Math.min(start + size, end));
  const isCut = start >= end && start < rows.length;
  const totals = {
    true: rows.length,
    missing: undefined,
    capped: Math.min(rows.length, 20),
    tooSmall: Math.floor(rows.length * 0.8),
    tooLarge: rows.length + 3,
    zero: 0,
  };
  return {
    ...{ rows: page, start, size },
    total: isPast && conduct.pastEnd === 'totalZero' && page.length === 0 ? 0 : totals[conduct.total],
    refused:
      isPast && conduct.pastEnd === 'notFound'
        ? 404
        : (isPast && conduct.pastEnd === 'rejected') || (isCut && conduct.rejectsAfterEnd)
          ? 422
          : undefined,
    hasMore: isCut ? conduct.emptyPageHasMore : start + page.length < rows.length,
  };
}

export async function startService(script: Script, random: Random): Promise<Service> {
  const { conduct, changes, focus, path: changing, mostRequests } = script;
  const served: Served[] = [];
  const states: State[] = [{ from: 0, at: 0, legs: script.legs }];
  const hit = new Set<string>();
  const done = new Set<Change>();
  const lists = makeLists(random, script.mostRecords);
  let made = 10_000;
  let requests = 0;
  let command = -1;
  /** The requests that the current command sent for the list that changes. */
  let own: URLSearchParams[] = [];
  let isTotalServed = false;

  const legsNow = () => states.at(-1)?.legs ?? new Map();
  const make = (phase: Phase, due: (change: Change) => boolean = () => true) => {
    for (const change of changes) {
      if (change.phase !== phase || change.command !== command || done.has(change) || !due(change)) continue;
      done.add(change);
      hit.add(phase);
      made += 1;
      const legs = changed(legsNow(), change.kind, random, made, focus);
      states.push({ from: requests, at: Date.now(), legs });
    }
  };
  const isTotal = (query: URLSearchParams) =>
    query.get('limit') === '1' && Number(query.get('offset') ?? 0) === 0 && query.get('sortOrder') === 'asc';
  const isPage = (query: URLSearchParams) =>
    query.get('limit') !== '1' && query.get('sortBy') !== 'createdAt';
  const isStart = (query: URLSearchParams) => isPage(query) && Number(query.get('offset') ?? 0) === 0;

  const changeBefore = (query: URLSearchParams) => {
    if (own.length === 0) make('first');
    if (isTotalServed) make('afterTotal');
    const starts = own.filter(isStart).length + Number(isStart(query));
    if (starts >= 2) make('secondRead');
    const later = own.slice(own.findLastIndex(isStart)).length;
    if (starts >= 2) make('inSecondRead', (change) => later >= change.request);
    const isLastTotal = isTotal(query) && own.some((earlier) => isPage(earlier));
    if (isLastTotal) make('lastTotal');
    make('request', (change) => own.length + 1 >= change.request);
    own.push(query);
    isTotalServed = isTotalServed || isLastTotal;
  };

  const legRows = (query: URLSearchParams): Leg[] => {
    const edge = conduct.bounds === 'exclusive' ? 1 : 0;
    const isBounded = conduct.bounds !== 'ignored';
    const from = isBounded && query.has('startTime') ? Number(query.get('startTime')) + edge : -Infinity;
    const to = isBounded && query.has('endTime') ? Number(query.get('endTime')) - edge : Infinity;
    const rows = [...legsNow().values()].filter(
      (leg) => leg.timestamp >= from && leg.timestamp <= to && passesAll(leg, LEG_FILTERS, query),
    );
    const byMade = query.get('sortBy') === 'createdAt' && !conduct.ignoresSortBy;
    const sign = query.get('sortOrder') === 'asc' && !conduct.ignoresSortOrder ? 1 : -1;
    const key = (leg: Leg) => (byMade ? leg.made : leg.timestamp);
    const lots = conduct.unstableTies ? new Map(rows.map((leg) => [leg, random()])) : undefined;
    const lot = (leg: Leg) => lots?.get(leg) ?? leg.made;
    return rows.sort((a, b) => sign * (key(a) - key(b) || lot(a) - lot(b)));
  };

  function passesAll<T>(
    row: T,
    filters: Readonly<Record<string, (row: T, value: string) => boolean>>,
    query: URLSearchParams,
  ): boolean {
    return [...query].every(
      ([name, value]) => conduct.ignoredFilters.includes(name) || (filters[name]?.(row, value) ?? true),
    );
  }

  const rowsOf = (path: string, query: URLSearchParams): readonly Row[] | undefined => {
    if (path === '/v1/ledgers') return legRows(query).map(rowOf);
    if (path === '/v1/transactions') {
      return transactions(legsNow()).filter((txn) => passesAll(txn, TXN_FILTERS, query));
    }
    const filters = path === '/v1/providers' ? PROVIDER_FILTERS : {};
    return lists[path]?.filter((row) => passesAll(row, filters, query));
  };

  const conductFor = (path: string): Conduct => {
    const name = path === '/v1/ledgers' ? 'ledgers' : path === '/v1/transactions' ? 'transactions' : 'others';
    if (conduct.where === 'all' || conduct.where === name) return conduct;
    return HONEST;
  };

  const answer = (path: string, query: URLSearchParams): string | number | undefined => {
    if (path === changing) changeBefore(query);
    const rows = rowsOf(path, query);
    if (!rows) return undefined;
    const own = conductFor(path);
    const byPage = path === '/v1/providers' || (path === '/v1/ledgers' && own.byPage);
    const most = path === '/v1/ledgers' ? 200 : 100;
    const asked = Math.min(most, Math.max(1, Number(query.get('limit') ?? 50)));
    const page = Math.max(1, Number(query.get('page') ?? 1));
    const used = Math.min(asked, own.pageSize);
    const offset = byPage ? (page - 1) * used : Number(query.get('offset') ?? 0);
    const { rows: found, start, size, total, hasMore, refused } = pageOf(rows, offset, asked, own);
    if (refused !== undefined) return refused;
    const showsMore = path !== '/v1/ledgers' && own.hasMore === 'true';
    served.push({
      ...{ number: requests, path, query, rows: found, total },
      hasMore: showsMore ? hasMore : undefined,
      size: Math.min(own.pageSize, path === '/v1/ledgers' ? 200 : byPage ? 100 : 50),
    });
    const limit = own.pageSizeShown === 'asked' ? asked : size;
    const price = own.changingPrices && path === '/v1/holdings' ? requests : undefined;
    const priced = (text: string) => (price === undefined ? text : `${text.slice(0, -1)},"price":${price}}`);
    const totalShown = own.totalAsText && total !== undefined ? String(total) : total;
    const shown = { used: start, asked: offset, absent: undefined }[own.offsetShown];
    const data = `[${found.map(({ text }) => priced(text))}]`;
    const more = showsMore ? { hasMore } : {};
    if (byPage) {
      const at = shown === undefined ? undefined : Math.floor(shown / size) + 1;
      const totalPages = total === undefined ? undefined : Math.ceil(total / size);
      const pagination = JSON.stringify({ page: at, limit, total: totalShown, totalPages, ...more });
      if (path === '/v1/ledgers') return `{"data":${data},"meta":${pagination}}`;
      return `{"success":true,"data":{"providers":${data},"pagination":${pagination}}}`;
    }
    if (path === '/v1/ledgers' || path === '/v1/transactions') {
      return `{"data":${data},"meta":${JSON.stringify({ total: totalShown, limit, offset: shown, ...more })}}`;
    }
    const rest = JSON.stringify({ totalCount: totalShown, offset: shown, limit, ...more }).slice(1);
    return `{"success":true,"data":${data},${rest}`;
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://model');
    requests += 1;
    if (requests > mostRequests) {
      return response.writeHead(403).end('{"error":"forbidden","error_description":"too many requests"}');
    }
    const body = request.method === 'GET' ? answer(pathname, searchParams) : undefined;
    const headers = { 'content-type': 'application/json' };
    if (typeof body === 'string') return response.writeHead(200, headers).end(body);
    if (body === 422) return response.writeHead(422, headers).end('{"success":false,"error":"No such page"}');
    const missing = { success: false, error: 'Not found', code: 'NOT_FOUND', details: {} };
    return response.writeHead(404, headers).end(JSON.stringify(missing));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    ...{ served, states, hit, lists },
    get requests() {
      return requests;
    },
    begin() {
      command += 1;
      own = [];
      isTotalServed = false;
      make('between');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const LEG_FILTER_NAMES = Object.keys(LEG_FILTERS);
const FILTER_NAMES = [...LEG_FILTER_NAMES, ...Object.keys(TXN_FILTERS), ...Object.keys(PROVIDER_FILTERS)];

/**
 * Returns a random conduct. Two faults are omitted, because no client could notice them. In the first, a list ends early, and
 * its total confirms the early end. In the second, an offset is ignored, and the total equals the number of rows in the page.
 */
export function makeConduct(random: Random, filters: readonly string[]): Conduct {
  const faults = new Set<string>();
  const names = ['size', 'pastEnd', 'offset', 'early', 'total', 'more', 'filters', 'sort', 'ties', 'bounds'];
  names.push('byPage', 'prices', 'text');
  // A third of the services are honest, so that changes are tested without faults.
  const count = pick(random, [0, 0, 0, 1, 1, 1, 2, 2, 3]);
  while (faults.size < count) faults.add(pick(random, names));
  const has = (name: string) => faults.has(name);
  const isEarly = has('early');
  const offset = has('offset') ? 'ignored' : 'obeyed';
  const where = pick(random, ['ledgers', 'transactions', 'others', 'all', 'all', 'all'] as const);
  const totals: readonly Conduct['total'][] = isEarly
    ? ['true', 'tooLarge']
    : offset === 'ignored'
      ? ['true', 'tooLarge', 'missing']
      : ['true', 'missing', 'capped', 'tooSmall', 'tooLarge', 'zero'];
  return {
    where,
    pageSize: has('size') ? pick(random, [1, 1, 2, 5, 20, 50, 100]) : 200,
    pageSizeShown: pick(random, ['used', 'asked']),
    pastEnd: has('pastEnd')
      ? pick(random, ['lastRow', 'lastPage', 'totalZero', 'rejected', 'notFound'])
      : 'empty',
    ...{ rejectsAfterEnd: random() < 0.5, byPage: has('byPage'), totalAsText: has('text') },
    changingPrices: has('prices') || random() < 0.3,
    offset,
    offsetShown: pick(random, ['used', 'asked', 'absent']),
    earlyEnd: isEarly ? pick(random, [0, 1, 10, 30, 50, 100, 200]) : undefined,
    emptyPageHasMore: random() < 0.5,
    total: has('total') ? pick(random, totals) : 'true',
    hasMore: has('more') ? 'missing' : 'true',
    ignoredFilters: has('filters') ? (random() < 0.5 ? FILTER_NAMES : [...filters]) : [],
    ignoresSortBy: has('sort') && random() < 0.6,
    ignoresSortOrder: has('sort') && random() < 0.6,
    unstableTies: has('ties'),
    bounds: has('bounds') ? pick(random, ['exclusive', 'exclusive', 'ignored']) : 'inclusive',
  };
}

/** Random changes, in phases that the commands go through. */
export function makeChanges(random: Random, phases: readonly Phase[], commands: number): Change[] {
  const count = pick(random, [0, 1, 1, 2, 3, 6]);
  return Array.from({ length: count }, () => {
    const phase = pick(random, phases);
    return {
      kind: pick(random, KINDS),
      phase,
      command: phase === 'between' ? 1 + upTo(random, Math.max(0, commands - 2)) : upTo(random, commands - 1),
      request: 1 + upTo(random, pick(random, [3, 8, 20])),
    };
  });
}
