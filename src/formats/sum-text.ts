import { exact } from '../core/decimal.ts';
import { count } from '../core/text.ts';

/** Formats a sum as `1.5 (236 of 327)` if some of its values are unknown. */
export function partialText(sum: string, known: number, unknown: number): string {
  return unknown === 0 ? sum : `${sum} (${count(known)} of ${count(known + unknown)})`;
}

/** Explains {@link partialText}. */
export const PARTIAL_NOTE = '1.5 (236 of 327) is the sum of 236 legs; the other 91 legs have no value.';

/**
 * Returns the difference of a line of the roll-forward. If a line of several wallets does not add up although the difference is 0
 * or unknown, returns a text.
 */
export function differenceText(line: { readonly difference?: unknown; readonly tiesOut?: unknown }): unknown {
  const { difference, tiesOut } = line;
  const shows = exact(difference)?.isZero() === false;
  return tiesOut === false && !shows ? 'not 0 in a wallet' : difference;
}
