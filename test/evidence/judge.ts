// Decides whether the truth refutes what a command claims. Each function checks one promise, which is described in its comment.
// The judge knows each state of the legs during a command and each row that the service sent. The judge shares no code with the
// tool.
import {
  type Asked,
  type Fixed,
  LEG_FILTERS,
  type Leg,
  type Legs,
  legText,
  PROVIDER_FILTERS,
  type Served,
  type State,
  TXN_FILTERS,
  type Txn,
  transactions,
} from './service.ts';

export const REFUTATIONS = [
  'exit 1',
  'endless',
  'too many requests',
  'export: a row is missing',
  'export: a row does not belong to the request',
  'export: a row occurs twice',
  'export: a row never had these contents',
  'export: exit 0 without verification',
  'txns export: a row differs between the reads',
  'txns export: a row is missing',
  'txns export: a row occurs twice or does not belong to the request',
  'verify: exit 0 for an unverified export',
  'verify: the number of legs differs',
  'verify: the legs differ',
  'verify: the contents differ',
  'mirror: the number of legs differs',
  'mirror: legs were added or removed',
  'mirror: contents are older than claimed',
  'mirror: transactions differ',
  'negative: rows are missing or repeated',
  'negative: balances are said to be known',
  'audit: rows are missing or repeated',
  'audit: a list ended early',
  'list: the service reported more rows',
  'list: a row fails a filter',
  'list: a row occurs twice',
  'list: a row is missing',
] as const;
export type Kind = (typeof REFUTATIONS)[number];

export interface Refutation {
  readonly kind: Kind;
  readonly says: string;
}

/** A command that ended, and all that happened while it ran. */
export interface Ran {
  readonly args: readonly string[];
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the command ended before the service refused further requests. */
  readonly ended: boolean;
  /** Number of all requests, including requests for single records. */
  readonly requests: number;
  readonly served: readonly Served[];
  /** The states from the first request to the last request, in order. */
  readonly states: readonly State[];
}

export interface Selection {
  readonly asked: Asked;
  readonly filters: Readonly<Record<string, string>>;
}

/** A row of a file: its id, and the text or the cells that the file contains. */
export interface FileRow {
  readonly id: string;
  readonly facts: string;
}

/** Computes the facts in a row of a file from a leg. */
export type FactsOf = (leg: Leg) => string;

const TXNS = '/v1/transactions';

