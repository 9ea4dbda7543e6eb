import type { JsonRecord } from '../core/json.ts';
import { Amount } from './amount.ts';
import { FIGURES, type Figure } from './coverage.ts';
import { LegFaults } from './faults.ts';
import { Leg, type LegFields } from './leg.ts';

/** One figure of a group, added up over the legs that changed. */
interface Amounts {
  /** Before the change. */
  readonly before: Amount;
  /** After the change. */
  readonly after: Amount;
}

/** The sums of all legs with the same month, asset and currency, after the change. */
interface Whole {
  symbol: string;
  readonly figures: Readonly<Record<Figure, Amount>>;
}

/** Legs with the same month, asset and currency. At least one of them changed. */
interface Group {
  readonly month: string | null;
  readonly assetId: string | null;
  symbol: string;
  readonly baseCurrency: string | null;
  readonly isNameless: boolean;
  readonly figures: Readonly<Record<Figure, Amounts>>;
  readonly counts: Record<(typeof CHANGE_COUNTS)[number], number>;
}

/** The counts of a record, in the order of its columns. */
export const CHANGE_COUNTS = [
  'added',
  'removed',
  'changed',
  'quantityChanged',
  'priceChanged',
  'costBasisChanged',
  'proceedsChanged',
  'profitChanged',
  'labelChanged',
  'accountCodeChanged',
  'otherChanged',
] as const;

/** For each kind of change, a function that recognises the changed fields by name. A leg can have several kinds of change. */
const KINDS: readonly [(typeof CHANGE_COUNTS)[number], (name: string) => boolean][] = [
  ['quantityChanged', (name) => name === 'quantity' || name === 'type'],
  ['priceChanged', (name) => name === 'price' || name.startsWith('price.') || name === 'value'],
  ['costBasisChanged', (name) => name === 'costbasis'],
  ['proceedsChanged', (name) => name === 'proceeds'],
  ['profitChanged', (name) => name === 'profit'],
  ['labelChanged', (name) => /^(label|internalLabel|description)$/.test(name)],
  ['accountCodeChanged', (name) => /CoaCode$/.test(name)],
  ['otherChanged', (name) => !KINDS.some(([kind, has]) => kind !== 'otherChanged' && has(name))],
];

/**
 * Computes how the sums per month and asset differ between two states of the books. Quantities are net: incoming − outgoing −
 * fees. Unknown values are counted, but not added as 0. Memory use grows with the number of months and assets.
 */
export class SumChanges {
  /**
   * Faults of the legs that differ. A removed leg counts as it was before the change, and any other leg as it is after the
   * change.
   */
  readonly faults = new LegFaults();
  readonly #groups = new Map<string, Group>();
  readonly #wholes = new Map<string, Whole>();
  readonly #monthOf: (timestamp: number) => string;

  /** @param monthOf converts Unix milliseconds to a month such as `2025-07`, in the time zone of the books */
  constructor(monthOf: (timestamp: number) => string) {
    this.#monthOf = monthOf;
  }

