// How much: from dust to whales, with as many decimals as the asset has.

import { powerOfTen } from '../decimal.ts';
import type { Random } from '../random.ts';
import { ASSETS } from './assets.ts';
import { smallestUnit, type Writer } from './writer.ts';

/** Typical sizes in the base currency, mostly small and now and then enormous. */
const SIZES = [
  0.4, 3, 12, 30, 60, 90, 150, 240, 400, 700, 1200, 2500, 6000, 15_000, 80_000, 4_000_000,
] as const;

export function typicalSize(random: Random): number {
  // The smaller of two draws: whales are rare.
  const draw = Math.min(random.below(SIZES.length), random.below(SIZES.length + 2));
  return (SIZES[draw] ?? 100) * (0.5 + random.next());
}

/** That much money's worth of an asset, in 10^-18. */
export function worth(writer: Writer, random: Random, asset: number, money: number): bigint {
  const price = writer.price(asset);
  const amount = price === 0 ? 1 + random.next() * 1_000_000 : money / price;
  const decimals = ASSETS[asset]?.decimals ?? 18;
  const unit = smallestUnit(asset);
  if (amount >= 9_000_000) return BigInt(Math.floor(amount)) * powerOfTen(18);
  let units = BigInt(Math.floor(amount * 1e9)) * powerOfTen(9);
  if (decimals > 9) units += BigInt(random.below(1_000_000_000)) * powerOfTen(Math.max(0, 18 - decimals));
  units -= units % unit;
  return units > 0n ? units : unit;
}

/** Part of what there is, now and then all of it; undefined when there is nothing. */
export function partOf(available: bigint, random: Random, asset: number): bigint | undefined {
  if (available <= 0n) return undefined;
  const share = random.chance(0.04) ? 1000 : 1 + random.below(400);
  const part = (available * BigInt(share)) / 1000n;
  const cut = part - (part % smallestUnit(asset));
  return cut > 0n ? cut : undefined;
}
