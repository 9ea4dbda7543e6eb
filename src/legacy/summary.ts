import { type Exact, exact } from '../core/decimal.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { digitsOf } from './amounts.ts';

const SIDES = [
  ['sentCurrency', 'sent'],
  ['receivedCurrency', 'received'],
  ['fee', 'fee'],
] as const;

export interface Sum {
  readonly side: 'sent' | 'received' | 'fee';
  readonly currency: string;
  /** Exact, without an exponent. */
  readonly total: string;
  readonly count: number;
}

export interface Summary {
  readonly count: number;
  /** How many there are of each type. */
  readonly types: ReadonlyMap<string, number>;
  /** Unix milliseconds. */
  readonly first: number;
  readonly last: number;
  readonly sums: readonly Sum[];
}

/** What a batch of checked transactions comes to. */
export function summarise(transactions: readonly JsonRecord[]): Summary {
  const types = new Map<string, number>();
  const sums = new Map<string, { side: Sum['side']; currency: string; total: Exact; count: number }>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const transaction of transactions) {
    const type = String(transaction['transactionType']);
    types.set(type, (types.get(type) ?? 0) + 1);
    const time = Number(digitsOf(transaction['timestamp']));
    first = Math.min(first, time);
    last = Math.max(last, time);
    for (const [field, side] of SIDES) {
      const money = transaction[field];
      if (!isRecord(money)) continue;
      const amount = exact(digitsOf(money['amount']));
      const currency = String(money['currency']);
      if (amount === null) continue;
      const key = `${side} ${currency}`;
      const sum = sums.get(key) ?? { side, currency, total: amount.mul(0), count: 0 };
      sums.set(key, { ...sum, total: sum.total.plus(amount), count: sum.count + 1 });
    }
  }
  return {
    count: transactions.length,
    types,
    first,
    last,
    sums: SIDES.flatMap(([, side]) =>
      [...sums.values()]
        .filter((sum) => sum.side === side)
        .map((sum) => ({ ...sum, total: sum.total.toFixed() })),
    ),
  };
}
