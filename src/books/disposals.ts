import { accountingFields } from '../api/ledgers.ts';
import { Amount } from './amount.ts';
import type { Pair } from './asset.ts';
import { isZero } from './figure.ts';
import type { Leg } from './leg.ts';

export const DISPOSAL_KINDS = ['disposal', 'fiat', 'transfer', 'unknown'] as const;
/** All kinds of legs that may have a profit. */
const PROFIT_KINDS = [...DISPOSAL_KINDS, 'incoming'] as const;

/** A leg that may be a disposal. The values of the service are decimal strings; null if unknown. */
export interface Disposal extends Pair {
  readonly kind: (typeof DISPOSAL_KINDS)[number];
  /** Unix milliseconds. */
  readonly timestamp: number | null;
  readonly type: string;
  readonly quantity: string | null;
  readonly proceeds: string | null;
  readonly costbasis: string | null;
  readonly profit: string | null;
  /** Whether the profit differs from the proceeds minus the cost basis; null if a value is unknown. */
  readonly mismatch: boolean | null;
  readonly baseCurrency: string | null;
  readonly label: string | null;
  readonly ledgerId: string;
  readonly transactionId: string;
}

/**
 * Returns a leg as a disposal; undefined for an incoming leg.
 *
 * @param isOwn whether a wallet belongs to these books
 */
export function disposalOf(leg: Leg, isOwn: (walletId: string) => boolean): Disposal | undefined {
  if (leg.sign === 1) return undefined;
  const ties = leg.hasRightProfit;
  return {
    ...leg.pair,
    kind: disposalKind(leg, isOwn),
    timestamp: leg.time ?? null,
    type: leg.type,
    quantity: leg.decimal('quantity'),
    proceeds: leg.decimal('proceeds'),
    costbasis: leg.decimal('costbasis'),
    profit: leg.decimal('profit'),
    mismatch: ties === null ? null : !ties,
    baseCurrency: leg.currency,
    label: leg.served('label'),
    ledgerId: leg.id,
    transactionId: leg.transactionId,
  };
}

/** Returns the kind of a leg that is not incoming. If the direction of the leg is unknown, its kind is unknown too. */
export function disposalKind(leg: Leg, isOwn: (walletId: string) => boolean): Disposal['kind'] {
  if (leg.sign === null) return 'unknown';
  if (leg.isFiat) return 'fiat';
  return leg.otherWallet !== undefined && isOwn(leg.otherWallet) ? 'transfer' : 'disposal';
}

/** The own wallets, as far as they are known. */
interface OwnWallets {
  isOwn(walletId: string): boolean;
  /** Whether the connected accounts are known. If false, only the wallets with legs are known. */
  readonly areAllKnown: boolean;
}

/** Counts processed disposals whose cost basis is missing or zero. All proceeds of such a disposal become profit. */
export class CostlessDisposals {
  /**
   * The number of disposals for each other wallet that legs name. The own wallets are known only after all legs are read.
   */
  readonly #counts = new Map<string | undefined, number>();

  add(leg: Leg): void {
    if (leg.sign === 1 || !lacksCost(leg) || disposalKind(leg, () => false) !== 'disposal') return;
    this.#counts.set(leg.otherWallet, (this.#counts.get(leg.otherWallet) ?? 0) + 1);
  }

  /**
   * Counts the disposals. While some own wallets are unknown, a leg that names an unknown wallet may be a transfer. Such legs
   * are counted as `unclear`.
   */
  count({ isOwn, areAllKnown }: OwnWallets): { readonly disposals: number; readonly unclear: number } {
    let [disposals, unclear] = [0, 0];
    for (const [other, number] of this.#counts) {
      if (other !== undefined && isOwn(other)) continue;
      if (other === undefined || areAllKnown) disposals += number;
      else unclear += number;
    }
    return { disposals, unclear };
  }
}

/**
 * Whether the cost basis is zero or missing. A missing cost basis does not count if proceeds and profit are also missing,
 * because tax processing may not have run.
 */
function lacksCost(leg: Leg): boolean {
  const costbasis = leg.value('costbasis');
  if (isZero(costbasis)) return true;
  return (costbasis === null || costbasis === '') && isProcessed(leg);
}

/**
 * The profits that the service reports for legs in one currency, by kind of leg. Only the profit of disposals is realised
 * profit.
 */
