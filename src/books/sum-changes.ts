import { accountingFields } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';
import { Amount } from './amount.ts';
import { FIGURES, type Figure } from './coverage.ts';
import { LegFaults } from './faults.ts';
import { type Fields, Leg } from './leg.ts';

/** One figure of a group, for different sets of legs. */
interface Amounts {
  /** The legs that changed, before the change. */
  readonly before: Amount;
  /** The legs that changed, after the change. */
  readonly after: Amount;
  /** All legs after the change. */
  readonly all: Amount;
}

/** Legs with the same month, asset and currency. At least one of them changed. */
interface Group {
  readonly month: string | null;
  readonly assetId: string | null;
  symbol: string;
  readonly baseCurrency: string | null;
  readonly isNameless: boolean;
  readonly figures: Readonly<Record<Figure, Amounts>>;
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
 * Computes how the sums per month and asset differ between two states of the books. Quantities are net: incoming − outgoing −
 * fees. Unknown values are counted, never added as 0. Memory use grows with the number of changed months and assets.
 */
export class SumChanges {
  /** The legs that differ and have fields that are not as specified, after the change or, if removed, before it. */
  readonly faults = new LegFaults();
  readonly #groups = new Map<string, Group>();
  readonly #monthOf: (timestamp: number) => string;

  /** @param monthOf converts Unix milliseconds to a month such as `2025-07`, in the time zone of the books */
  constructor(monthOf: (timestamp: number) => string) {
    this.#monthOf = monthOf;
  }

  /** Adds a leg that differs. `before` is undefined for a new leg, and `after` is undefined for a removed leg. */
  add(before: Fields | undefined, after: Fields | undefined): void {
    const latest = after ?? before;
    if (latest) this.faults.add(Leg.ofFields(latest), (field) => latest.has(field));
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

  /**
   * Returns one record per month, asset and currency in which a leg differs, with the sums before and after.
   *
   * @param now reads all legs after the change. They are read only if a leg differs.
   */
  async records(now: () => AsyncIterable<{ readonly fields: Fields }>): Promise<JsonRecord[]> {
    if (this.#groups.size === 0) return [];
    for await (const { fields } of now()) this.#groupOf(fields, 'all');
    return [...this.#groups.values()]
      .map(({ figures, counts, isNameless, symbol, month, assetId, baseCurrency }) => ({
        ...{ month, assetId, symbol: symbol || null, baseCurrency },
        ...Object.fromEntries(
          FIGURES.map((name) => [name, changeOf(figures[name], name === 'quantity', isNameless)]),
        ),
        ...counts,
      }))
      .sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
  }

  /** Adds the figures of a leg to its group. For `all`, the group is undefined if none of its legs differs. */
  #groupOf(fields: Fields, legs: keyof Amounts): Group | undefined {
    const leg = Leg.ofFields(fields);
    const { assetId, symbol, currency: baseCurrency, isNameless } = leg;
    const month = (leg.time !== undefined && this.#monthOf(leg.time)) || null;
    const key = JSON.stringify([month, leg.asset, baseCurrency]);
    let group = this.#groups.get(key);
    if (!group) {
      if (legs === 'all') return undefined;
      const amounts = (): Amounts => ({ before: new Amount(), after: new Amount(), all: new Amount() });
      const figures = Object.fromEntries(FIGURES.map((name) => [name, amounts()])) as Group['figures'];
      const counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Group['counts'];
      group = { month, assetId, symbol, baseCurrency, isNameless, figures, counts };
      this.#groups.set(key, group);
    }
    if (group.symbol === '' || (symbol !== '' && symbol < group.symbol)) group.symbol = symbol;
    // Without the field `assetId`, different assets cannot be told apart.
    const quantity = fields.has('assetId') ? leg.change : null;
    for (const name of FIGURES)
      group.figures[name][legs].add(name === 'quantity' ? quantity : leg.money(name));
    return group;
  }
}

function changeOf({ before, after, all }: Amounts, isQuantity: boolean, isNameless: boolean): JsonRecord {
  const old = all.without(after);
  old.merge(before);
  const shown = (amount: Amount) => {
    // Nameless legs may belong to different assets. If there are several, their quantities are unknown.
    if (isQuantity && isNameless && amount.known + amount.unknown > 1) amount.forget();
    return (isQuantity ? amount.whole : amount.part)?.toFixed() ?? null;
  };
  return { from: shown(old), to: shown(all), fromUnknown: old.unknown, toUnknown: all.unknown };
}

function differ(before: Fields | undefined, after: Fields | undefined, has: (name: string) => boolean) {
  const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])].filter(has));
  return [...names].some(
    (name) => JSON.stringify(before?.get(name) ?? null) !== JSON.stringify(after?.get(name) ?? null),
  );
}

function orderOf(sum: JsonRecord): string {
  return JSON.stringify(['month', 'symbol', 'assetId', 'baseCurrency'].map((name) => sum[name]));
}
