import { isUnlimited, type OpenSpan } from '../core/span.ts';
import { plural } from '../core/text.ts';

/**
 * Returns a sentence that says how many legs have no time, and that their place in the order is unknown. Returns undefined if
 * every leg has a time.
 */
export function untimedText(legs: number, period: OpenSpan): string | undefined {
  if (legs === 0) return undefined;
  const [they, their, places] =
    legs === 1
      ? ['it belongs', 'its', 'place in the order is']
      : ['they belong', 'their', 'places in the order are'];
  const left = isUnlimited(period) ? '' : `${they} to no period, and `;
  return `${plural(legs, 'leg has', 'legs have')} no time, so ${left}${their} ${places} unknown.`;
}
