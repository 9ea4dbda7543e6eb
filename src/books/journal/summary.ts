import type { Exact } from '../../core/decimal.ts';
import type { Disposal } from '../disposals.ts';
import { LegFaults } from '../faults.ts';
import {
  type AccountRole,
  addTo,
  type Commodity,
  type JournalProblem,
  POSTED_PLACES,
  type PostedPlace,
  type Posting,
  REASONS,
  type Reason,
} from './entry.ts';
import { plainAmount } from './post.ts';

/** Maximum number of ids to keep for each reason. Also the maximum number of transactions to list. */
const MOST_IDS = 20;
/** Maximum number of account names to keep. */
const MOST_ACCOUNTS = 1000;

/** The accounts whose balances are reported, because the user must check these balances. */
export const REPORTED = [
  'suspense',
  'transfer',
  'trade',
  'clearing',
] as const satisfies readonly AccountRole[];
type Reported = (typeof REPORTED)[number];

export type JournalSums = Readonly<Record<string, string>>;

/** A wallet and asset whose balance at the start of the period is unknown. */
interface UnknownOpening {
  readonly symbol: string;
  readonly wallet: string;
}

/** A wallet and asset whose closing balance in the journal differs from the closing balance in the books. */
interface Differing extends UnknownOpening {
  readonly difference: string;
}

/** A transaction with legs outside the period, and the amounts that it leaves on the account `clearing`. */
interface OpenTransaction {
  readonly id: string;
  readonly holds: JournalSums;
}

/** The kind of legs that have a profit. The account `gain` contains the profits of disposals and of fiat. */
type ProfitOf = 'disposals' | 'fiat' | 'transfers';
const PROFIT_OF: Readonly<Partial<Record<Disposal['kind'], ProfitOf>>> = {
  ...{ disposal: 'disposals', fiat: 'fiat', transfer: 'transfers' },
};

