import type { Exact } from '../../core/decimal.ts';
import { ZERO } from '../figure.ts';
import type { Account, Entry } from './entry.ts';

const CENTS = 2;

/** A line in one currency, with two decimals. */
export interface RoundedLine {
  readonly account: Account;
  /** Debits are positive. The amount is never zero. */
  readonly amount: Exact;
  /** The quantities whose values are included in `amount`, for example `1.5 ETH`. */
  readonly quantities: readonly string[];
}

/** The values of an entry in one currency. Each line is the rounded sum for one account. The lines add up to zero. */
export interface RoundedEntry {
  readonly currency: string;
  readonly lines: readonly RoundedLine[];
  /** The amount for the rounding account; may be zero. */
  readonly rounding: Exact;
}

/** Rounds the values of an entry to two decimals. The rounding account receives the difference. */
export function roundEntry(
  entry: Pick<Entry, 'postings'>,
  roundingAccount: (currency: string) => Account,
): RoundedEntry[] {
  const currencies = new Map<string, Map<string, RoundedLine>>();
  for (const { kind, account, commodity, amount, facts } of entry.postings) {
    if (kind !== 'value') continue;
    const accounts = currencies.get(commodity.symbol) ?? new Map<string, RoundedLine>();
    currencies.set(commodity.symbol, accounts);
    const key = JSON.stringify(account.segments);
    const { amount: sum = ZERO, quantities = [] } = accounts.get(key) ?? {};
    const { quantity } = facts;
    accounts.set(key, {
      account,
      amount: sum.plus(amount),
      quantities:
        quantity === undefined || quantities.includes(quantity) ? quantities : [...quantities, quantity],
    });
  }
  return [...currencies].map(([currency, accounts]) => {
    const lines = [...accounts.values()]
      .map((line) => ({ ...line, amount: line.amount.toDecimalPlaces(CENTS) }))
      .filter(({ amount }) => !amount.isZero());
    const rounding = lines.reduce((sum, { amount }) => sum.minus(amount), ZERO);
    const residue = { account: roundingAccount(currency), amount: rounding, quantities: [] };
    return { currency, lines: rounding.isZero() ? lines : [...lines, residue], rounding };
  });
}
