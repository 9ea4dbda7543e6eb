import { exact } from '../core/decimal.ts';
import { isExactNumber } from '../core/json.ts';
import { clip, shown } from './problems.ts';

export interface Amounts {
  readonly path: string;
  /** Send numbers with more digits than a double holds, as they are written. */
  readonly allowLong: boolean;
  wrong(path: string, problem: string, hint?: string): void;
  /** An error unless the user forces it: then a doubt. */
  risk(path: string, problem: string, hint?: string): void;
  doubt(path: string, problem: string): void;
}

/** A number as JSON writes it. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The characters of a number as they stand in the file; undefined for what is no number. */
export function digitsOf(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/**
 * A finite JSON number. One that has more digits than a double holds is refused unless the user allows it: JSON has
 * no such limit, but what the service reads numbers into is not shown, and most readers take a double.
 */
export function isAmount(value: unknown, place: Amounts): void {
  const digits = digitsOf(value);
  if (digits === undefined) {
    place.wrong(place.path, `must be a number, is ${shown(value)}`, numberHint(value));
    return;
  }
  if (!Number.isFinite(Number(digits))) {
    place.wrong(place.path, `is no finite number: ${clip(digits)}`);
    return;
  }
  const lost = place.allowLong ? undefined : lostDigits(digits);
  if (lost) {
    place.wrong(
      place.path,
      `has more digits than a double holds: ${clip(digits)} would be read as ${clip(lost.kept)}, and "${clip(lost.lost)}" at its end be lost`,
      'Round it yourself, or send it as it is written with --allow-long-numbers.',
    );
  }
  if (/\dE\+\d/.test(digits)) {
    place.doubt(
      place.path,
      `${clip(digits)} is written with an exponent, as by a spreadsheet that shortened it`,
    );
  }
}

/** What was sent, received or paid: an amount above zero, as `transactionType` says the direction. */
export function isQuantity(value: unknown, place: Amounts): void {
  isAmount(value, place);
  const digits = digitsOf(value);
  if (digits === undefined) return;
  if (/^-?0*(?:\.0*)?(?:[eE]|$)/.test(digits))
    place.risk(place.path, `is zero: ${clip(digits)}`, 'Leave the field out.');
  else if (digits.startsWith('-')) {
    place.risk(
      place.path,
      `is negative: ${clip(digits)}`,
      'Write it without the sign, on the side that it belongs to.',
    );
  }
}

/** A value in money, which may be below zero. */
export function isValue(value: unknown, place: Amounts): void {
  isAmount(value, place);
  if (digitsOf(value)?.startsWith('-'))
    place.doubt(place.path, `is below zero: ${clip(digitsOf(value) ?? '')}`);
}

/** What becomes of a number in a double, and the digits of it that are lost; undefined where none is. */
export function lostDigits(text: string): { readonly kept: string; readonly lost: string } | undefined {
  const given = exact(text);
  const double = exact(String(Number(text)));
  if (!given || !double || given.eq(double)) return undefined;
  const written = given.toFixed();
  const kept = double.toFixed();
  let same = 0;
  while (same < written.length && written[same] === kept[same]) same += 1;
  return { kept, lost: written.slice(same) || written };
}

function numberHint(value: unknown): string | undefined {
  if (value === null) return 'Leave the field out.';
  if (typeof value !== 'string') return undefined;
  if (JSON_NUMBER.test(value)) return 'Without the quotes.';
  if (/^-?\d+,\d+$/.test(value)) return `With a point: ${value.replace(',', '.')}`;
  return 'As in 1, 0.5 or 1e-8: no sign +, no blanks, no separators of thousands, a digit before the point.';
}