  /**
   * Adds a leg that differs between the two states. `before` is undefined for a new leg, and `after` is undefined for a removed
   * leg.
   */
  add(before: LegFields | undefined, after: LegFields | undefined): void {
    const latest = after ?? before;
    if (latest) {
      const leg = Leg.ofFields(latest);
      this.faults.add(leg, (field) => Object.hasOwn(leg.record, field));
    }
    const [from, to] = [before && this.#groupOf(before, 'before'), after && this.#groupOf(after, 'after')];
    // A leg that moved to another group counts as removed from the old group, and as added to the new group.
    if (from === to && to) {
      to.counts.changed += 1;
      for (const [count, has] of KINDS) if (differ(before, after, has)) to.counts[count] += 1;
      return;
    }
    if (from) from.counts.removed += 1;
    if (to) to.counts.added += 1;
  }

  /** Whether no leg differs. */
  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /**
   * Adds a leg as it is after the change, whether or not the leg changed. If the row has a record, the leg is read from the
   * record, because this is faster.
   */
  count(row: { readonly record?: JsonRecord; readonly fields: LegFields }): void {
    const { record } = row;
    const read = record && new Leg(record);
    const leg = read?.time === undefined ? Leg.ofFields(row.fields) : read;
    const key = this.#keyOf(leg);
    let whole = this.#wholes.get(key);
    if (!whole) {
      whole = { symbol: '', figures: byFigure(() => new Amount()) };
      this.#wholes.set(key, whole);
    }
    whole.symbol = firstSymbol(whole.symbol, leg.symbol);
    const { figures } = whole;
    const hasAsset = leg.assetId !== null || row.fields.has('assetId');
    addFigures(leg, hasAsset, (name) => figures[name]);
  }

  /**
   * Returns one record for each month, asset and currency in which a leg differs, with the sums before and after the change.
   * Call {@link count} for every leg of the newer state first.
   */
  records(): JsonRecord[] {
    return [...this.#groups]
      .map(([key, { figures, counts, isNameless, symbol, month, assetId, baseCurrency }]) => {
        const whole = this.#wholes.get(key);
        return {
          ...{ month, assetId, symbol: firstSymbol(symbol, whole?.symbol ?? '') || null, baseCurrency },
          ...byFigure((name) => {
            const all = whole?.figures[name] ?? new Amount();
            return changeOf(figures[name], all, name === 'quantity', isNameless);
          }),
          ...counts,
        };
      })
      .sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
  }

  /** If a leg differs, adds its figures to its group. */
  #groupOf(fields: LegFields, legs: keyof Amounts): Group {
    const leg = Leg.ofFields(fields);
    const { assetId, symbol, currency: baseCurrency, isNameless } = leg;
    const key = this.#keyOf(leg);
    let group = this.#groups.get(key);
    if (!group) {
      const figures = byFigure((): Amounts => ({ before: new Amount(), after: new Amount() }));
      const counts = Object.fromEntries(CHANGE_COUNTS.map((name) => [name, 0])) as Group['counts'];
      group = { month: this.#month(leg), assetId, symbol, baseCurrency, isNameless, figures, counts };
      this.#groups.set(key, group);
    }
    group.symbol = firstSymbol(group.symbol, symbol);
    const { figures } = group;
    addFigures(leg, fields.has('assetId'), (name) => figures[name][legs]);
    return group;
  }

  #month({ time }: Leg): string | null {
    return (time !== undefined && this.#monthOf(time)) || null;
  }

  #keyOf(leg: Leg): string {
    return JSON.stringify([this.#month(leg), leg.asset, leg.currency]);
  }
}

function byFigure<T>(of: (name: Figure) => T): Record<Figure, T> {
  return Object.fromEntries(FIGURES.map((name) => [name, of(name)])) as Record<Figure, T>;
}

/** Returns the first of two symbols in sort order, so that the result does not depend on the order of the legs. */
function firstSymbol(left: string, right: string): string {
  return left === '' || (right !== '' && right < left) ? right : left;
}

function addFigures(leg: Leg, hasAssetId: boolean, amountOf: (name: Figure) => Amount): void {
  for (const name of FIGURES) {
    // Without the field `assetId`, different assets cannot be told apart.
    if (name === 'quantity') amountOf(name).add(hasAssetId ? leg.change : null);
    else amountOf(name).add(leg.money(name));
  }
}

function changeOf(
  { before, after }: Amounts,
  all: Amount,
  isQuantity: boolean,
  isNameless: boolean,
): JsonRecord {
  const old = all.without(after);
  old.merge(before);
  const shown = (amount: Amount) => {
    // Several nameless legs may belong to different assets, so the sum of their quantities is unknown.
    if (isQuantity && isNameless && amount.known + amount.unknown > 1) amount.forget();
    return (isQuantity ? amount.whole : amount.part)?.toFixed() ?? null;
  };
  return { from: shown(old), to: shown(all), fromUnknown: old.unknown, toUnknown: all.unknown };
}

function differ(before: LegFields | undefined, after: LegFields | undefined, has: (name: string) => boolean) {
  const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])].filter(has));
  return [...names].some(
    (name) => JSON.stringify(before?.get(name) ?? null) !== JSON.stringify(after?.get(name) ?? null),
  );
}

function orderOf(sum: JsonRecord): string {
  return JSON.stringify(['month', 'symbol', 'assetId', 'baseCurrency'].map((name) => sum[name]));
}
