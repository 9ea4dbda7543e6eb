// Prices by asset and time, which follow a weekly random walk with linear interpolation. The code uses only basic arithmetic,
// so that every machine calculates the same digits.

import type { Random } from '../core/random.ts';
import { ASSETS } from './assets.ts';

export const SPAN_START = Date.UTC(2020, 0, 1);
/** The data always ends at this time, regardless of the current date. */
export const SPAN_END = Date.UTC(2026, 0, 1) - 1;
const WEEK = 7 * 86_400_000;
const WEEKS = Math.ceil((SPAN_END - SPAN_START) / WEEK) + 2;

export type PriceAt = (asset: number, timestamp: number, jitter: number) => number;

export function createPrices(random: Random): PriceAt {
  const walk = new Float64Array(ASSETS.length * WEEKS);
  ASSETS.forEach(({ price: first, drift }, asset) => {
    let price = first;
    for (let week = 0; week < WEEKS; week += 1) {
      walk[asset * WEEKS + week] = price;
      const step = 1 + (random.next() - 0.49) * drift;
      // Limit the price, because six years of random changes could otherwise lead to absurd prices.
      price = Math.min(first * 60, Math.max(first / 4, price * step));
    }
  });
  return (asset, timestamp, jitter) => {
    const position = (timestamp - SPAN_START) / WEEK;
    const week = Math.floor(position);
    const from = walk[asset * WEEKS + week] ?? 0;
    const to = walk[asset * WEEKS + week + 1] ?? from;
    const drift = ASSETS[asset]?.drift ?? 0;
    return sixDigits((from + (to - from) * (position - week)) * (1 + (jitter - 0.5) * drift * 0.1));
  };
}

/** Rounds a price to six significant digits, as exchanges do. */
function sixDigits(price: number): number {
  if (price <= 0) return 0;
  let scale = 1;
  while (price * scale < 100_000) scale *= 10;
  return Math.round(price * scale) / scale;
}
