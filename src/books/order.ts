import type { Exact } from '../core/decimal.ts';
import { chained } from './chain.ts';
import { isFigure } from './figure.ts';
import { balanceText, type Leg } from './leg.ts';

/**
 * The orders of one pair's legs in one millisecond that have the fewest breaks, one order for each balance with which such an
 * order can end. A break is a served `beforeBalance` that differs from the served `afterBalance` just before it.
 */
export interface Orders {
  readonly breaks: number;
  /** By the last leg's served balance; null if that leg has none. The order with the fewest gaps comes first. */
  readonly byEnd: ReadonlyMap<string | null, readonly Leg[]>;
  /** Whether the legs are too many to compare all orders. The order is then unknown. */
  readonly isOpen?: true;
}

/** Maximum number of legs whose orders are all compared. */
const MOST_COMPARED = 8;

/**
 * @param legs sorted by id
 * @param start the served balance before the legs; null if unknown
 * @param carried returns the balance before the legs according to balances and quantities; null if unknown
 */
export function bestOrders(legs: readonly Leg[], start: string | null, carried: () => Exact | null): Orders {
  const chain = isChained(legs, start) ? legs : chained(legs, start);
  if (chain) return { breaks: 0, byEnd: new Map([[endOf(chain), chain]]) };
  if (legs.length <= MOST_COMPARED) return comparedOrders(legs, start, carried());
  return { breaks: 0, byEnd: new Map([[endOf(legs), legs]]), isOpen: true };
}

/** Whether the legs are already in an order without breaks, and no balance is missing. This is the common case. */
function isChained(legs: readonly Leg[], start: string | null): boolean {
  let balance: unknown = start;
  for (const { record } of legs) {
    if (typeof balance !== 'string' || record['beforeBalance'] !== balance) return false;
    balance = record['afterBalance'];
  }
  return typeof balance === 'string' && isFigure(balance);
}

function endOf(legs: readonly Leg[]): string | null {
  const last = legs.at(-1);
  return last ? balanceText(last, 'afterBalance') : null;
}

/** The best order of some of the legs that ends with a certain leg. */
interface Path {
  readonly breaks: number;
  /** Number of legs that start from another balance than the one that balances and quantities give. */
  readonly gaps: number;
  readonly carried: Exact | null;
  readonly last: Leg;
  readonly rest: Path | undefined;
}

/** Finds the best orders by extending the best order of each subset of the legs (Held and Karp). */
function comparedOrders(legs: readonly Leg[], start: string | null, carried: Exact | null): Orders {
  const befores = legs.map((leg) => balanceText(leg, 'beforeBalance'));
  const afters = legs.map((leg) => balanceText(leg, 'afterBalance'));
  const whole = 2 ** legs.length - 1;
  const paths = new Map<number, (Path | undefined)[]>([[0, []]]);
  const extend = (rest: Path | undefined, previous: string | null, at: number): Path => {
    const last = legs[at] as Leg;
    const before = befores[at] ?? null;
    const known = rest ? rest.carried : carried;
    const from = last.start;
    const isBreak = previous !== null && before !== null && previous !== before;
    const isGap = known !== null && from !== null && !known.equals(from);
    return {
      breaks: (rest?.breaks ?? 0) + Number(isBreak),
      gaps: (rest?.gaps ?? 0) + Number(isGap),
      carried: last.endFrom(known),
      ...{ last, rest },
    };
  };
  for (let set = 1; set <= whole; set++) {
    paths.set(
      set,
      legs.map((_, at) => {
        const others = set & ~(1 << at);
        if (others === set) return undefined;
        if (others === 0) return extend(undefined, start, at);
        const options = (paths.get(others) ?? []).flatMap((path, end) =>
          path ? [extend(path, afters[end] ?? null, at)] : [],
        );
        // Of equally good orders, the one in the order of the ids is taken.
        return options.reduceRight((best, path) => (isBetter(path, best) ? path : best));
      }),
    );
  }
  const ends = (paths.get(whole) ?? []).flatMap((path, at) =>
    path ? [{ path, end: afters[at] ?? null }] : [],
  );
  const breaks = Math.min(...ends.map(({ path }) => path.breaks));
  const best = ends.filter(({ path }) => path.breaks === breaks).reverse();
  best.sort((left, right) => left.path.gaps - right.path.gaps);
  const byEnd = new Map<string | null, readonly Leg[]>();
  for (const { path, end } of best) if (!byEnd.has(end)) byEnd.set(end, legsOf(path));
  return { breaks, byEnd };
}

function isBetter(left: Path, right: Path): boolean {
  return left.breaks < right.breaks || (left.breaks === right.breaks && left.gaps < right.gaps);
}

function legsOf(path: Path): Leg[] {
  const legs: Leg[] = [];
  for (let at: Path | undefined = path; at; at = at.rest) legs.push(at.last);
  return legs.reverse();
}
