import { timeOf } from '../api/ledgers.ts';
import { type Pair, pairKey } from '../books/asset.ts';
import { LegFaults } from '../books/faults.ts';
import { Leg } from '../books/leg.ts';
import { type Episode, negativeEpisodes } from '../books/negative.ts';
import type { ServiceClient } from '../client/client.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { UnverifiedError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { readLedgerList, untimedOmitted } from '../read/ledgers.ts';
import { newSummary, whyUnverified } from '../read/pages.ts';

/** Creates the error for ledgers that changed during the read. */
export function listMoved(why: string): UnverifiedError {
  return new UnverifiedError('LIST_MOVED', `The result is not verified: ${why}`, {
    hint: 'A sync, for example, may have changed ledgers during the read. Read the ledgers again.',
  });
}

/** Selects the negative legs to report. */
export interface NegativeQuery {
  readonly filters: LedgerFilters;
  readonly span: OpenSpan;
  /** Whether to report a negative leg. */
  readonly pick: (leg: JsonRecord) => boolean;
}

/** The episodes of negative balance, and whether the read was verified. */
export interface NegativeBooks {
  readonly episodes: readonly Episode[];
  readonly unreadable: number;
  /** Number of legs without a time, which do not belong to any episode. */
  readonly untimed: number;
  /**
   * The legs with fields that do not match the specification. Includes only legs in the period, and in the wallets and assets
   * of `episodes`.
   */
  readonly faults: LegFaults;
  /** The values of `walletId` in all legs that were read. */
  readonly wallets: ReadonlySet<unknown>;
  /** Why the rows are not verified; undefined if they are verified. */
  readonly doubt: string | undefined;
}

/**
 * Returns the period in which episodes are searched. If the span has no start, the period starts at the filter `startTime`,
 * inclusive.
 */
