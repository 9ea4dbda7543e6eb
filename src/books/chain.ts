import type { JsonRecord } from '../core/json.ts';
import { canonical } from './figure.ts';

/**
 * Orders legs with the same timestamp so that each leg starts with the final balance of the previous leg. This order is an
 * Eulerian path, because each leg is an edge from one balance to another. Legs with an unknown balance come last. If there is
 * no such order, the legs keep their original order.
 *
 * @param start the balance before the first leg; null if unknown
 */
export function chained(legs: readonly JsonRecord[], start: string | null): readonly JsonRecord[] {
  if (isChained(legs, start)) return legs;
  const edges: Edge[] = [];
  const others: JsonRecord[] = [];
  for (const leg of legs) {
    const [from, to] = [canonical(leg['beforeBalance']), canonical(leg['afterBalance'])];
    if (from === undefined || to === undefined) others.push(leg);
    else edges.push({ leg, from, to });
  }
  const leaving = new Map<string, Edge[]>();
  const surplus = new Map<string, number>();
  // Reverse the edges, because `eulerianPath` removes edges from the end of each list.
  for (const edge of [...edges].reverse()) {
    const known = leaving.get(edge.from);
    if (known) known.push(edge);
    else leaving.set(edge.from, [edge]);
    surplus.set(edge.from, (surplus.get(edge.from) ?? 0) + 1);
    surplus.set(edge.to, (surplus.get(edge.to) ?? 0) - 1);
  }
  const given = canonical(start);
  const head = [...surplus].find(([, more]) => more > 0)?.[0];
  const from = head ?? (given !== undefined && leaving.has(given) ? given : edges[0]?.from);
  const path = from === undefined ? [] : eulerianPath(from, leaving);
  return path.length === edges.length ? [...path.map(({ leg }) => leg), ...others] : legs;
}

/** Whether the legs are already in the right order. This is the common case. */
function isChained(legs: readonly JsonRecord[], start: string | null): boolean {
  let balance: unknown = start;
  for (const leg of legs) {
    if (balance === null || leg['beforeBalance'] !== balance) return false;
    balance = leg['afterBalance'];
  }
  return typeof balance === 'string';
}

interface Edge {
  readonly leg: JsonRecord;
  readonly from: string;
  readonly to: string;
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
