import { plural } from '../../core/text.ts';
import { type JournalEntry, joinAccounts, type Posting, type Reason } from './entry.ts';

export const ROLL_UPS = ['day', 'month'] as const;
export type RollUpBy = (typeof ROLL_UPS)[number];

/**
 * Adds up the entries of one day or month by account and commodity. Values and quantities are added up separately. Memory grows
 * with the number of accounts in a period.
 */
export class RollUp {
  readonly #length: number;
  readonly #sums = new Map<string, Posting>();
  readonly #reasons = new Set<Reason>();
  #period = '';
  #date = '';
  #entries = 0;
  #legs = 0;

  constructor(by: RollUpBy) {
    this.#length = by === 'day' ? 'YYYY-MM-DD'.length : 'YYYY-MM'.length;
  }

  /** Adds an entry. If the entry is the first of a new period, returns the combined entry of the previous period. */
  add(entry: JournalEntry): JournalEntry | undefined {
    const period = entry.date.slice(0, this.#length);
    const ended = period === this.#period ? undefined : this.finish();
    this.#period = period;
    if (entry.date > this.#date) this.#date = entry.date;
    this.#entries += 1;
    this.#legs += entry.legs;
    for (const reason of entry.reasons) this.#reasons.add(reason);
    for (const posting of entry.postings) {
      const { kind, commodity } = posting;
      const key = JSON.stringify([kind, posting.account.segments, commodity.key]);
      const known = this.#sums.get(key);
      const account = known ? joinAccounts(known.account, posting.account) : posting.account;
      const amount = known?.amount.plus(posting.amount) ?? posting.amount;
      this.#sums.set(key, { kind, account, commodity, amount, legs: [], facts: {} });
    }
    return ended;
  }

  finish(): JournalEntry | undefined {
    if (this.#entries === 0) return undefined;
    const entries = plural(this.#entries, 'entry', 'entries');
    const entry: JournalEntry = {
      // Use the last day that has a leg, because the last day of the month may be after the end of the exported period.
      date: this.#date,
      id: this.#period,
      isPart: false,
      description: `${entries} of ${this.#period}`,
      postings: [...this.#sums].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, sum]) => sum),
      legs: this.#legs,
      reasons: [...this.#reasons].sort(),
    };
    this.#sums.clear();
    this.#reasons.clear();
    [this.#period, this.#date, this.#entries, this.#legs] = ['', '', 0, 0];
    return entry;
  }
}
