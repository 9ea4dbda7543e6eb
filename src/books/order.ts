import type { Exact } from '../core/decimal.ts';
import { chained } from './chain.ts';
import { isFigure } from './figure.ts';
import { balanceText, type Leg } from './leg.ts';

/**
 * The best orders for the legs of one pair in one millisecond: those with the fewest breaks. There is one best order for each
 * possible final balance. A break is a `beforeBalance` that differs from the `afterBalance` of the leg just before it, as the
 * service sent them.
 */
export interface Orders {
  readonly breaks: number;
  /**
   * Maps each final balance, as the service sent it, to an order with this balance. The key is null if the last leg has no
   * balance. The order with the fewest gaps comes first.
   */
  readonly byEnd: ReadonlyMap<string | null, Order>;
  /** Whether there are too many legs to compare all orders. The order is then unknown. */
  readonly isOpen?: true;
}

interface Order {
  readonly legs: readonly Leg[];
  /**
   * All legs that are first in one of the orders with the fewest gaps. If the legs form a chain, all of these legs start from
   * the same balance.
   */
  readonly firsts: readonly Leg[];
}

/** Maximum number of legs for which all orders are compared. */
const MOST_COMPARED = 8;

/**
 * Returns the best orders for each possible balance before the legs.
 *
 * @param legs sorted by id
 * @param starts the possible balances before the legs, as the service sent them; null if unknown
 * @param carried returns the balance before the legs according to balances and quantities; null if unknown
 */
export function bestOrders(
  legs: readonly Leg[],
  starts: readonly (string | null)[],
  carried: () => Exact | null,
): Orders[] {
  /** The orders do not depend on a balance from which no leg starts. All such balances share one key. */
  const compared = new Map<string | null | undefined, Orders>();
  let befores: ReadonlySet<string | null> | undefined;
  return starts.map((start) => {
    const chain = isChained(legs, start) ? legs : chained(legs, start);
    if (chain)
      return { breaks: 0, byEnd: new Map([[endOf(chain), { legs: chain, firsts: startingLike(chain) }]]) };
    if (legs.length > MOST_COMPARED)
      return { breaks: 0, byEnd: new Map([[endOf(legs), { legs, firsts: legs }]]), isOpen: true };
    befores ??= new Set(legs.map((leg) => balanceText(leg, 'beforeBalance')));
    const kind = start === null || befores.has(start) ? start : undefined;
    const orders = compared.get(kind) ?? comparedOrders(legs, start, carried());
    compared.set(kind, orders);
    return orders;
  });
}

/** Whether the legs are already in an order without breaks, and every leg has both balances. This is the common case. */
export function isChained(legs: readonly Leg[], start: string | null): boolean {
  let balance: unknown = start;
  for (const leg of legs) {
    if (typeof balance !== 'string' || leg.value('beforeBalance') !== balance) return false;
    balance = leg.value('afterBalance');
  }
  return typeof balance === 'string' && isFigure(balance);
}

/** Returns the legs that have the same `beforeBalance` as the first leg. */
function startingLike(chain: readonly Leg[]): Leg[] {
  const [first] = chain;
  const before = first && balanceText(first, 'beforeBalance');
  return chain.filter((leg) => balanceText(leg, 'beforeBalance') === before);
}

function endOf(legs: readonly Leg[]): string | null {
  const last = legs.at(-1);
  return last ? balanceText(last, 'afterBalance') : null;
}

/** The best of the orders that contain a given subset of the legs and end with a given leg. */
interface Path {
  readonly breaks: number;
  /** Number of legs after the first that do not start from the carried balance. */
  readonly gaps: number;
  /**
   * 1 if the first leg does not start from the carried balance, otherwise 0. For the first legs of the books, the carried
   * balance is only an assumption.
   */
  readonly offset: number;
  readonly carried: Exact | null;
  /** One bit for each leg that is first in one of the equally good orders of these legs. */
  readonly firsts: number;
  readonly last: Leg;
  readonly rest: Path | undefined;
}

/** Finds the best orders by extending the best order of each subset of the legs (Held and Karp). */
function comparedOrders(legs: readonly Leg[], start: string | null, carried: Exact | null): Orders {
  const befores = legs.map((leg) => balanceText(leg, 'beforeBalance'));
  const afters = legs.map((leg) => balanceText(leg, 'afterBalance'));
  const froms = legs.map((leg) => leg.start);
  const ends = legs.map((leg) => leg.endFrom(null));
  const isBreak = (previous: string | null, at: number) =>
    previous !== null && (befores[at] ?? previous) !== previous;
  const isGap = (known: Exact | null, at: number) => known !== null && froms[at]?.equals(known) === false;
  /** For each subset of the legs, as a set of bits: the best order for each last leg. */
  const paths: (Path | undefined)[][] = [[]];
  const pathTo = (at: number, others: number): Path => {
    const last = legs[at] as Leg;
    let rest: Path | undefined;
    let breaks = others === 0 ? Number(isBreak(start, at)) : Number.POSITIVE_INFINITY;
    let gaps = 0;
    let offset = others === 0 ? Number(isGap(carried, at)) : 0;
    let firsts = others === 0 ? 1 << at : 0;
    // If several orders are equally good, take the order of the ids.
    for (let end = legs.length - 1; end >= 0; end--) {
      const path = paths[others]?.[end];
      if (!path) continue;
      const newBreaks = path.breaks + Number(isBreak(afters[end] ?? null, at));
      if (newBreaks > breaks || (newBreaks === breaks && path.gaps > gaps)) continue;
      const newGaps = path.gaps + Number(isGap(path.carried, at));
      if (newBreaks === breaks && newGaps > gaps) continue;
      const isEqual = newBreaks === breaks && newGaps === gaps;
      firsts = isEqual ? firsts | path.firsts : path.firsts;
      if (isEqual && path.offset >= offset) continue;
      [rest, breaks, gaps, offset] = [path, newBreaks, newGaps, path.offset];
    }
    const end = ends[at] ?? last.endFrom(rest ? rest.carried : carried);
    return { breaks, gaps, offset, carried: end, firsts, last, rest };
  };
  const whole = 2 ** legs.length - 1;
  for (let set = 1; set <= whole; set++) {
    paths.push(legs.map((_, at) => (set & (1 << at) ? pathTo(at, set & ~(1 << at)) : undefined)));
  }
  const found = (paths[whole] ?? []).flatMap((path, at) => (path ? [{ path, end: afters[at] ?? null }] : []));
  const fewest = Math.min(...found.map(({ path }) => path.breaks));
  const best = found.filter(({ path }) => path.breaks === fewest).reverse();
  best.sort(({ path: left }, { path: right }) => left.gaps - right.gaps || left.offset - right.offset);
  const byEnd = new Map<string | null, Order>();
  for (const { path, end } of best) {
    if (byEnd.has(end)) continue;
    const same = best.filter((other) => other.end === end && other.path.gaps === path.gaps);
    const firsts = same.reduce((all, other) => all | other.path.firsts, 0);
    byEnd.set(end, { legs: legsOf(path), firsts: legs.filter((_, at) => firsts & (1 << at)) });
  }
  return { breaks: fewest, byEnd };
}

function legsOf(path: Path): Leg[] {
  const legs: Leg[] = [];
  for (let at: Path | undefined = path; at; at = at.rest) legs.push(at.last);
  return legs.reverse();
}
