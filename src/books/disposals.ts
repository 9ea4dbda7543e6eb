import { accountingFields, textOf, timeOf } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';
import { figureOf } from './figure.ts';
import { type Pair, pairOf } from './pair.ts';
import { Total } from './total.ts';

/** A disposal of an asset, with the service's values as decimal strings. */
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
 * Returns the disposal that a leg records. Only disposals have a cost basis, proceeds or profit. Returns `'no figures'` for an
 * outgoing leg or a fee without these values: the leg may be a transfer, or tax processing has not run.
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

/** The sums of the disposals in one currency. */
export interface DisposalTotal {
  readonly baseCurrency: string | null;
  readonly disposals: number;
  readonly figures: Readonly<Record<Accounting, Total>>;
}

type Accounting = (typeof accountingFields)[number];

/** Adds up disposals exactly, separately for each currency. */
export class DisposalTotals {
  readonly #totals = new Map<string | null, { disposals: number; figures: DisposalTotal['figures'] }>();

  add(disposal: Disposal): void {
    let total = this.#totals.get(disposal.baseCurrency);
    if (!total) {
      total = {
        disposals: 0,
        figures: { costbasis: new Total(), proceeds: new Total(), profit: new Total() },
      };
      this.#totals.set(disposal.baseCurrency, total);
    }
    total.disposals += 1;
    const isAddable = disposal.baseCurrency !== null;
    for (const name of accountingFields) total.figures[name].add(isAddable ? figureOf(disposal[name]) : null);
  }

  all(): DisposalTotal[] {
    return [...this.#totals].map(([baseCurrency, total]) => ({ baseCurrency, ...total }));
  }
}
