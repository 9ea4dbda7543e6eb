import { balanceText, type Leg } from './leg.ts';

interface Edge {
  readonly leg: Leg;
  readonly from: string;
  readonly to: string;
}

/**
 * Orders legs so that each leg starts with the final balance of the previous leg. This order is an Eulerian path, because each
 * leg is an edge from one balance to another. All such orders end with the same balance.
 *
 * @param start the balance before the first leg; null if unknown
 * @returns undefined if a leg lacks a balance, if no such order exists, or if different orders could end with different
 *   balances
 */
export function chained(legs: readonly Leg[], start: string | null): readonly Leg[] | undefined {
  const edges: Edge[] = [];
  for (const leg of legs) {
    const [from, to] = [balanceText(leg, 'beforeBalance'), balanceText(leg, 'afterBalance')];
    if (from === null || to === null) return undefined;
    edges.push({ leg, from, to });
  }
  const leaving = new Map<string, Edge[]>();
  const surplus = new Map<string, number>();
  // Reverse the edges, because `eulerianPath` removes edges from the end of each list.
  for (const edge of edges.reverse()) {
    const known = leaving.get(edge.from);
    if (known) known.push(edge);
    else leaving.set(edge.from, [edge]);
    surplus.set(edge.from, (surplus.get(edge.from) ?? 0) + 1);
    surplus.set(edge.to, (surplus.get(edge.to) ?? 0) - 1);
  }
  const head = [...surplus].find(([, more]) => more > 0)?.[0];
  const from = start ?? head;
  if (from === undefined || !leaving.has(from)) return undefined;
  const path = eulerianPath(from, leaving);
  return path.length === edges.length ? path.map(({ leg }) => leg) : undefined;
}

/**
 * Runs Hierholzer's algorithm. Removes the used edges from the lists in `leaving`. Returns an empty list if the edges do not
 * form a path.
 */
function eulerianPath(start: string, leaving: ReadonlyMap<string, Edge[]>): Edge[] {
  const path: Edge[] = [];
  const stack: { readonly at: string; readonly by?: Edge }[] = [{ at: start }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const next = leaving.get(top.at)?.pop();
    if (next) {
      stack.push({ at: next.to, by: next });
      continue;
    }
    stack.pop();
    if (top.by) path.push(top.by);
  }
  path.reverse();
  const joins = path.every((edge, at) => edge.from === (at === 0 ? start : path[at - 1]?.to));
  return joins ? path : [];
}
