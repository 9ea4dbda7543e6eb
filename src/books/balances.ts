import { ZERO } from '../core/decimal.ts';
import { Amount } from './amount.ts';
import { type AssetName, byAsset, byPair, isNameless, type Pair } from './asset.ts';
import { figureOf } from './figure.ts';
import type { WalkStep } from './step.ts';
import { type Fold, type LegInput, walk } from './walk.ts';

/** The balance of one asset in one wallet, after the last leg. */
export interface Balance extends Pair {
  readonly legs: number;
  /**
   * Decimal string, exactly as the service sent it. Null if the last leg has no running balance, or if the order of the last
   * legs is unknown.
   */
  readonly balance: string | null;
  /** Time of the last leg in Unix milliseconds; null if any leg has no time. */
  readonly lastLegAt: number | null;
  /** The id of the last leg. Null if the id or the order of the last legs is unknown, or if any leg has no time. */
  readonly ledgerId: string | null;
  /** The last known running balance. Equal to `balance` if `balance` is known. */
  readonly lastKnown: string | null;
  readonly lastKnownAt: number | null;
  /** Number of legs at the time of the last leg if the order of these legs is unknown; 0 if the order is known. */
  readonly openLegs: number;
  /** Number of legs without a time. Their place is unknown, so the balance is unknown. */
  readonly untimed: number;
}

/** The balance of one asset in all wallets. */
export interface AssetBalance extends AssetName {
  readonly wallets: number;
  readonly legs: number;
  /** The total balance; null if the balance of any wallet is unknown. */
  readonly balance: string | null;
  /** Sum of the known balances; null for several nameless assets. */
  readonly known: string | null;
  /** Number of wallets with an unknown balance. Null if other wallets of the asset may be missing from the legs. */
  readonly unknownWallets: number | null;
}

/**
 * Returns the final balance for each wallet and asset. Memory grows with the number of wallet/asset pairs.
 *
 * @param legs all legs up to a time, in order of time
 */
export async function balancesAfter(legs: LegInput): Promise<Balance[]> {
  const balances = new Balances();
  await walk(legs, balances);
  return balances.all();
}

/** A balance that changes with each leg. */
type RunningBalance = { -readonly [Name in keyof Balance]: Balance[Name] };

class Balances implements Fold {
  readonly #balances = new Map<string, RunningBalance>();

  step({ leg, pair, isKnown, openLegs }: WalkStep): void {
    let own = this.#balances.get(pair);
    if (!own) {
      own = startingBalance(leg.pair);
      this.#balances.set(pair, own);
    }
    const time = leg.time ?? null;
    own.legs += 1;
    // Several nameless legs of a wallet may belong to different assets, so they have no common balance.
    own.balance = !isKnown || (own.legs > 1 && leg.isNameless) ? null : leg.served('afterBalance');
    own.lastLegAt = time;
    own.ledgerId = openLegs > 0 || time === null ? null : leg.id || null;
    if (own.balance !== null || leg.isNameless) {
      own.lastKnown = own.balance;
      own.lastKnownAt = own.balance === null ? null : time;
    }
    own.openLegs = openLegs;
    if (time === null) own.untimed += 1;
  }

  all(): Balance[] {
    return [...this.#balances.values()].sort(byPair);
  }
}

function startingBalance({ walletId, assetId, symbol }: Pair): RunningBalance {
  return {
    walletId,
    assetId,
    symbol,
    legs: 0,
    balance: null,
    lastLegAt: null,
    ledgerId: null,
    lastKnown: null,
    lastKnownAt: null,
    openLegs: 0,
    untimed: 0,
  };
}

/**
 * Adds up the balances of each asset across all wallets. Nameless assets are never added up.
 *
 * @param hasAll whether the legs contain every wallet of an asset; receives the number of wallets in which the asset has legs
 */
export function balancesByAsset(
  balances: readonly Balance[],
  hasAll: (wallets: number) => boolean = () => true,
): AssetBalance[] {
  return byAsset(balances).map((own) => {
    const [{ assetId, symbol }, ...others] = own;
    const isApart = others.length > 0 && isNameless({ assetId, symbol });
    const sum = new Amount();
    for (const { balance } of own) sum.add(isApart ? null : figureOf(balance));
    const legs = own.reduce((sum, { legs }) => sum + legs, 0);
    const isWhole = hasAll(own.length);
    return {
      ...{ assetId, symbol, wallets: own.length, legs },
      balance: isWhole ? (sum.whole?.toFixed() ?? null) : null,
      known: isApart ? null : (sum.part ?? ZERO).toFixed(),
      unknownWallets: isWhole ? sum.unknown : null,
    };
  });
}
