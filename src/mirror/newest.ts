import { timeOf } from '../api/ledgers.ts';
import { CryptodataError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { stringifyJson } from '../core/json.ts';
import { isWithin } from '../core/span.ts';
import type { EngineOptions } from '../export/engine.ts';
import type { Frozen } from '../export/plan.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import { type LegWindow, windowSpan } from './manifest.ts';
import type { Mirror } from './open.ts';

/** Maximum number of legs to read in addition to new legs, the pages with known legs and one more page. */
const MOST_LEGS = 2000;
/** Maximum number of attempts to read the list. An attempt fails if legs change their place between two pages. */
const TRIES = 3;
/** Maximum number of removed legs to request by id. */
const MOST_REMOVED = 200;

/** The most recently created legs, as the service lists them. */
export interface NewestRead {
  /** The legs by id. */
  readonly legs: ReadonlyMap<string, unknown>;
  /** Ids of the legs before the first known leg. */
  readonly ahead: ReadonlySet<string>;
  /** Whether `legs` contains all legs of the books. If false, `legs` ends after the known legs. */
  readonly isWhole: boolean;
}

/**
 * Reads legs by creation time, newest first, until a page after the known legs contains no known leg. Deleted legs do not
 * extend the read. A new leg may have the same creation time as the known legs, and may be listed after them. The read
 * therefore continues while the legs of a page could have the same creation time. Returns undefined if the list changes during
 * each attempt, or if the read becomes too long.
 *
 * @param known ids of the legs that were the newest legs at an earlier time
 * @param grown number of legs that were added since then, less the number of deleted legs
 */
export async function readNewest(
  source: LedgerSource,
  frozen: Frozen,
  known: readonly string[],
  grown: number,
  windowRows: number,
): Promise<NewestRead | undefined> {
  // The known legs were the first page of an earlier read.
  const most = Math.max(0, grown) + 3 * known.length + Math.min(MOST_LEGS, windowRows);
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await readDown(source, frozen, new Set(known), most);
    if (found !== 'moved') return found;
  }
  return undefined;
}

/** Returns `moved` if a leg moved to another page during the read. */
async function readDown(
  source: LedgerSource,
  { range, total }: Frozen,
  known: ReadonlySet<string>,
  most: number,
): Promise<NewestRead | undefined | 'moved'> {
  const legs = new Map<string, unknown>();
  const ahead = new Set<string>();
  let isMet = false;
  for await (const { rows, fresh, joined } of source.newest(range)) {
    if (!joined || rows.length > fresh.length) return 'moved';
    // The service may cap this list, so compare its length with the total of the list that is sorted by time.
    if (fresh.length === 0) return legs.size === total ? { legs, ahead, isWhole: true } : undefined;
    const isPast = isMet && isMixed(fresh) && !fresh.some((row) => known.has(identityOf(row)));
    for (const row of fresh) {
      const id = identityOf(row);
      legs.set(id, row);
      isMet ||= known.has(id);
      if (!isMet) ahead.add(id);
    }
    if (isPast) return { legs, ahead, isWhole: false };
    if (legs.size > most) return undefined;
  }
  return undefined;
}

const byNumber = new Intl.Collator('en', { numeric: true });
const ORDERS: readonly ((left: unknown, right: unknown) => number)[] = [
  (left, right) => (timeOf(left) ?? 0) - (timeOf(right) ?? 0),
  (left, right) =>
    Number(identityOf(left) > identityOf(right)) - Number(identityOf(left) < identityOf(right)),
  (left, right) => byNumber.compare(identityOf(left), identityOf(right)),
];

/**
 * Whether legs are sorted neither by time nor by id. Legs do not contain their creation time. If legs are sorted, they may have
 * the same creation time, or the service may ignore `sortBy`.
 */
function isMixed(legs: readonly unknown[]): boolean {
  return ORDERS.every((compare) => {
    const signs = legs.slice(1).map((leg, at) => Math.sign(compare(legs[at], leg)));
    return signs.includes(1) && signs.includes(-1);
  });
}

/**
 * Returns windows with unchanged totals that may have a new or changed leg. The total of such a window may count a leg that the
 * mirror lacks, or has only in an older form. The total of a window also counts legs up to one millisecond outside the window.
 * If all legs were read, also returns the windows with deleted legs.
 */
export async function outdatedWindows(
  mirror: Mirror,
  { legs, isWhole }: NewestRead,
): Promise<ReadonlySet<LegWindow>> {
  const unknown = new Map(legs);
  const times = [...legs.values()].map(timeOf);
  const { windows } = mirror.manifest.ledgers;
  const withDeleted = new Set<LegWindow>();
  for (const window of windows) {
    const span = windowSpan(window) ?? {};
    if (!isWhole && !times.some((time) => isWithin(time, span))) continue;
    for await (const leg of mirror.legsOf(window)) {
      const id = identityOf(leg);
      if (isWhole && !legs.has(id)) withDeleted.add(window);
      if (unknown.has(id) && stringifyJson(unknown.get(id)) === stringifyJson(leg)) unknown.delete(id);
    }
  }
  return new Set(
    windows.filter((window) => {
      const span = windowSpan(window);
      const counted = span ? { from: span.from - 1, to: span.to + 1 } : {};
      return withDeleted.has(window) || [...unknown.values()].some((leg) => isWithin(timeOf(leg), counted));
    }),
  );
}

/**
 * Whether the service has none of the legs. If a leg is missing in all windows that were read again, it may have moved to a
 * window that was not read. Returns false if the answer is unknown, for example because the service does not return `present`.
 *
 * @param present id of a leg that the service has; undefined if there is none
 */
export async function areDeleted(
  ids: readonly string[],
  present: string | undefined,
  {
    client,
    concurrency,
    maxRps,
    signal,
  }: Pick<EngineOptions, 'client' | 'concurrency' | 'maxRps' | 'signal'>,
): Promise<boolean> {
  if (ids.length === 0) return true;
  // Legs without a textual id cannot be requested.
  const all = [...ids, present ?? '#'];
  if (ids.length > MOST_REMOVED || all.some((id) => /^(#|json:)/.test(id))) return false;
  const pace = new Pace({ most: concurrency, maxRps, signal });
  const request = async (id: string) => {
    try {
      return identityOf(await client.ledgers.get(id, { signal }));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CryptodataError) return error.kind === 'notFound' ? undefined : null;
      throw error;
    }
  };
  const answers = await Promise.all(all.map((id) => pace.run(() => request(id))));
  return all.every((id, at) => answers[at] === (id === present ? id : undefined));
}
