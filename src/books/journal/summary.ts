import type { Exact } from '../../core/decimal.ts';
import { type Account, addTo, type Problem, REASONS, type Reason } from './entry.ts';
import { plain } from './post.ts';

/** Maximum number of leg ids to keep per reason. */
const MOST_IDS = 20;
/** Maximum number of account names to keep. */
const MOST_ACCOUNTS = 1000;

/** Collects the counts, sums and notes that are reported with a journal. */
export class JournalSummary {
  legs = 0;
  entries = 0;
  /** Number of posting lines in the journal files. */
  lines = 0;
  /** Number of legs without any posting. */
  notPosted = 0;
  problemLegs = 0;
  readonly #reasons = new Map<Reason, { legs: number; first: string[] }>();
  /** Remaining balances of the trade and transfer accounts, by currency. */
  readonly #clearing = new Map<string, Exact>();
  readonly #roundings = new Map<string, { sum: Exact; entries: number }>();
  readonly #defaults = new Set<string>();
  readonly #notes = new Set<string>();

  problem({ legId, reasons, posted }: Problem): void {
    this.problemLegs += 1;
    if (!posted) this.notPosted += 1;
    for (const reason of reasons) {
      const found = this.#reasons.get(reason) ?? { legs: 0, first: [] };
      found.legs += 1;
      if (found.first.length < MOST_IDS) found.first.push(legId);
      this.#reasons.set(reason, found);
    }
  }

  cleared(currency: string, amount: Exact): void {
    addTo(this.#clearing, currency, amount);
  }

  /** Records the amount that an entry posts to the rounding account. */
  rounded(currency: string, amount: Exact): void {
    const found = this.#roundings.get(currency);
    if (found === undefined) this.#roundings.set(currency, { sum: amount, entries: 1 });
    else {
      found.sum = found.sum.plus(amount);
      found.entries += 1;
    }
  }

  /** Stores the name of an account, but only if it is a default name. */
  named({ origin, segments }: Account): void {
    if (origin === 'default' && this.#defaults.size < MOST_ACCOUNTS) this.#defaults.add(segments.join(':'));
  }

  /** Adds a sentence for the user. A repeated sentence is reported only once. */
  note(text: string): void {
    this.#notes.add(text);
  }

  get defaultAccounts(): readonly string[] {
    return [...this.#defaults].sort();
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** The reasons for problems, each with its number of legs. The most frequent reason comes first. */
  get reasons(): readonly {
    readonly reason: Reason;
    readonly means: string;
    readonly legs: number;
    readonly first: readonly string[];
  }[] {
    return [...this.#reasons]
      .map(([reason, { legs, first }]) => ({ reason, means: REASONS[reason], legs, first }))
      .sort((left, right) => right.legs - left.legs || (left.reason < right.reason ? -1 : 1));
  }

  get clearing(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#clearing].map(([currency, sum]) => [currency, plain(sum)]));
  }

  /** Sums of the amounts in the rounding account, by currency. */
  get roundings(): Readonly<Record<string, { readonly sum: string; readonly entries: number }>> {
    return Object.fromEntries(
      [...this.#roundings].map(([currency, { sum, entries }]) => [currency, { sum: plain(sum), entries }]),
    );
  }
}