/** Collects the counts, sums and notes that are reported with a journal. */
export class JournalSummary {
  legs = 0;
  readonly faults = new LegFaults();
  /** Number of entries in the journal files. */
  entries = 0;
  /** Number of posting lines in the journal files. */
  lines = 0;
  openTransactions = 0;
  /** Number of opening balances, including the unknown ones. */
  openings = 0;
  readonly unknownOpenings: UnknownOpening[] = [];
  readonly differing: Differing[] = [];
  /** Number of known opening balances that have no closing balance to compare with the books. */
  uncompared = 0;
  /** Number of legs on the transfer account. */
  transfers = 0;
  /** Number of posted legs that name a second wallet, without evidence that this wallet is an own wallet. */
  toOthers = 0;
  /** The profits of posted legs that are not incoming, by kind of leg and by currency. */
  readonly #profits: Readonly<Record<ProfitOf, Map<string, Exact>>> = {
    ...{ disposals: new Map(), fiat: new Map(), transfers: new Map() },
  };
  readonly #open: OpenTransaction[] = [];
  readonly #places = new Map<PostedPlace, number>();
  readonly #reasons = new Map<Reason, { legs: number; first: string[] }>();
  readonly #held = new Map<Reported, Map<string, Exact>>();
  readonly #currencies = new Set<string>();
  /** Net quantities of the legs on the transfer account, by asset. */
  readonly #transfers = new Map<string, { symbol: string; quantity: Exact }>();
  readonly #roundings = new Map<string, { sum: Exact; entries: number }>();
  readonly #vanished = new Map<string, { sum: Exact; entries: number }>();
  readonly #defaults = new Set<string>();
  /** The lines of each account code from the service that the template does not map. */
  readonly #unmapped = new Map<string, { lines: number; sums: Map<string, Exact> }>();
  /** See {@link JournalNames}. */
  readonly names = { named: new Set<string>(), replaced: new Set<string>() };
  readonly #notes = new Set<string>();

  problem({ legId, reasons, place }: JournalProblem): void {
    this.#places.set(place, this.legsIn(place) + 1);
    for (const reason of reasons) {
      const found = this.#reasons.get(reason) ?? { legs: 0, first: [] };
      found.legs += 1;
      if (found.first.length < MOST_IDS) found.first.push(legId);
      this.#reasons.set(reason, found);
    }
  }

  /** Number of incomplete legs in the given place. */
  legsIn(place: PostedPlace): number {
    return this.#places.get(place) ?? 0;
  }

  get problemLegs(): number {
    return [...this.#places.values()].reduce((sum, legs) => sum + legs, 0);
  }

  /** The places of incomplete legs, each with its number of legs. */
  get places(): readonly string[] {
    return (Object.keys(POSTED_PLACES) as PostedPlace[]).flatMap((place) =>
      this.legsIn(place) === 0 ? [] : `${this.legsIn(place)} ${POSTED_PLACES[place]}`,
    );
  }

  /** Counts an opening balance. For an unknown balance, receives the names of its asset and wallet. */
  opened(unknown: UnknownOpening | undefined): void {
    this.openings += 1;
    if (unknown) this.unknownOpenings.push(unknown);
  }

  /** Adds a line of a journal file. */
  line({ kind, account, amount }: Pick<Posting, 'kind' | 'account' | 'amount'>, unit: string): void {
    this.lines += 1;
    const { origin, segments, unmapped, entries, replaced } = account;
    for (const entry of entries) this.names.named.add(entry);
    for (const entry of replaced) this.names.replaced.add(entry);
    if (kind === 'value') this.#currencies.add(unit);
    if (origin === 'default' && this.#defaults.size < MOST_ACCOUNTS) this.#defaults.add(segments.join(':'));
    if (unmapped !== undefined) {
      const found = this.#unmapped.get(unmapped) ?? { lines: 0, sums: new Map<string, Exact>() };
      this.#unmapped.set(unmapped, found);
      found.lines += 1;
      addTo(found.sums, unit, amount);
    }
    const role = REPORTED.find((one) => one === account.role);
    if (role === undefined) return;
    const held = this.#held.get(role) ?? new Map<string, Exact>();
    this.#held.set(role, held);
    addTo(held, unit, amount);
  }

  /** The balances of an account after all lines of the journal, by commodity. Currencies of values come first. */
  held(role: Reported): JournalSums {
    const isValue = (unit: string) => Number(this.#currencies.has(unit));
    const held = [...(this.#held.get(role) ?? [])];
    return sumsOf(held.sort(([left], [right]) => isValue(right) - isValue(left)));
  }

  open(id: string, amounts: readonly { readonly currency: Commodity; readonly amount: Exact }[]): void {
    const sums = new Map<string, Exact>();
    for (const { currency, amount } of amounts) addTo(sums, currency.symbol, amount);
    const holds = sumsOf(sums);
    if (Object.keys(holds).length === 0) return;
    this.openTransactions += 1;
    if (this.#open.length < MOST_IDS) this.#open.push({ id, holds });
  }

  get firstOpen(): readonly OpenTransaction[] {
    return this.#open;
  }

  /** Compares the closing balance of the journal with the closing balance of the books. */
  closed(names: UnknownOpening, difference: Exact | null): void {
    if (difference === null) this.uncompared += 1;
    else if (!difference.isZero()) this.differing.push({ ...names, difference: plainAmount(difference) });
  }

  transferred({ key, symbol }: Commodity, change: Exact): void {
    this.transfers += 1;
    const quantity = this.#transfers.get(key)?.quantity.plus(change) ?? change;
    this.#transfers.set(key, { symbol, quantity });
  }

  profited(kind: Disposal['kind'], currency: string, profit: Exact): void {
    const of = PROFIT_OF[kind];
    if (of) addTo(this.#profits[of], currency, profit);
  }

  get profits(): Readonly<Record<ProfitOf, JournalSums>> {
    const { disposals, fiat, transfers } = this.#profits;
    return { disposals: sumsOf(disposals), fiat: sumsOf(fiat), transfers: sumsOf(transfers) };
  }

  /** Sentences that reconcile the account `gain` with the realised profit in reports, which is the profit of the disposals. */
  get profitNotes(): readonly string[] {
    const { disposals, fiat, transfers } = this.profits;
    const shown = (sums: JournalSums) =>
      Object.entries(sums)
        .map(([currency, sum]) => `${sum} ${currency}`)
        .join(' and ') || '0';
    const isNone = (sums: JournalSums) => Object.keys(sums).length === 0;
    return [
      ...(isNone(fiat)
        ? []
        : [
            `The account for realised gains includes the profit on fiat: disposals ${shown(disposals)}, fiat ${shown(fiat)}`,
          ]),
      ...(isNone(transfers)
        ? []
        : [
            `The account for realised gains does not include the profit that the service reports for transfers between own wallets: ${shown(transfers)}. This profit is posted to the same account as the proceeds`,
          ]),
    ];
  }

  /** The net quantities of transfers that do not add up to zero, for example `-2 ETH`. */
  get netTransfers(): readonly string[] {
    return [...this.#transfers.values()].flatMap(({ symbol, quantity }) =>
      quantity.isZero() ? [] : `${plainAmount(quantity)} ${symbol}`,
    );
  }

  /** Records the amount that an entry posts to the rounding account. */
  rounded(currency: string, amount: Exact): void {
    count(this.#roundings, currency, amount);
  }

  /** Records an entry whose amounts all become zero after rounding. */
  vanished(currency: string, debits: Exact): void {
    count(this.#vanished, currency, debits);
  }

  /** Adds a sentence for the user. A repeated sentence is reported only once. */
  note(text: string): void {
    this.#notes.add(text);
  }

  get defaultAccounts(): readonly string[] {
    return [...this.#defaults].sort();
  }

  /** The account codes from the service that the template does not map. The code with the most lines comes first. */
  get unmappedCodes(): readonly {
    readonly code: string;
    readonly lines: number;
    /** The sum of the lines, by currency. Debits are positive. */
    readonly amounts: JournalSums;
  }[] {
    return [...this.#unmapped]
      .map(([code, { lines, sums }]) => ({ code, lines, amounts: textsOf(sums) }))
      .sort((left, right) => right.lines - left.lines || (left.code < right.code ? -1 : 1));
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

  /** Sums of the amounts in the rounding account, by currency. */
  get roundings(): Counted {
    return countedIn(this.#roundings);
  }

  /** Sums of the debits of entries that are not in the files, by currency. */
  get below(): Counted {
    return countedIn(this.#vanished);
  }
}

type Counted = Readonly<Record<string, { readonly sum: string; readonly entries: number }>>;
type Counts = Map<string, { sum: Exact; entries: number }>;

function count(counts: Counts, key: string, amount: Exact): void {
  const { sum, entries } = counts.get(key) ?? { sum: amount.minus(amount), entries: 0 };
  counts.set(key, { sum: sum.plus(amount), entries: entries + 1 });
}

function countedIn(counts: Counts): Counted {
  return Object.fromEntries(
    [...counts].map(([key, { sum, entries }]) => [key, { sum: plainAmount(sum), entries }]),
  );
}

function sumsOf(sums: Iterable<readonly [string, Exact]>): JournalSums {
  return textsOf([...sums].filter(([, sum]) => !sum.isZero()));
}

function textsOf(sums: Iterable<readonly [string, Exact]>): JournalSums {
  return Object.fromEntries([...sums].map(([key, sum]) => [key, plainAmount(sum)]));
}
