import type { Span } from '../../core/span.ts';
import { pairKey } from '../asset.ts';
import { RollForward } from '../rollforward.ts';
import type { WalkStep } from '../step.ts';
import { type LegInput, walkTo } from '../walk.ts';
import type { Commodity } from './entry.ts';
import { commodityOf } from './facts.ts';

/** The balance of a wallet and asset at the start of a period. */
export interface OpeningBalance {
  readonly walletId: string;
  /** The asset as a commodity; null if the asset has neither an id nor a symbol. */
  readonly asset: Commodity | null;
  /** The opening balance, as a decimal string; null if unknown. */
  readonly balance: string | null;
  /**
   * Closing balance of the books minus the closing balance of the journal; null if unknown. The closing balance of the journal
   * is the opening balance plus the movements. For a nameless asset, this balance is 0, because a journal has no quantities of
   * such an asset.
   */
  readonly difference: string | null;
}

/**
 * Returns the opening balance of each wallet and asset, as the roll-forward defines it.
 *
 * @param legs all legs up to the end of the period, ordered by time
 */
export async function openingBalances(legs: LegInput, period: Partial<Span>): Promise<OpeningBalance[]> {
  const books = new RollForward(period);
  const assets = new Map<string, Commodity | null>();
  const step = ({ leg }: WalkStep) => {
    const key = pairKey(leg.pair);
    if (!assets.has(key)) assets.set(key, commodityOf(leg));
  };
  await walkTo(period.to, legs, books, { step });
  return books.lines().map((line) => {
    const { walletId, opening: balance } = line;
    const asset = assets.get(pairKey(line)) ?? null;
    return { walletId, asset, balance, difference: asset ? line.difference : line.closing };
  });
}
