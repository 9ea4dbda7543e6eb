import { balanceText, type Leg } from './leg.ts';
import type { Orders } from './order.ts';

/** Maximum number of legs each of which is tried as the first leg. */
const MOST_TRIED = 8;

/**
 * The legs that may be the first of one pair's legs in one millisecond, by the balance after the last leg: the first leg of each
 * order with the fewest breaks. For more than eight legs, some of them may in fact not be the first.
 *
 * @param orders the best orders of the legs
 * @param start the served balance before the legs; null if unknown
 */
export function firstLegs(
  legs: readonly Leg[],
  { breaks, byEnd }: Orders,
  start: string | null,
): ReadonlyMap<string | null, readonly Leg[]> {
  const befores = legs.map((leg) => balanceText(leg, 'beforeBalance'));
  const afters = legs.map((leg) => balanceText(leg, 'afterBalance'));
  // Without balances after the legs, no order has a break.
  if (start === null && afters.every((after) => after === null)) return new Map([[null, legs]]);
  if (legs.length > MOST_TRIED) {
    return new Map(
      [...byEnd].map(([end, [first]]) => {
        const before = first && balanceText(first, 'beforeBalance');
        return [end, legs.filter((_, at) => befores[at] === before)];
      }),
    );
  }
  const isBreak = (after: string | null, before: string | null) =>
    Number(after !== null && before !== null && after !== before);
  const found = new Map<string | null, Leg[]>();
  legs.forEach((leg, first) => {
    const ends = endsOf(first, legs.length, breaks - isBreak(start, befores[first] ?? null), (left, right) =>
      isBreak(afters[left] ?? null, befores[right] ?? null),
    );
    for (const end of new Set(ends.map((at) => afters[at] ?? null))) {
      found.set(end, [...(found.get(end) ?? []), leg]);
    }
  });
  return found;
}

/**
 * Returns the last items of all orders of `size` items that start with `first` and cost at most `most`. Computes the lowest cost
 * for each set of items and last item (Held and Karp).
 */
function endsOf(
  first: number,
  size: number,
  most: number,
  cost: (left: number, right: number) => number,
): number[] {
  const whole = 2 ** size - 1;
  const costs = new Uint8Array((whole + 1) * size).fill(most + 1);
  const at = (set: number, last: number) => set * size + last;
  const items = [...Array(size).keys()];
  if (most >= 0) costs[at(1 << first, first)] = 0;
  for (let set = 1; set < whole; set++) {
    for (const last of items) {
      const known = costs[at(set, last)] ?? 0;
      if (known > most) continue;
      for (const next of items) {
        if (set & (1 << next)) continue;
        const longer = at(set | (1 << next), next);
        costs[longer] = Math.min(costs[longer] ?? 0, known + cost(last, next));
      }
    }
  }
  return items.filter((last) => (costs[at(whole, last)] ?? 0) <= most);
}
