import { exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { Leg } from '../leg.ts';
import { NO_VALUES } from './chart.ts';
import type { Commodity, Item, JournalAccount, JournalEntry, PostedPlace, Posting, Reason } from './entry.ts';
import { factsOf, fitAmount, type LegFacts } from './facts.ts';
import type { OpeningBalance } from './opening.ts';
import {
  kindOf,
  type PostedLeg,
  type PostOptions,
  postLeg,
  settleClearing,
  type TransactionFacts,
} from './post.ts';
import { RollUp, type RollUpBy } from './roll-up.ts';
import { JournalSummary } from './summary.ts';

export interface JournalOptions extends Omit<PostOptions, 'unitOf'> {
  /** Returns the day in the time zone of the journal, for example `2025-03-31`. The time is in Unix milliseconds. */
  readonly dayOf: (time: number) => string;
  readonly rollUp?: RollUpBy | undefined;
  /** Ids of the wallets that have an account. The wallets of all legs also count as own wallets. */
  readonly wallets?: Iterable<string>;
  /** The balances at the start of the period. Undefined if the journal contains no opening balances. */
  readonly opening?: { readonly at: number; readonly balances: readonly OpeningBalance[] } | undefined;
  /** Whether the files contain values, but no quantities. */
  readonly valuesOnly?: boolean;
}

/** A leg, with the key by which the legs are sorted into transactions. */
export interface SortedLeg {
  /** Legs with the same key are one transaction. */
  readonly key: string;
  readonly time: number | null;
  readonly id: string;
  readonly leg: JsonRecord;
  /** Whether the leg is outside the period of the journal. */
  readonly isOutside: boolean;
}

/** The legs of a transaction on one day. */
export interface TransactionPart extends TransactionFacts {
  readonly key: string;
  /** Time of the first leg. */
  readonly time: number | null;
  /** The day of the legs; empty if the legs have no usable time. */
  readonly day: string;
  readonly legs: readonly JsonRecord[];
  /** The legs of the transaction that are not in this part. Set only in the last part of a split transaction. */
  readonly others?: readonly JsonRecord[];
}

/** The first day that hledger, ledger and beancount all accept. */
const FIRST_DAY = '1400-01-01';

/**
 * Builds the entries of a journal, whatever the output format. The legs of a transaction may have different times, so all legs
 * must be known first. Call {@link sorted} for each leg, {@link parts} for each transaction, and {@link items} for each part in
 * order of time. Then call {@link finish}. Memory grows with the legs of the largest transaction. If entries are rolled up,
 * memory also grows with the number of accounts in a period.
 */
export class Journal {
  readonly summary = new JournalSummary();
  readonly #options: JournalOptions;
  readonly #rollUp: RollUp | undefined;
  readonly #wallets: Set<string>;
  /**
   * The currency code of each asset id, if the first leg of the asset is fiat money. Another asset with the same symbol is a
   * separate commodity.
   */
  readonly #codes = new Map<string, string | undefined>();
  /** Number of legs without a transaction id. Gives each of these legs a different key, also if two legs are equal. */
  #alone = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#rollUp = options.rollUp && new RollUp(options.rollUp);
    this.#wallets = new Set(options.wallets);
  }

  sorted(record: JsonRecord, isOutside = false): SortedLeg {
    const leg = new Leg(record);
    const { id, walletId, transaction, time = null } = leg;
    if (!isOutside) {
      this.summary.legs += 1;
      this.summary.faults.add(leg);
    }
    if (walletId !== '') this.#wallets.add(walletId);
    const key = typeof transaction === 'string' ? transaction : `leg:${leg.key}:${this.#alone++}`;
    return { key, time, id, leg: record, isOutside };
  }

  /** Divides a transaction into parts: one part for each day on which it has legs in the journal. */
  parts(sorted: readonly SortedLeg[]): TransactionPart[] {
    const [first] = sorted;
    const days = new Map<string, SortedLeg[]>();
    const outside: SortedLeg[] = [];
    for (const one of sorted) {
      const day = this.#dateOf(one.time);
      const legs = one.isOutside ? outside : (days.get(day) ?? []);
      legs.push(one);
      if (!one.isOutside) days.set(day, legs);
    }
    if (first === undefined || days.size === 0) return [];
    const facts = sorted.length === 1 ? [] : sorted.map(({ leg }) => this.#factsOf(leg));
    const kind = kindOf(facts);
    const isSplit = days.size - Number(days.has('')) + Number(outside.length > 0) > 1;
    const isBlocked =
      kind !== 'single' &&
      (days.has('') || facts.some(({ type, reasons }) => type !== 'fee' && reasons.length > 0));
    const transaction = { kind, isBlocked, isSplit };
    const last = sorted.findLast(({ time }) => this.#dateOf(time) !== '');
    const parts = [...days].map(([day, legs]): TransactionPart => {
      const isLast = isSplit && last !== undefined && legs.includes(last);
      const records = legs.map(({ leg }) => leg);
      const others = isLast
        ? { others: sorted.filter((one) => !legs.includes(one)).map(({ leg }) => leg) }
        : {};
      return { key: first.key, time: legs[0]?.time ?? null, day, ...transaction, legs: records, ...others };
    });
    if (isSplit && outside.length > 0) this.#listOpen(parts);
    return parts;
  }

  /** Returns the entry with the opening balances. In files, this entry comes first. */
  opening(): Item[] {
    const { opening, chart, walletName } = this.#options;
    if (opening === undefined) return [];
    const postings: Posting[] = [];
    for (const { walletId, asset, balance, difference } of opening.balances) {
      const amount = fitAmount(exact(balance));
      const wallet = walletId === '' ? '' : walletName(walletId);
      const symbol = asset?.symbol ?? '';
      const isNothing = amount?.isZero() === true;
      const isKnown = isNothing || (amount !== null && asset !== null);
      this.summary.opened(isKnown ? undefined : { symbol, wallet });
      if (isKnown) this.summary.closed({ symbol, wallet }, exact(difference));
      if (isNothing || amount === null || asset === null) continue;
      const values = { ...NO_VALUES, wallet, walletId, symbol, assetId: asset.assetId ?? '' };
      const line = { kind: 'quantity', commodity: this.#unitOf(asset), legs: [], facts: {} } as const;
      postings.push({ ...line, account: chart.account('holdings', values), amount });
      postings.push({ ...line, account: chart.account('opening', values), amount: amount.negated() });
    }
    if (postings.length === 0) return [];
    const date = this.#dateOf(opening.at) || FIRST_DAY;
    const entry = { date, id: 'opening', isPart: false, description: 'Opening balances', postings };
    return [{ entry: { ...entry, legs: 0, reasons: [] } }];
  }

  /** Lists a transaction that leaves a value on the account `clearing`, because some of its legs are outside the period. */
  #listOpen(parts: readonly TransactionPart[]): void {
    const open = parts.flatMap((part) => {
      const { legs, others } = this.#post(part);
      const settled = others
        ? settleClearing(
            [...legs, ...others].map(({ posted }) => posted),
            this.#options.chart,
          )
        : [];
      return [
        ...legs.flatMap(({ posted: { cleared } }) => cleared ?? []),
        ...settled.flatMap(({ account, commodity, amount }) =>
          account.role === 'clearing' ? { currency: commodity, amount } : [],
        ),
      ];
    });
    const [part] = parts;
    const leg = part?.legs[0];
    if (leg === undefined) return;
    const { transactionId, id } = new Leg(leg);
    this.summary.open(transactionId || id, open);
  }

  #post(part: TransactionPart) {
    const options = { ...this.#options, unitOf: this.#unitOf };
    const post = (record: JsonRecord) => {
      const leg = this.#factsOf(record);
      return { leg, posted: postLeg(leg, part, options) };
    };
    return { legs: part.legs.map(post), others: part.others?.map(post) };
  }

  /** Returns the entry of a part, if the part has an entry, and the incomplete legs of the part. */
  items(part: TransactionPart): Item[] {
    const { day: date, isSplit } = part;
    const { legs, others } = this.#post(part);
    const [first] = legs;
    if (first === undefined) return [];
    const items: Item[] = [];
    const all = new Set<Reason>();
    const postings = legs.flatMap(({ leg, posted }) => {
      const reasons: readonly Reason[] = date === '' ? ['no-date', ...posted.reasons] : posted.reasons;
      const isPosted = date !== '' && posted.postings.length > 0;
      if (reasons.length > 0) {
        const { id: legId, transactionId, summary } = leg;
        const place = date === '' ? 'none' : this.#placeOf(posted);
        const problem = { legId, transactionId, date, reasons, place, leg: summary };
        this.summary.problem(problem);
        items.push({ problem });
      }
      if (!isPosted) return [];
      for (const reason of reasons) all.add(reason);
      if (leg.namesOther) this.summary.toOthers += 1;
      if (leg.type !== 'incoming' && leg.currency && leg.profit) {
        this.summary.profited(leg.kind, leg.currency.symbol, leg.profit);
      }
      return posted.postings;
    });
    // For a split transaction, the transfers are counted in the last part.
    const joined = date === '' || (isSplit && !others) ? [] : [...legs, ...(others ?? [])];
    for (const { leg, posted } of joined) {
      if (!posted.isJoined || leg.asset === null || leg.quantity === null) continue;
      if (!leg.isTransfer && part.kind !== 'transfer') continue;
      this.summary.transferred(leg.asset, leg.type === 'incoming' ? leg.quantity : leg.quantity.negated());
    }
    if (others) {
      const posted = [...legs, ...others].map((one) => one.posted);
      postings.push(...settleClearing(posted, this.#options.chart));
    }
    if (postings.length === 0) return items;
    const entry = {
      ...{ date, id: first.leg.transactionId || first.leg.id, isPart: isSplit },
      ...{
        description: describe(legs.map(({ leg }) => leg)),
        postings,
        legs: legs.length,
        reasons: [...all],
      },
    };
    return [...items, ...this.#entries(this.#rollUp ? this.#rollUp.add(entry) : entry)];
  }

  finish(): readonly Item[] {
    return this.#entries(this.#rollUp?.finish());
  }

  roundingAccount(currency: string): JournalAccount {
    return this.#options.chart.account('rounding', { ...NO_VALUES, currency });
  }

  #placeOf({ postings }: PostedLeg): PostedPlace {
    const written = postings.filter(({ kind }) => kind === 'value' || !this.#options.valuesOnly);
    if (written.length === 0) return 'none';
    return written.some(({ account }) => account.role === 'suspense') ? 'suspense' : 'posted';
  }

  #entries(entry: JournalEntry | undefined): Item[] {
    return entry === undefined ? [] : [{ entry }];
  }

  #factsOf(record: JsonRecord): LegFacts {
    const isOwn = (walletId: string) => this.#wallets.has(walletId);
    return factsOf(new Leg(record), { usesCodes: this.#options.chart.usesCodes, isOwn });
  }

  #dateOf(time: number | null): string {
    const day = time === null ? '' : this.#options.dayOf(time);
    return /^\d{4}-\d\d-\d\d$/.test(day) && day >= FIRST_DAY ? day : '';
  }

  readonly #unitOf = (asset: Commodity): Commodity => {
    const { fiat, assetId } = asset;
    if (assetId === null) return asset;
    if (!this.#codes.has(assetId)) {
      const isFree = fiat !== undefined && ![...this.#codes.values()].includes(fiat);
      this.#codes.set(assetId, isFree ? fiat : undefined);
    }
    const code = this.#codes.get(assetId);
    return code === undefined ? asset : { ...asset, key: `currency:${code}` };
  };
}

/** Describes a transaction in one line, by its labels and descriptions. If there are none, by the types of its legs. */
function describe(legs: readonly LegFacts[]): string {
  // Ignore a text such as `-`, which contains no information.
  const words = [...legs.map(({ label }) => label), ...legs.map(({ description }) => description)]
    .map((text) => text.replace(/\s+/g, ' '))
    .filter((text) => /[\p{L}\p{N}\p{S}]/u.test(text));
  const types = legs.map(({ type }) => type ?? 'unknown type');
  return [...new Set(words.length > 0 ? words : types)].join(', ');
}
