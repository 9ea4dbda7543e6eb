import { textOf, timeOf } from '../api/ledgers.ts';
import { exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { figureOf, ZERO } from './figure.ts';
import { inBalanceOrder } from './order.ts';
import { byPair, type Pair, pairOf } from './pair.ts';

/** The balance of one asset in one wallet, after the last leg. */
export interface Balance extends Pair {
  readonly legs: number;
  /** Decimal string as served; null if the last leg has no running balance. */
  readonly balance: string | null;
  /** Time of the last leg in Unix milliseconds; null if any leg has no time. */
  readonly lastLegAt: number | null;
  readonly ledgerId: string | null;
  /** The last known running balance. The same as `balance` if `balance` is known. */
  readonly lastKnown: string | null;
  readonly lastKnownAt: number | null;
}

/** The balance of one asset in all wallets. */
export interface AssetBalance extends Omit<Pair, 'walletId'> {
  readonly wallets: number;
  readonly legs: number;
  /** Null if the balance of any wallet is unknown. */
  readonly balance: string | null;
  /** Sum of the known balances. */
  readonly known: string;
  readonly unknownWallets: number;
}

/**
 * Returns the final balance for each wallet and asset. Memory grows with wallets × assets.
 *
 * @param legs all legs up to a time, in order of time
 */
export async function balancesAfter(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
): Promise<Balance[]> {
  const balances = new Map<string, Balance>();
  for await (const { leg, pair } of inBalanceOrder(legs)) {
    const earlier = balances.get(pair);
    const time = timeOf(leg) ?? null;
    const served = figureOf(leg['afterBalance']) ? textOf(leg['afterBalance']) : null;
    // Legs without a time have no known order, so the balance after such a leg is unknown.
    const balance = time === null ? null : served;
    balances.set(pair, {
      ...(earlier ?? pairOf(leg)),
      legs: (earlier?.legs ?? 0) + 1,
      balance,
      lastLegAt: time,
      ledgerId: textOf(leg['id']) || null,
      lastKnown: balance ?? earlier?.lastKnown ?? null,
      lastKnownAt: balance === null ? (earlier?.lastKnownAt ?? null) : time,
    });
  }
  return [...balances.values()].sort(byPair);
}

/** Adds up the balances of each asset across all wallets. */
export function balancesByAsset(balances: readonly Balance[]): AssetBalance[] {
  const assets = new Map<string, Balance[]>();
  for (const balance of balances) {
    const key = JSON.stringify(balance.assetId ?? [balance.symbol]);
    const others = assets.get(key);
    if (others) others.push(balance);
    else assets.set(key, [balance]);
  }
  return [...assets.values()].map(addBalances);
}

function addBalances(balances: readonly Balance[]): AssetBalance {
  const [first] = balances;
  if (!first) throw new TypeError('an asset has at least one balance');
  const unknownWallets = balances.filter(({ balance }) => balance === null).length;
  const known = balances.reduce((sum, { balance }) => sum.plus(exact(balance) ?? ZERO), ZERO).toFixed();
  return {
    assetId: first.assetId,
    symbol: first.symbol,
    wallets: balances.length,
    legs: balances.reduce((sum, { legs }) => sum + legs, 0),
    balance: unknownWallets > 0 ? null : known,
    known,
    unknownWallets,
  };
}