const refute = (kind: Kind, says: string): Refutation[] => [{ kind, says }];
const some = (ids: readonly string[]) => `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
const first = (states: readonly State[]): Legs => states[0]?.legs ?? new Map();
const last = (states: readonly State[]): Legs => states.at(-1)?.legs ?? new Map();

/** Whether a leg lies within the period and passes the filters. */
export function matches(leg: Leg, { asked, filters }: Selection): boolean {
  const { from = -Infinity, to = Infinity } = asked;
  if (leg.timestamp < from || leg.timestamp > to) return false;
  return Object.entries(filters).every(([name, value]) => LEG_FILTERS[name]?.(leg, value) ?? true);
}

/**
 * If the period of a selection has no end, or an end in the future, sets its end to the last matching leg of the first state
 * that has matching legs.
 */
export function ended(selection: Selection, states: readonly State[]): Selection {
  const { to } = selection.asked;
  if (to !== undefined && to < Date.now()) return selection;
  // If legs are added before the first response, the second state is the first state that a command can see.
  const found = states.map(({ legs }) => [...legs.values()].filter((leg) => matches(leg, selection)));
  const times = (found.find((legs) => legs.length > 0) ?? []).map(({ timestamp }) => timestamp);
  return { ...selection, asked: { ...selection.asked, to: Math.max(...times) } };
}

/**
 * Promise: a command never ends with exit code 1, always ends, and sends at most pages × 1.2 + 40 requests for each list. The
 * number of pages is the number of received rows divided by the largest page that the service serves. A page cannot be larger
 * than a window.
 */
export function judgeCommand(ran: Ran, windowRows = Number.POSITIVE_INFINITY): Refutation[] {
  const pages = ran.served.reduce((sum, { rows, size }) => sum + rows.length / Math.min(size, windowRows), 0);
  const lists = new Set(ran.served.map(({ path }) => path)).size;
  const most = pages * 1.2 + 40 * Math.max(lists, 1);
  return [
    ...(ran.exit === 1 ? refute('exit 1', ran.stderr.slice(0, 500)) : []),
    ...(ran.ended ? [] : refute('endless', `the command did not end after ${ran.requests} requests`)),
    ...(ran.requests > most
      ? refute('too many requests', `${ran.requests} requests for ${pages.toFixed(1)} pages`)
      : []),
  ];
}

/**
 * Returns the states up to the last total. The last total is the last request for one row from the start, oldest first. If the
 * command line has a period, requests without the bounds of the period are ignored: they only explain an empty result.
 */
function untilLastTotal({ states, served }: Ran, { from, to }: Asked): readonly State[] {
  const total = served.findLast(
    ({ path, query }) =>
      path === '/v1/ledgers' &&
      query.get('limit') === '1' &&
      query.get('sortOrder') === 'asc' &&
      (from === undefined || query.has('startTime')) &&
      (to === undefined || query.has('endTime')) &&
      Number(query.get('offset') ?? 0) === 0,
  );
  const until = states.filter(({ from }) => from <= (total?.number ?? -1));
  return until.length === 0 ? states.slice(0, 1) : until;
}

/**
 * Promise: a verified read contains each leg that matched the request at the last total. There are three exceptions: legs that
 * were moved, legs that were deleted, and legs that matched only at times because they were edited. If the period has no end,
 * legs after the last leg of the first state may be missing.
 */
export function requiredIds(ran: Ran, selection: Selection): string[] {
  const bounded = ended(selection, ran.states);
  const until = untilLastTotal(ran, selection.asked);
  return [...last(until).values()].flatMap((leg) => {
    if (!matches(leg, bounded)) return [];
    const earlier = until.flatMap(({ legs }) => legs.get(leg.id) ?? []);
    const since = until.slice(until.findIndex(({ legs }) => legs.has(leg.id)));
    const stayed = since.every(({ legs }) => legs.has(leg.id));
    const isSame = earlier.every((then) => then.timestamp === leg.timestamp && matches(then, bounded));
    // A leg that was deleted after the last total may also be missing, so ignore it.
    return stayed && isSame && last(ran.states).has(leg.id) ? [leg.id] : [];
  });
}

/**
 * Whether the output says that a filter was not checked. Only in this case, a row may fail a filter that the fields of the row
 * do not decide.
 */
function saysUnchecked({ stderr }: Ran, path: string, name: string): boolean {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = `\\b(?:${name}|${flag})\\b`;
  const no = 'not (?:be )?(?:checked|verified)';
  return !isDecided(path, name) && new RegExp(`${no}[^.]*${names}|${names}[^.]*${no}`, 'i').test(stderr);
}

/** The selection without the filters that the output says were not checked. */
function checkedFilters(ran: Ran, { asked, filters }: Selection): Selection {
  const checked = Object.entries(filters).filter(([name]) => !saysUnchecked(ran, '/v1/ledgers', name));
  return { asked, filters: Object.fromEntries(checked) };
}

/** Promise: each row of a verified read matched the request in at least one state during the run. */
function possibleIds(ran: Ran, selection: Selection): Set<string> {
  const legs = ran.states.flatMap((state) => [...state.legs.values()]);
  return new Set(legs.filter((leg) => matches(leg, selection)).map(({ id }) => id));
}

function twice(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}

/**
 * Promise of `verified: true`: when the last total was requested, exactly the legs with the ids of the rows matched the filters
 * and the requested bounds; each id occurs once; each row has contents that its leg had at some moment during the run. An export
 * with exit code 0 is verified.
 */
export function judgeExport(
  ran: Ran,
  selection: Selection,
  claim: { readonly verified: boolean; readonly rows: readonly FileRow[] },
  factsOf: FactsOf,
): Refutation[] {
  if (!claim.verified) {
    return ran.exit === 0 ? refute('export: exit 0 without verification', ran.stderr.slice(0, 300)) : [];
  }
  const ids = claim.rows.map(({ id }) => id);
  const held = new Set(ids);
  const missing = requiredIds(ran, selection).filter((id) => !held.has(id));
  const possible = possibleIds(ran, checkedFilters(ran, selection));
  const foreign = ids.filter((id) => !possible.has(id));
  const repeated = twice(ids);
  const wrong = claim.rows.filter(({ id, facts }) => {
    const then = ran.states.flatMap(({ legs }) => legs.get(id) ?? []);
    return then.length > 0 && !then.some((leg) => factsOf(leg) === facts);
  });
  return [
    ...(missing.length > 0 ? refute('export: a row is missing', some(missing)) : []),
    ...(foreign.length > 0 ? refute('export: a row does not belong to the request', some(foreign)) : []),
    ...(repeated.length > 0 ? refute('export: a row occurs twice', some(repeated)) : []),
    ...(wrong.length > 0
      ? refute('export: a row never had these contents', wrong[0]?.facts.slice(0, 200) ?? '')
      : []),
  ];
}

/**
 * Promise of a verified export of transactions: the service sent each row with the same contents in both reads, each
 * transaction that existed during the whole run is in the file, each id occurs once, each row belongs to the period, and no row
 * fails a filter (see {@link judgeList}).
 */
export function judgeTransactions(
  ran: Ran,
  asked: Asked,
  filters: Readonly<Record<string, string>>,
  claim: { readonly verified: boolean; readonly rows: readonly FileRow[] },
): Refutation[] {
  if (!claim.verified) return [];
  const { from = -Infinity, to = Infinity } = asked;
  const isWanted = (txn: Txn) => txn.time >= from && txn.time <= to && passesTxn(txn, filters);
  const ids = claim.rows.map(({ id }) => id);
  const held = new Set(ids);
  const texts = new Map<string, Set<string>>();
  for (const { path, query, rows, size } of ran.served) {
    // Ignore requests for one row, which only look up known values.
    if (path !== TXNS || isProbe({ query, size })) continue;
    for (const { id, text } of rows) texts.set(id, (texts.get(id) ?? new Set()).add(text));
  }
  const differ = ids.filter((id) => (texts.get(id)?.size ?? 0) > 1);
  const always = ran.states.map(({ legs }) => new Map(transactions(legs).map((txn) => [txn.id, txn])));
  const missing = [...(always[0]?.values() ?? [])].filter(
    (txn) =>
      !held.has(txn.id) &&
      always.every((then) => {
        const own = then.get(txn.id);
        return own !== undefined && isWanted(own);
      }),
  );
  const isForeign = (id: string) =>
    !always.some((then) => [then.get(id)].some((own) => own && own.time >= from && own.time <= to)) ||
    Object.entries(filters).some(
      ([name, value]) => !saysUnchecked(ran, TXNS, name) && fails(ran, TXNS, id, name, value, {}),
    );
  const foreign = ids.filter(isForeign);
  const repeated = [...twice(ids), ...foreign];
  return [
    ...(differ.length > 0 ? refute('txns export: a row differs between the reads', some(differ)) : []),
    ...(missing.length > 0 ? refute('txns export: a row is missing', some(missing.map(({ id }) => id))) : []),
    ...(repeated.length > 0
      ? refute('txns export: a row occurs twice or does not belong to the request', some(repeated))
      : []),
  ];
}

function passesTxn(txn: Txn, filters: Readonly<Record<string, string>>): boolean {
  return Object.entries(filters).every(([name, value]) => TXN_FILTERS[name]?.(txn, value) ?? true);
}

/** Whether a text claims only that the number of rows is right. Such a text contains the word "number". */
const saysNumber = (text: string, noun: string) => new RegExp(`number of ${noun}`, 'i').test(text);

/**
 * Promise of `ledgers verify` with exit code 0: the export was verified, and the range of the file has the same number of legs
 * in some state during the check. Unless a sentence says "number of legs", the ids are the same too. With `--deep`, each row
 * has the same ids and contents.
 */
export function judgeVerify(
  ran: Ran,
  selection: Selection,
  exported: { readonly verified: boolean; readonly rows: readonly FileRow[]; readonly deep: boolean },
  factsOf: FactsOf,
): Refutation[] {
  if (ran.exit !== 0) return [];
  if (!exported.verified) return refute('verify: exit 0 for an unverified export', ran.stderr.slice(0, 300));
  // If the output says that a filter was not checked, the service may have applied the filter, or ignored it.
  const found = [selection, checkedFilters(ran, selection)].map((one) =>
    compareToday(ran, one, exported, factsOf),
  );
  return found.find((refutations) => refutations.length === 0) ?? found[0] ?? [];
}

function compareToday(
  ran: Ran,
  selection: Selection,
  exported: { readonly rows: readonly FileRow[]; readonly deep: boolean },
  factsOf: FactsOf,
): Refutation[] {
  const held = new Map(exported.rows.map(({ id, facts }) => [id, facts]));
  // If the legs could not be split by time, the file may also contain legs after the last leg of the first state.
  const { to: _, ...open } = selection.asked;
  const whole = { ...selection, asked: open };
  const nows = ran.states.map(
    ({ legs }) => new Map([...legs].filter(([id, leg]) => matches(leg, held.has(id) ? whole : selection))),
  );
  const sizes = nows.map(({ size }) => size);
  if (exported.deep) {
    const missing = [...(nows[0]?.keys() ?? [])].filter(
      (id) => !held.has(id) && nows.every((now) => now.has(id)),
    );
    const gone = [...held].filter(
      ([id, facts]) => !nows.some((now) => [now.get(id)].some((leg) => leg && factsOf(leg) === facts)),
    );
    const wrong = [...missing, ...gone.map(([id]) => id)];
    return wrong.length === 0 ? [] : refute('verify: the contents differ', some(wrong));
  }
  if (!sizes.includes(held.size)) {
    return refute('verify: the number of legs differs', `${held.size} in the file, ${sizes} in the service`);
  }
  const isSame = nows.some((now) => now.size === held.size && [...now.keys()].every((id) => held.has(id)));
  if (isSame || saysNumber(ran.stderr, 'legs')) return [];
  const news = [...(nows[0]?.keys() ?? [])].filter((id) => !held.has(id));
  return refute('verify: the legs differ', `added: ${some(news)}`);
}

export interface MirrorWindow {
  readonly contentsVerifiedAt: number | undefined;
  /** The text of each leg, by id. */
  readonly legs: ReadonlyMap<string, string>;
}

export interface MirrorClaim {
  readonly verified: boolean;
  /** Ids of the legs before the run. */
  readonly before: ReadonlySet<string>;
  readonly windows: readonly MirrorWindow[];
  readonly transactions:
    | { readonly verified: boolean; readonly rows: ReadonlyMap<string, string> }
    | undefined;
}

/**
 * Promise of a verified mirror run:
 * - The copy has as many legs as the service in some state during the run. A mirror ends at the last leg of the first state.
 * - A sentence such as "No leg was added" or "2 legs were added, 1 removed" agrees with the ids before and after.
 * - The contents of a window are from its `contentsVerifiedAt` or later.
 * - Verified transactions equal the transactions of the service. They may be older only if a sentence says "number of
 *   transactions".
 *
 * @param history all states of the service up to the last request of the run
 */
export function judgeMirror(ran: Ran, claim: MirrorClaim, history: readonly State[]): Refutation[] {
  if (!claim.verified) return [];
  const found: Refutation[] = [];
  const held = new Map(claim.windows.flatMap(({ legs }) => [...legs]));
  const everything: Selection = { asked: {}, filters: {} };
  const required = requiredIds(ran, everything);
  const possible = possibleIds(ran, everything);
  if (held.size < required.length || held.size > possible.size) {
    const range = `${required.length} to ${possible.size}`;
    found.push(
      ...refute('mirror: the number of legs differs', `${held.size} in the mirror, ${range} in the service`),
    );
  }
  const sentence = /\bNo leg was added|(\d+) legs? (?:was|were) added, (\d+) removed/.exec(ran.stderr);
  if (sentence !== null) {
    const missing = required.filter((id) => !held.has(id));
    const gone = [...held.keys()].filter((id) => !possible.has(id));
    if (missing.length > 0 || gone.length > 0) {
      const says = `"${sentence[0]}", but ${some(missing)} is missing and ${some(gone)} was deleted`;
      found.push(...refute('mirror: legs were added or removed', says));
    }
  }
  for (const { contentsVerifiedAt, legs } of claim.windows) {
    if (contentsVerifiedAt === undefined) continue;
    const old = [...legs].filter(
      ([id, text]) =>
        !history.some(({ legs: then }, at) => {
          const until = history[at + 1]?.at ?? Infinity;
          const leg = then.get(id);
          return until >= contentsVerifiedAt && leg !== undefined && legText(leg) === text;
        }),
    );
    if (old.length > 0)
      found.push(...refute('mirror: contents are older than claimed', some(old.map(([id]) => id))));
  }
  if (claim.transactions?.verified && !saysNumber(ran.stderr, 'transactions')) {
    const { rows } = claim.transactions;
    const nows = ran.states.map(({ legs }) => new Map(transactions(legs).map(({ id, text }) => [id, text])));
    const missing = [...(nows[0]?.keys() ?? [])].filter(
      (id) => !rows.has(id) && nows.every((now) => now.has(id)),
    );
    // Edits may be missing if a sentence of the output says so.
    const mayBeOld = /edits may be missing.*transactions/i.test(ran.stderr);
    const gone = [...rows].filter(
      ([id, text]) => !nows.some((now) => (mayBeOld ? now.has(id) : now.get(id) === text)),
    );
    const wrong = [...missing, ...gone.map(([id]) => id)];
    if (wrong.length > 0) found.push(...refute('mirror: transactions differ', some(wrong)));
  }
  return found;
}

/** A sentence that says that rows may be missing. */
const REMARK =
  /not verified|unverified|may be missing|may be incomplete|changed (?:during|while)|ended (?:early|after)|cannot (?:be )?read/i;

/** Returns the ids in the responses to those requests that have a query for which `test` is true. */
function receivedIds(ran: Ran, path: string, is: (query: URLSearchParams) => boolean): Set<string> {
  const pages = ran.served.filter((page) => page.path === path && is(page.query));
  return new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => id)));
}

/**
 * Promise of `ledgers negative` with exit code 0 and without a remark: each negative leg that existed during the whole run was
 * received and counted once. "Every leg has a running balance" is true.
 */
export function judgeNegative(
  ran: Ran,
  selection: Selection,
  episodes: readonly { readonly legs: number }[],
  { totalsAreTrue }: { readonly totalsAreTrue: boolean },
): Refutation[] {
  if (ran.exit !== 0 || REMARK.test(ran.stderr)) return [];
  const negative: Selection = { ...selection, filters: { ...selection.filters, ltAfterBalance: '0' } };
  const always = [...first(ran.states).keys()].filter((id) =>
    ran.states.every(({ legs }) => [legs.get(id)].some((leg) => leg && matches(leg, negative))),
  );
  // If a negative leg matches the selection, all legs of its episode are listed.
  const ever = possibleIds(ran, { asked: selection.asked, filters: { ltAfterBalance: '0' } });
  const received = receivedIds(ran, '/v1/ledgers', (query) => query.get('ltAfterBalance') === '0');
  const missed = always.filter((id) => !received.has(id));
  const counted = episodes.reduce((sum, { legs }) => sum + legs, 0);
  const found: Refutation[] = [];
  if (missed.length > 0)
    found.push(...refute('negative: rows are missing or repeated', `not read: ${some(missed)}`));
  else if (counted < always.length || counted > ever.size) {
    const range = `${always.length} to ${ever.size}`;
    found.push(
      ...refute(
        'negative: rows are missing or repeated',
        `${counted} negative legs were counted, not ${range}`,
      ),
    );
  }
  const unknown = [...first(ran.states).values()].filter(
    (leg) =>
      matches(leg, selection) &&
      ran.states.every(({ legs }) => legs.get(leg.id)?.afterBalance === null && legs.get(leg.id) === leg),
  );
  if (totalsAreTrue && /Every leg has a running balance/.test(ran.stderr) && unknown.length > 0)
    found.push(...refute('negative: balances are said to be known', some(unknown.map(({ id }) => id))));
  return found;
}

/**
 * Promise of an audit that is verified and exits with 0 or 10: each leg of the range was received, and the number of legs is
 * possible. If a list ended although the service reported more rows, the output says so.
 */
export function judgeAudit(
  ran: Ran,
  selection: Selection,
  claim: { readonly verified: boolean; readonly legs: number; readonly remarks: string },
): Refutation[] {
  if (![0, 10].includes(ran.exit) || !claim.verified) return [];
  const upTo: Selection = {
    asked: selection.asked.to === undefined ? {} : { to: selection.asked.to },
    filters: {},
  };
  const received = receivedIds(ran, '/v1/ledgers', () => true);
  const missed = requiredIds(ran, upTo).filter((id) => !received.has(id));
  const most = possibleIds(ran, upTo).size;
  const found: Refutation[] = [];
  if (missed.length > 0) found.push(...refute('audit: rows are missing or repeated', some(missed)));
  else if (claim.legs > most)
    found.push(
      ...refute('audit: rows are missing or repeated', `${claim.legs} legs were counted, not ${most}`),
    );
  if (!REMARK.test(`${ran.stderr}\n${claim.remarks}`)) {
    for (const [key, pages] of queriesOf(ran)) {
      // A single page with rows shows a total, but does not read the list.
      if (pages.length === 1 && pages[0]?.rows.length !== 0) continue;
      const more = reportedMore(pages);
      if (more !== undefined) found.push(...refute('audit: a list ended early', `${key}: ${more}`));
    }
  }
  return found;
}

/** The responses of each query that was read with more than one row per page, in order. */
function queriesOf({ served }: Ran): Map<string, Served[]> {
  const queries = new Map<string, Served[]>();
  for (const page of served) {
    // Skip requests for totals, which have a limit of 1, and requests for ledgers, which may only look up names.
    if (isProbe(page) || page.path === '/v1/ledgers') continue;
    const query = [...page.query].filter(([name]) => !['offset', 'limit', 'page'].includes(name));
    const key = `${page.path}?${query.map((pair) => pair.join('=')).join('&')}`;
    queries.set(key, [...(queries.get(key) ?? []), page]);
  }
  return queries;
}

/**
 * Whether a request asks for only one row, although the service serves larger pages. Such a request looks up a total or a
 * value.
 */
const isProbe = ({ query, size }: Pick<Served, 'query' | 'size'>) => query.get('limit') === '1' && size > 1;

/** If the service reported more rows in a list than it served, returns a text that describes how. */
function reportedMore(pages: readonly Served[]): string | undefined {
  const ids = new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const total = pages.findLast((page) => page.total !== undefined)?.total ?? 0;
  if (total > ids.size) return `the total is ${total}, but ${ids.size} rows were served`;
  // Ignore repeated pages: a repeated first page does not show where the list ends.
  const seen = new Set<string>();
  const isNew = ({ rows }: Served) => rows.map(({ id }) => seen.size !== seen.add(id).size).includes(true);
  const page = pages.filter(isNew).at(-1) ?? pages.at(-1);
  return page?.hasMore === true ? 'the last page with rows has hasMore: true' : undefined;
}

/**
 * Promise of a list with `--all` and exit code 0: the service did not report more rows than it served, in a total or in
 * `hasMore`. Each record that was in the list during the whole run is printed once. No printed row fails a filter that can be
 * checked with the fields of the row. If a filter cannot be checked in this way, the output says that it was not checked.
 *
 * @param ids the ids of the printed rows
 * @param showsAll whether the responses show how many rows there are: in totals, in `hasMore`, or by a page after the last row
 */
export function judgeList(
  ran: Ran,
  path: string,
  filters: Readonly<Record<string, string>>,
  ids: readonly string[],
  lists: Readonly<Record<string, readonly Fixed[]>>,
  showsAll = true,
): Refutation[] {
  if (ran.exit !== 0) return [];
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const missing = showsAll ? lasting(ran, path, filters, lists).filter((id) => !ids.includes(id)) : [];
  const names = Object.keys(filters);
  const pages = ran.served.filter(
    (page) => page.path === path && !isProbe(page) && names.every((name) => page.query.has(name)),
  );
  const more = reportedMore(pages);
  const failing = Object.entries(filters).flatMap(([name, value]) => {
    const wrong = ids.filter((id) => fails(ran, path, id, name, value, lists));
    if (wrong.length === 0) return [];
    if (saysUnchecked(ran, path, name)) return [];
    return refute('list: a row fails a filter', `${name}=${value}: ${some(wrong)}`);
  });
  return [
    ...(more === undefined ? [] : refute('list: the service reported more rows', more)),
    ...failing,
    ...(twice.length === 0 ? [] : refute('list: a row occurs twice', some(twice))),
    ...(missing.length === 0 ? [] : refute('list: a row is missing', some(missing))),
  ];
}

/** Returns the ids of the records that belonged to the list in every state, at an unchanged place. */
function lasting(
  ran: Ran,
  path: string,
  filters: Readonly<Record<string, string>>,
  lists: Readonly<Record<string, readonly Fixed[]>>,
): readonly string[] {
  const passes = <T>(row: T, known: Readonly<Record<string, (row: T, value: string) => boolean>>) =>
    Object.entries(filters).every(([name, value]) => known[name]?.(row, value) ?? true);
  if (path === '/v1/ledgers') {
    const [first, ...later] = ran.states.map(({ legs }) => legs);
    const isSame = (leg: Leg) =>
      later.every((legs) => {
        const other = legs.get(leg.id);
        return other?.timestamp === leg.timestamp && passes(other, LEG_FILTERS);
      });
    return [...(first?.values() ?? [])]
      .filter((leg) => passes(leg, LEG_FILTERS) && isSame(leg))
      .map(({ id }) => id);
  }
  if (path === TXNS) {
    const [first, ...later] = ran.states.map(({ legs }) => transactions(legs));
    const isSame = (txn: Txn) => later.every((txns) => txns.some(({ text }) => text === txn.text));
    return (first ?? []).filter((txn) => passes(txn, TXN_FILTERS) && isSame(txn)).map(({ id }) => id);
  }
  const known = path === '/v1/providers' ? PROVIDER_FILTERS : {};
  return (lists[path] ?? []).filter((row) => passes(row, known)).map(({ id }) => id);
}

/** Whether the fields of a record show whether the record passes a filter. */
function isDecided(path: string, name: string): boolean {
  if (path === '/v1/ledgers') return name !== 'providers';
  // A transaction shows only its legs, so of its filters, only `notWalletIds` can be checked. A provider has all fields that
  // `search` looks in.
  return path === TXNS ? name === 'notWalletIds' : path === '/v1/providers';
}

/** Whether a row fails a filter in every state during the run, under every reading of the specification. */
function fails(
  ran: Ran,
  path: string,
  id: string,
  name: string,
  value: string,
  lists: Readonly<Record<string, readonly Fixed[]>>,
): boolean {
  if (path === '/v1/providers') {
    const provider = lists[path]?.find((own) => own.id === id);
    return provider !== undefined && PROVIDER_FILTERS[name]?.(provider, value) === false;
  }
  if (path === '/v1/ledgers') {
    const then = ran.states.flatMap(({ legs }) => legs.get(id) ?? []);
    return then.length > 0 && then.every((leg) => LEG_FILTERS[name]?.(leg, value) === false);
  }
  const then = ran.states.flatMap(({ legs }) => transactions(legs).find((txn) => txn.id === id) ?? []);
  // Under one reading of the specification, a transaction passes if only some of its legs are in an excluded account.
  const isWrong = (txn: Txn) =>
    name === 'notWalletIds'
      ? txn.legs.every(({ walletId }) => value.split(',').includes(walletId))
      : TXN_FILTERS[name]?.(txn, value) === false;
  return then.length > 0 && then.every(isWrong);
}
