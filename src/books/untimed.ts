import { isUnlimited, type OpenSpan } from '../core/span.ts';
import { plural } from '../core/text.ts';

/**
 * Returns a sentence about legs without a time: they belong to no period, and their place in the order is unknown. Undefined if
 * there are no such legs.
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
