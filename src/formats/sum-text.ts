import { exact } from '../core/decimal.ts';
import { count, plural } from '../core/text.ts';

/** Formats a sum as `1.5 (236 of 327)` if some of its values are unknown. */
export function partialText(sum: string, known: number, unknown: number): string {
  return unknown === 0 ? sum : `${sum} ${ofAll(known, unknown)}`;
}

function ofAll(known: number, unknown: number): string {
  return `(${count(known)} of ${count(known + unknown)})`;
}

/**
 * Explains what {@link partialText} adds to a profit. The explanation uses the numbers of one of the profits that are shown.
 */
export function partialNote({
  known,
  unknown,
}: {
  readonly known: number;
  readonly unknown: number;
}): string {
  const others = plural(unknown, 'other leg has', 'other legs have');
  return `${ofAll(known, unknown)} after a profit means that it is the sum of ${plural(known, 'leg', 'legs')}, and that ${others} no profit.`;
}

/** Explains {@link partialText} in help texts, which contain no sums. */
export const PARTIAL_HELP =
  'a sum with (K of N) after it is the sum of K of its N legs; the others have no value.';

/**
 * Returns the difference of a line of the roll-forward. For a line of several wallets that does not add up, says so if the
 * difference is 0 or unknown.
 */
export function differenceText(line: { readonly difference?: unknown; readonly tiesOut?: unknown }): unknown {
  const { difference, tiesOut } = line;
  const shows = exact(difference)?.isZero() === false;
  return tiesOut === false && !shows ? 'not 0 in a wallet' : difference;
}
