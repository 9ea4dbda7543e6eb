import { timeOf } from '../api/ledgers.ts';
import { CryptodataError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { stringifyJson } from '../core/json.ts';
import { isWithin, type Span } from '../core/span.ts';
import type { EngineOptions } from '../export/engine.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import { type LegWindow, spanOf } from './manifest.ts';
import type { Mirror } from './open.ts';

/** Maximum number of legs to read beyond the number by which the books have grown. */
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
  /**
   * Whether the pages reach beyond the known legs, and are not sorted by `timestamp`. A service that ignores `sortBy` may sort by
   * `timestamp`.
   */
  readonly isByCreation: boolean;
  /** Whether the pages contain all legs of the books. */
  readonly isWhole: boolean;
}

/**
 * Reads legs by creation time, newest first, until a page after the known legs contains none of them. Deleted legs do not extend
 * the read. Returns undefined if the list changes during each attempt, or if the known legs are too far down.
 *
 * @param known ids of the legs that were the newest legs at an earlier time
 * @param grown number of legs that were added since then, less the number of deleted legs
 */
export async function readNewest(
  source: LedgerSource,
  range: Span | undefined,
  known: readonly string[],
  grown: number,
): Promise<NewestRead | undefined> {
  const most = Math.max(0, grown) + MOST_LEGS;
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await readDown(source, range, new Set(known), most);
    if (found !== 'moved') return found;
  }
  return undefined;
}

/** Returns `moved` if a leg moved to another page during the read. */
async function readDown(
  source: LedgerSource,
  range: Span | undefined,
  known: ReadonlySet<string>,
  most: number,
): Promise<NewestRead | undefined | 'moved'> {
  const legs = new Map<string, unknown>();
  const ahead = new Set<string>();
  let [isMet, rises, falls] = [false, false, false];
  let before: number | undefined;
  for await (const { rows, fresh, joined, total } of source.newest(range)) {
    if (!joined || rows.length > fresh.length) return 'moved';
    if (fresh.length === 0) return { legs, ahead, isByCreation: false, isWhole: legs.size === total };
    for (const row of fresh) {
      const time = timeOf(row);
      rises ||= before !== undefined && time !== undefined && before < time;
      falls ||= before !== undefined && time !== undefined && before > time;
      before = time;
    }
    const isPast = isMet && !fresh.some((row) => known.has(identityOf(row)));
    for (const row of fresh) {
      const id = identityOf(row);
      legs.set(id, row);
      isMet ||= known.has(id);
      if (!isMet) ahead.add(id);
    }
    if (isPast) return { legs, ahead, isByCreation: rises && falls, isWhole: false };
    if (legs.size > most) return undefined;
  }
  return undefined;
}

/**
 * Returns the windows whose total may count a leg that the mirror does not contain in this form, although a window's total is the
 * same as before. The total of a window also counts legs up to one millisecond outside the window.
 */
export async function outdatedWindows(
  mirror: Mirror,
  legs: ReadonlyMap<string, unknown>,
): Promise<ReadonlySet<LegWindow>> {
  const unknown = new Map(legs);
  const times = [...legs.values()].map(timeOf);
  const { windows } = mirror.manifest.ledgers;
  for (const window of windows) {
    const span = spanOf(window) ?? {};
    if (!times.some((time) => isWithin(time, span))) continue;
    for await (const leg of mirror.legsOf(window)) {
      const id = identityOf(leg);
      if (unknown.has(id) && stringifyJson(unknown.get(id)) === stringifyJson(leg)) unknown.delete(id);
    }
  }
  return new Set(
    windows.filter((window) => {
      const span = spanOf(window);
      const counted = span ? { from: span.from - 1, to: span.to + 1 } : {};
      return [...unknown.values()].some((leg) => isWithin(timeOf(leg), counted));
    }),
  );
}

/**
 * Whether the service has none of the legs. A leg that is missing in all windows that were read again may have moved to a window
 * that was not read. Returns false if this is unknown.
 */
export async function areDeleted(
  ids: readonly string[],
  {
    client,
    concurrency,
    maxRps,
    signal,
  }: Pick<EngineOptions, 'client' | 'concurrency' | 'maxRps' | 'signal'>,
): Promise<boolean> {
  // Legs without a textual id cannot be requested.
  if (ids.length > MOST_REMOVED || ids.some((id) => /^(#|json:)/.test(id))) return false;
  const pace = new Pace({ most: concurrency, maxRps, signal });
  const isDeleted = async (id: string) => {
    try {
      await client.ledgers.get(id, { signal });
      return false;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CryptodataError) return error.kind === 'notFound';
      throw error;
    }
  };
  const answers = await Promise.all(ids.map((id) => pace.run(() => isDeleted(id))));
  return answers.every((deleted) => deleted);
}
