import { accountingFields, textOf, timeOf } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { figureOf, ZERO } from './figure.ts';
import { type Pair, pairOf } from './pair.ts';

/** A disposal of an asset, with the figures of the service as decimal strings. */
export interface Disposal extends Pair {
  /** Unix milliseconds. */
  readonly timestamp: number | null;
  /** `outgoing` or `fee`. */
  readonly type: string;
  readonly quantity: string | null;
  readonly proceeds: string | null;
  readonly costbasis: string | null;
  readonly profit: string | null;
  readonly baseCurrency: string | null;
  readonly label: string | null;
  readonly ledgerId: string;
  readonly transactionId: string;
}

/**
 * The disposal in a leg. Only disposals have figures from the service: an outgoing leg or a fee without figures may be
 * a transfer, or tax processing has not run.
 */
export function disposalOf(leg: JsonRecord): Disposal | 'no figures' | undefined {
  const type = textOf(leg['type']);
  if (type !== 'outgoing' && type !== 'fee') return undefined;
  const served = (name: string) => textOf(leg[name]) || null;
  if (accountingFields.every((name) => served(name) === null)) return 'no figures';
  return {
    ...pairOf(leg),
    timestamp: timeOf(leg) ?? null,
    type,
    quantity: served('quantity'),
    proceeds: served('proceeds'),
    costbasis: served('costbasis'),
    profit: served('profit'),
    baseCurrency: served('baseCurrency'),
    label: served('label'),
    ledgerId: textOf(leg['id']),
    transactionId: textOf(leg['transactionId']),
  };
}

const FIGURES = ['proceeds', 'costbasis', 'profit'] as const;

/** The sums of the disposals in one currency. Unknown figures are counted, not added. */
export interface DisposalTotal {
  readonly baseCurrency: string | null;
  readonly disposals: number;
  readonly figures: Readonly<
    Record<(typeof FIGURES)[number], { readonly sum: string; readonly unknown: number }>
  >;
}

/** Exact sums of disposals, one for each currency. */
export class DisposalTotals {
  readonly #totals = new Map<string | null, { disposals: number; sums: Exact[]; unknown: number[] }>();

  add(disposal: Disposal): void {
    let total = this.#totals.get(disposal.baseCurrency);
    if (!total) {
      total = { disposals: 0, sums: FIGURES.map(() => ZERO), unknown: FIGURES.map(() => 0) };
      this.#totals.set(disposal.baseCurrency, total);
    }
    total.disposals += 1;
    for (const [at, name] of FIGURES.entries()) {
      const figure = figureOf(disposal[name]);
      if (figure) total.sums[at] = (total.sums[at] ?? ZERO).plus(figure);
      else total.unknown[at] = (total.unknown[at] ?? 0) + 1;
    }
  }

  all(): DisposalTotal[] {
    return [...this.#totals].map(([baseCurrency, { disposals, sums, unknown }]) => {
      const figure = (at: number) => ({ sum: (sums[at] ?? ZERO).toFixed(), unknown: unknown[at] ?? 0 });
      return {
        baseCurrency,
        disposals,
        figures: { proceeds: figure(0), costbasis: figure(1), profit: figure(2) },
      };
    });
  }
}
