import { balanceText, type Leg } from './leg.ts';
import { bestOrders, type Orders } from './order.ts';

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
  const found = new Map<string | null, Leg[]>();
  legs.forEach((leg, at) => {
    const before = befores[at] ?? null;
    const isBreak = start !== null && before !== null && start !== before;
    const others = legs.filter((other) => other !== leg);
    const rest = bestOrders(others, afters[at] ?? null, () => null);
    if (rest.breaks + Number(isBreak) > breaks) return;
    for (const end of rest.byEnd.keys()) found.set(end, [...(found.get(end) ?? []), leg]);
  });
  return found;
}