export function periodOf({ span, filters }: Pick<NegativeQuery, 'span' | 'filters'>): OpenSpan {
  const { from = filters.startTime, to } = span;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/**
 * Reads the ledgers twice. The first read finds the negative legs and their pairs of wallet and asset. The second read covers
 * all legs of the affected assets, to find where each episode begins and ends. Both reads start at the first leg of the books,
 * so that they include the beginning of every episode.
 */
export async function negativeBooks(
  client: ServiceClient,
  query: NegativeQuery,
  onRows: (rows: number) => void = () => {},
): Promise<NegativeBooks> {
  const period = periodOf(query);
  const { startTime: _start, extra, ...filters } = query.filters;
  const doubts: string[] = [];
  const wallets = new Set<unknown>();
  async function* read(filters: LedgerFilters): AsyncGenerator<JsonRecord> {
    const summary = newSummary();
    const onProgress = ({ rows }: { readonly rows: number }) => onRows(rows);
    for await (const row of readLedgerList({ client, filters, onProgress }, summary)) {
      wallets.add(row['walletId']);
      if (isWithin(timeOf(row), upTo(period))) yield row;
    }
    const why = whyUnverified(summary);
    if (why !== undefined) doubts.push(why);
  }

  const pairs = new Map<string, Pair>();
  const wanted = new Set<string>();
  for await (const leg of read({ ...filters, extra, ltAfterBalance: '0' })) {
    if (!query.pick(leg)) continue;
    const { pair } = new Leg(leg);
    pairs.set(pairKey(pair), pair);
    wanted.add(identityOf(leg));
  }
  const faults = new LegFaults();
  async function* histories(): AsyncGenerator<Leg> {
    const { endTime } = filters;
    for (const assets of assetFilters([...pairs.values()])) {
      for await (const record of read({ endTime, ...assets })) {
        const leg = new Leg(record);
        if (!pairs.has(pairKey(leg.pair))) continue;
        faults.addWithin(period, leg);
        yield leg;
      }
    }
  }
  const { episodes, unreadable, untimed, negativeIds } = await negativeEpisodes(histories(), {
    period,
    wanted: (id) => wanted.has(id),
  });
  const { endTime } = filters;
  const omitted = endTime === undefined ? undefined : await untimedOmitted(client, endTime);
  if (omitted !== undefined) doubts.push(omitted);
  if (![...wanted].every((id) => negativeIds.has(id))) doubts.push('legs changed between two reads');
  return { episodes, unreadable, untimed, faults, wallets, doubt: doubts[0] };
}

function upTo({ to }: OpenSpan): OpenSpan {
  return to === undefined ? {} : { to };
}

/** Maximum number of asset ids in a request. More ids could make the URL too long. */
const MOST_IDS = 50;

/** Returns filters for all legs of these assets. Each leg matches only one of the filters. */
function assetFilters(pairs: readonly Pair[]): LedgerFilters[] {
  const ids = [...new Set(pairs.flatMap(({ assetId }) => assetId ?? []))];
  // Asset ids are sent as a comma-separated list. If an id is empty or contains a comma, select all legs.
  if (ids.some((id) => id === '' || id.includes(','))) return [{}];
  const groups: LedgerFilters[] = [];
  for (let at = 0; at < ids.length; at += MOST_IDS) groups.push({ assetIds: ids.slice(at, at + MOST_IDS) });
  const unresolved = pairs.some(({ assetId }) => assetId === null);
  return unresolved ? [...groups, { hasMissingAsset: true }] : groups;
}

/**
 * Calculates two counts from the service's totals: all legs, and legs without a running balance. A balance has at most 18
 * decimals. Each leg with a balance therefore matches exactly one of two filters: less than 0, or greater than -1e-19. A leg
 * without a balance matches neither filter.
 */
export async function countLegs(
  client: ServiceClient,
  { filters, span }: Pick<NegativeQuery, 'span' | 'filters'>,
): Promise<LegCounts> {
  const total = async (more: LedgerFilters) =>
    (
      await client.ledgers
        .list({ ...filters, ...more, limit: 1 })
        .asServed()
        .page()
    ).total;
  const every = await total({});
  const [below, rest, beyond] = await Promise.all([
    total({ ltAfterBalance: '0' }),
    total({ gtAfterBalance: '-0.0000000000000000001' }),
    beyondSpan(client, filters, span),
  ]);
  // If legs were added or deleted between the requests, the counts cannot be subtracted from each other.
  if (every !== (await total({})) || every === undefined || below === undefined || rest === undefined)
    return { every, withoutBalance: undefined };
  return { every, withoutBalance: every - below - rest - beyond };
}

/**
 * Reads all legs of a query, and counts the legs without a running balance. Needed if the service cannot apply every filter.
 *
 * @param passes whether a leg passes the filter that the service cannot apply
 */
export async function countWithoutBalance(
  client: ServiceClient,
  { filters, span }: Pick<NegativeQuery, 'span' | 'filters'>,
  passes: (leg: JsonRecord) => boolean,
): Promise<{ readonly withoutBalance: number; readonly doubt: string | undefined }> {
  const summary = newSummary();
  let withoutBalance = 0;
  for await (const row of readLedgerList({ client, filters }, summary)) {
    const isCounted = isWithin(timeOf(row), span) && passes(row);
    if (isCounted && (row['afterBalance'] ?? null) === null) withoutBalance += 1;
  }
  return { withoutBalance, doubt: whyUnverified(summary) };
}

/** Counts of legs. A count is undefined if the service does not report the necessary totals. */
export interface LegCounts {
  readonly every: number | undefined;
  readonly withoutBalance: number | undefined;
}

/**
 * Counts the legs that are one millisecond outside the span and have no running balance. The totals include these legs if the
 * service treats the bounds of the span as inclusive (see `withSpan`).
 */
async function beyondSpan(
  client: ServiceClient,
  filters: LedgerFilters,
  { from, to }: OpenSpan,
): Promise<number> {
  const edges = [
    ...(from === undefined || from === 0 ? [] : [{ outside: from - 1, startTime: from - 1, endTime: from }]),
    ...(to === undefined ? [] : [{ outside: to + 1, startTime: to, endTime: to + 1 }]),
  ];
  let count = 0;
  for (const { outside, ...window } of edges) {
    for await (const row of client.ledgers.list({ ...filters, ...window }).asServed()) {
      if (isRecord(row) && row['timestamp'] === outside && (row['afterBalance'] ?? null) === null) count += 1;
    }
  }
  return count;
}