export interface KindProfits {
  readonly baseCurrency: string | null;
  readonly kinds: Readonly<Record<ProfitKind, Amount>>;
  /** Whether a leg that is not a disposal has a profit other than 0. */
  hasOther: boolean;
}

type ProfitKind = (typeof PROFIT_KINDS)[number];

/** Divides the profits of all legs by kind, so that their sum can be reconciled with the sum of the disposals. */
export class Profits {
  readonly #isOwn: (walletId: string) => boolean;
  readonly #currencies = new Map<string | null, KindProfits>();
  /** Number of disposals that name another wallet. If that wallet also belongs to these books, these legs are transfers. */
  toOthers = 0;

  /** @param isOwn whether a wallet belongs to these books */
  constructor(isOwn: (walletId: string) => boolean) {
    this.#isOwn = isOwn;
  }

  add(leg: Leg): void {
    const baseCurrency = leg.currency;
    let own = this.#currencies.get(baseCurrency);
    if (!own) {
      const amounts = PROFIT_KINDS.map((kind) => [kind, new Amount()] as const);
      own = {
        baseCurrency,
        kinds: Object.fromEntries(amounts) as KindProfits['kinds'],
        hasOther: false,
      };
      this.#currencies.set(baseCurrency, own);
    }
    const kind = leg.sign === 1 ? 'incoming' : disposalKind(leg, this.#isOwn);
    const profit = leg.money('profit');
    own.kinds[kind].add(profit);
    if (kind === 'disposal' && leg.otherWallet !== undefined) this.toOthers += 1;
    if (kind !== 'disposal' && profit?.isZero() === false) own.hasOther = true;
  }

  all(): KindProfits[] {
    return [...this.#currencies.values()];
  }
}

/**
 * Reconciles the profit of the disposals with the profit of all legs. Returns undefined if only disposals have a profit.
 * `parts` contains the disposals and every other kind that has legs, so that the parts add up to `all`.
 */
export function reconciled({ kinds, hasOther }: KindProfits) {
  if (!hasOther) return undefined;
  const parts = PROFIT_KINDS.map((kind) => ({ kind, profit: kinds[kind] })).filter(
    ({ kind, profit: { known, unknown } }) => kind === 'disposal' || known + unknown > 0,
  );
  const all = new Amount();
  for (const { profit } of parts) all.merge(profit);
  return { parts, all };
}

/** Whether cost basis, proceeds or profit is known. If all three are unknown, tax processing may not have run. */
export function isProcessed(leg: Leg): boolean {
  return accountingFields.some((name) => leg.has(name));
}

/** Some of the disposals, and their profit. */
interface Part {
  legs: number;
  readonly profit: Amount;
}

/** The sums of the disposals in one currency. */
export interface DisposalTotal {
  readonly baseCurrency: string | null;
  disposals: number;
  readonly figures: Readonly<Record<(typeof accountingFields)[number], Amount>>;
  /** The disposals with a cost basis of zero. Without proceeds, such a disposal can hide a loss. */
  readonly costless: Part;
  /** The outgoing legs without a label, or with a label that fits a transfer. Such legs may be one side of a transfer. */
  readonly uncategorised: Part;
}

/** Adds up disposals exactly, separately for each currency. */
export class DisposalTotals {
  readonly #totals = new Map<string | null, DisposalTotal>();

  add(leg: Leg): void {
    const { currency } = leg;
    let total = this.#totals.get(currency);
    if (!total) {
      total = {
        ...{ baseCurrency: currency, disposals: 0, costless: newPart(), uncategorised: newPart() },
        figures: { costbasis: new Amount(), proceeds: new Amount(), profit: new Amount() },
      };
      this.#totals.set(currency, total);
    }
    total.disposals += 1;
    for (const name of accountingFields) total.figures[name].add(leg.money(name));
    if (isZero(leg.decimal('costbasis'))) addTo(total.costless, leg);
    if (leg.direction === 'outgoing' && leg.isUncategorised) addTo(total.uncategorised, leg);
  }

  all(): DisposalTotal[] {
    return [...this.#totals.values()];
  }
}

function newPart(): Part {
  return { legs: 0, profit: new Amount() };
}

function addTo(part: Part, leg: Leg): void {
  part.legs += 1;
  part.profit.add(leg.money('profit'));
}
