import { type Exact, ZERO } from '../../core/decimal.ts';
import { type JournalAccount, type JournalEntry, joinAccounts, type Moved } from './entry.ts';
import { minorUnits } from './minor-units.ts';
import { plainAmount } from './post.ts';

/** A line in one currency, rounded to the currency's minor unit. */
interface RoundedLine {
  readonly account: JournalAccount;
  /** Debits are positive. The amount is never zero. */
  readonly amount: Exact;
  /** The quantities whose values are included in `amount`, for example `1.5 ETH`. */
  readonly quantities: readonly string[];
}

/** The values of an entry in one currency. Each line is the rounded sum for one account. The lines add up to zero. */
export interface RoundedEntry {
  readonly currency: string;
  /** The rounded lines; empty if every amount is zero after rounding. */
  readonly lines: readonly RoundedLine[];
  /** The amount for the rounding account, which can be zero. */
  readonly rounding: Exact;
  /** The sum of the debits before rounding; zero if the amounts cancel out. */
  readonly debits: Exact;
}

interface Sum {
  account: JournalAccount;
  amount: Exact;
  /** The quantities in the sum. A leg with several postings to the account counts once. */
  readonly moved: Set<Moved>;
}

/** Rounds the values of an entry to minor units. The rounding account receives the difference. */
export function roundEntry(
  entry: Pick<JournalEntry, 'postings'>,
  roundingAccount: (currency: string) => JournalAccount,
): RoundedEntry[] {
  const currencies = new Map<string, Map<string, Sum>>();
  for (const { kind, account, commodity, amount, moved } of entry.postings) {
    if (kind !== 'value') continue;
    const accounts = currencies.get(commodity.symbol) ?? new Map<string, Sum>();
    currencies.set(commodity.symbol, accounts);
    const key = JSON.stringify(account.segments);
    const sum = accounts.get(key) ?? { account, amount: ZERO, moved: new Set() };
    accounts.set(key, sum);
    sum.account = joinAccounts(sum.account, account);
    sum.amount = sum.amount.plus(amount);
    if (moved) sum.moved.add(moved);
  }
  return [...currencies].map(([currency, accounts]) => {
    const sums = [...accounts.values()];
    const lines = sums
      .map(({ account, amount, moved }) => ({
        account,
        amount: amount.toDecimalPlaces(minorUnits(currency)),
        quantities: quantitiesOf(moved),
      }))
      .filter(({ amount }) => !amount.isZero());
    const rounding = lines.reduce((sum, { amount }) => sum.minus(amount), ZERO);
    const debits = sums.reduce((sum, { amount }) => (amount.isPositive() ? sum.plus(amount) : sum), ZERO);
    const residue = { account: roundingAccount(currency), amount: rounding, quantities: [] };
    return { currency, lines: rounding.isZero() ? lines : [...lines, residue], rounding, debits };
  });
}

/** Adds up the quantities of each asset. Incoming legs are added up separately from outgoing legs and fees. */
function quantitiesOf(moved: ReadonlySet<Moved>): string[] {
  const sums = new Map<string, Moved>();
  for (const one of moved) {
    const key = `${one.isIncoming} ${one.asset.key}`;
    sums.set(key, { ...one, quantity: sums.get(key)?.quantity.plus(one.quantity) ?? one.quantity });
  }
  const isMixed = new Set([...sums.values()].map(({ isIncoming }) => isIncoming)).size > 1;
  return [...sums.values()].map(({ asset, quantity, isIncoming }) =>
    [plainAmount(quantity), asset.symbol, ...(isMixed ? [isIncoming ? 'in' : 'out'] : [])].join(' '),
  );
}
