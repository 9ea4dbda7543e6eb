import { timeOf } from '../../api/ledgers.ts';
import type { JsonRecord } from '../../core/json.ts';
import { NO_VALUES } from './chart.ts';
import type { Account, Commodity, Entry, Item, Reason } from './entry.ts';
import { factsOf, type LegFacts } from './facts.ts';
import { kindOf, type PostOptions, postLeg } from './post.ts';
import { RollUp, type RollUpBy } from './roll-up.ts';
import { JournalSummary } from './summary.ts';

export interface JournalOptions extends Omit<PostOptions, 'unitOf'> {
  /** Returns the day in the time zone of the journal, for example `2025-03-31`. The time is in Unix milliseconds. */
  readonly dayOf: (time: number) => string;
  readonly rollUp?: RollUpBy | undefined;
}

/** The first day that hledger, ledger and beancount all accept. */
const FIRST_DAY = '1400-01-01';

/**
 * Builds the entries of a journal, independent of the output format. Legs must be added in order of time. All legs of a
 * transaction have the same timestamp, so memory grows with the number of legs per timestamp. If entries are rolled up, memory
 * also grows with the number of accounts in a period.
 */
export class Journal {
  readonly summary = new JournalSummary();
  readonly #options: JournalOptions;
  readonly #rollUp: RollUp | undefined;
  /** The asset id of each currency code. Another asset with the same symbol is a separate commodity. */
  readonly #fiat = new Map<string, string>();
  #moment: LegFacts[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#rollUp = options.rollUp && new RollUp(options.rollUp);
  }

  /** Adds a leg. If its timestamp differs from the previous leg's, returns the entries of the previous timestamp. */
  add(leg: JsonRecord): readonly Item[] {
    const facts = factsOf(leg, this.#options.chart.usesCodes);
    this.summary.legs += 1;
    const ended = this.#moment[0] !== undefined && this.#moment[0].time !== timeOf(leg) ? this.#end() : [];
    this.#moment.push(facts);
    return ended;
  }

  roundingAccount(currency: string): Account {
    return this.#options.chart.account('rounding', { ...NO_VALUES, currency });
  }

  finish(): readonly Item[] {
    return [...this.#end(), ...this.#entries(this.#rollUp?.finish())];
  }

  #end(): Item[] {
    const transactions = new Map<string, LegFacts[]>();
    for (const leg of this.#moment) {
      // A leg without a transaction counts as its own transaction.
      const key = JSON.stringify(leg.transactionId === '' ? [leg.id] : leg.transactionId);
      const legs = transactions.get(key);
      if (legs) legs.push(leg);
      else transactions.set(key, [leg]);
    }
    this.#moment = [];
    return [...transactions]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([, legs]) => this.#transaction(legs));
  }

  #transaction(legs: LegFacts[]): Item[] {
    legs.sort((left, right) => (left.id < right.id ? -1 : 1));
    const [first] = legs;
    if (first === undefined) return [];
    const date = this.#dateOf(first.time);
    const kind = kindOf(legs);
    const options = { ...this.#options, unitOf: this.#unitOf };
    const isBlocked = legs.some(({ type, reasons }) => type !== 'fee' && reasons.length > 0);
    const items: Item[] = [];
    const all = new Set<Reason>();
    const postings = legs.flatMap((leg) => {
      const posted = postLeg(leg, kind, isBlocked, options);
      const reasons: readonly Reason[] = date === '' ? ['no-date', ...posted.reasons] : posted.reasons;
      const isPosted = date !== '' && posted.postings.length > 0;
      if (reasons.length > 0) {
        const { id: legId, transactionId, summary } = leg;
        const problem = { legId, transactionId, date, reasons, posted: isPosted, leg: summary };
        this.summary.problem(problem);
        items.push({ problem });
      }
      if (!isPosted) return [];
      for (const reason of reasons) all.add(reason);
      if (posted.clearing && leg.currency) this.summary.cleared(leg.currency.symbol, posted.clearing);
      return posted.postings;
    });
    if (postings.length === 0) return items;
    const id = first.transactionId || first.id;
    const entry = { date, id, description: describe(legs), postings, legs: legs.length, reasons: [...all] };
    return [...items, ...this.#entries(this.#rollUp ? this.#rollUp.add(entry) : entry)];
  }

  #entries(entry: Entry | undefined): Item[] {
    if (entry === undefined) return [];
    this.summary.entries += 1;
    return [{ entry }];
  }

  #dateOf(time: number | undefined): string {
    const day = time === undefined ? '' : this.#options.dayOf(time);
    return /^\d{4}-\d\d-\d\d$/.test(day) && day >= FIRST_DAY ? day : '';
  }

  readonly #unitOf = (asset: Commodity): Commodity => {
    const { fiat, assetId } = asset;
    if (fiat === undefined || assetId === null) return asset;
    const first = this.#fiat.get(fiat);
    if (first === undefined) this.#fiat.set(fiat, assetId);
    return first === undefined || first === assetId ? { ...asset, key: `currency:${fiat}` } : asset;
  };
}

/** Describes a transaction by its labels and descriptions, or else by the types of its legs. */
function describe(legs: readonly LegFacts[]): string {
  const labels = new Set(legs.map(({ label }) => label).filter((text) => text !== ''));
  const texts = new Set(legs.map(({ description }) => description).filter((text) => text !== ''));
  const types = new Set(legs.map(({ type }) => type ?? 'unknown type'));
  const words = [...labels, ...texts];
  return (words.length > 0 ? words : [...types]).join(', ');
}
