import { exact, ROUND_HALF_UP } from '../core/decimal.ts';

/** Decimal places of amounts in tables. Eight places are enough for one satoshi. */
const PLACES = 8;

/**
 * Rounds the decimal numbers in a string for display. Halves are rounded away from zero. With two places, `588.52591937855`
 * becomes `588.53`. A small amount never becomes 0: `-0.0000000000125` becomes `-<0.00000001`.
 */
export function roundFigure(text: string, places = PLACES): string {
  return text.replace(DECIMAL, (figure, fraction: string) => {
    if (fraction.length <= places) return figure;
    const value = exact(figure);
    if (value === null) return figure;
    const rounded = value.toDecimalPlaces(places, ROUND_HALF_UP);
    return rounded.isZero() && !value.isZero() ? `<0.${'1'.padStart(places, '0')}` : rounded.toFixed();
  });
}

/** Whether `shown` omits a digit of `text`, not counting trailing zeros. */
export function hidesDigits(shown: string, text: string): boolean {
  return shown !== text && withoutZeros(shown) !== withoutZeros(text);
}

function withoutZeros(text: string): string {
  return text.replace(DECIMAL, (figure) => figure.replace(/\.?0+$/, ''));
}

/** Matches a decimal that is not part of a word. Group 1 is the fraction. */
const DECIMAL = /(?<![\p{L}\p{N}_.])\d+\.(\d+)(?![\p{L}\p{N}_.])/gu;
