import { accountingFields } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { figureOf, ZERO } from './figure.ts';

/** Values of a leg, by dotted field name. */
type Fields = ReadonlyMap<string, unknown>;

const FIGURES = ['quantity', 'value', ...accountingFields] as const;
type Figure = (typeof FIGURES)[number];

/** Identifies a group of legs with the same month, asset and currency. */
interface Group {
  readonly month: string | null;
  readonly assetId: string | null;
  readonly symbol: string | null;
  readonly baseCurrency: string | null;
}

interface Change extends Group {
  readonly figures: Map<Figure, Exact>;
  readonly counts: Record<(typeof COUNTS)[number], number>;
}

const COUNTS = [
  'added',
  'removed',
  'changed',
  'quantityChanged',
  'priceChanged',
  'costBasisChanged',
  'labelChanged',
  'accountCodeChanged',
] as const;

/** For each kind of change, a function that recognises the changed fields by name. A leg can have several kinds of change. */
const KINDS: readonly [(typeof COUNTS)[number], (name: string) => boolean][] = [
  ['quantityChanged', (name) => name === 'quantity' || name === 'type'],
  ['priceChanged', (name) => name === 'price' || name.startsWith('price.') || name === 'value'],
  ['costBasisChanged', (name) => accountingFields.some((field) => field === name)],
  ['labelChanged', (name) => /^(label|internalLabel|description)$/.test(name)],
  ['accountCodeChanged', (name) => /CoaCode$/.test(name)],
];

/**
 * Computes how the sums per month and asset differ between two states of the books. The caller adds only the legs that differ.
 * Quantities are net: incoming − outgoing − fees. Unknown values are left out of the sums. Memory use grows with the number of
 * changed months and assets.
 */
export class SumChanges {
  readonly #groups = new Map<string, Change>();
  readonly #monthOf: (timestamp: number) => string;

  /** @param monthOf converts Unix milliseconds to a month such as `2025-07`, in the time zone of the books */
  constructor(monthOf: (timestamp: number) => string) {
    this.#monthOf = monthOf;
  }

  /** Adds one leg. `before` is undefined for a new leg, and `after` is undefined for a removed leg. */
  add(before: Fields | undefined, after: Fields | undefined): void {
    const [from, to] = [before && this.#groupOf(before), after && this.#groupOf(after)];
    if (before && from) addFigures(from, before, (sum, figure) => sum.minus(figure));
    if (after && to) addFigures(to, after, (sum, figure) => sum.plus(figure));
    // A leg that moved to another group counts as removed from the old group, and as added to the new group.
    if (from === to && to) {
      to.counts.changed += 1;
      for (const [count, has] of KINDS) if (differ(before, after, has)) to.counts[count] += 1;
      return;
    }
    if (from) from.counts.removed += 1;
    if (to) to.counts.added += 1;
  }

  /** Returns one record per month, asset and currency, with exact decimals. */
  records(): JsonRecord[] {
    return [...this.#groups.values()]
      .map(({ figures, counts, ...group }) => ({
        ...group,
        ...Object.fromEntries(FIGURES.map((name) => [name, changeOf(name, figures, group)])),
        ...counts,
      }))
      .sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
  }

  #groupOf(leg: Fields): Change {
    const time = Number(leg.get('timestamp') ?? Number.NaN);
    const group: Group = {
      month: (Number.isFinite(time) && this.#monthOf(time)) || null,
      assetId: textIn(leg, 'assetId'),
      symbol: textIn(leg, 'asset.symbol') ?? textIn(leg, 'assetRaw.symbol'),
      baseCurrency: textIn(leg, 'baseCurrency'),
    };
    const { month, assetId, symbol, baseCurrency } = group;
    const key = JSON.stringify([month, assetId ?? [symbol], baseCurrency]);
    let change = this.#groups.get(key);
    if (!change) {
      const counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Change['counts'];
      change = { ...group, figures: new Map(), counts };
      this.#groups.set(key, change);
    }
    return change;
  }
}

/** Returns null for money in an unknown currency, because such amounts cannot be added. */
function changeOf(name: Figure, figures: Change['figures'], { baseCurrency }: Group): string | null {
  if (name !== 'quantity' && baseCurrency === null) return null;
  return (figures.get(name) ?? ZERO).toFixed();
}

function addFigures({ figures }: Change, leg: Fields, add: (sum: Exact, figure: Exact) => Exact): void {
  for (const name of FIGURES) {
    const figure = figureOf(leg.get(name));
    if (!figure) continue;
    const signed = name === 'quantity' && leg.get('type') !== 'incoming' ? figure.negated() : figure;
    figures.set(name, add(figures.get(name) ?? ZERO, signed));
  }
}

function differ(before: Fields | undefined, after: Fields | undefined, has: (name: string) => boolean) {
  const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])].filter(has));
  return [...names].some(
    (name) => JSON.stringify(before?.get(name) ?? null) !== JSON.stringify(after?.get(name) ?? null),
  );
}

function textIn(leg: Fields, name: string): string | null {
  const value = leg.get(name);
  return typeof value === 'string' && value !== '' ? value : null;
}

function orderOf({ month, symbol, assetId, baseCurrency }: JsonRecord): string {
  return JSON.stringify([month, symbol, assetId, baseCurrency]);
}
