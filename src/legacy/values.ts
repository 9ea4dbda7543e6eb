import { exact } from '../core/decimal.ts';
import { isExactNumber } from '../core/json.ts';
import { clip, shown } from './problems.ts';

export interface FieldPlace {
  readonly path: string;
  /** Whether to accept numbers with more digits than a double can represent. */
  readonly allowLong: boolean;
  wrong(path: string, problem: string, hint?: string): void;
  /** Reports an error. With --force, reports a warning instead. */
  risk(path: string, problem: string, hint?: string): void;
  doubt(path: string, problem: string): void;
}

/** Matches a number in JSON syntax. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The digits of a number, as written in the file; undefined if the value is not a number. */
export function digitsOf(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/**
 * Requires a finite JSON number. By default, a number with more digits than a double can represent is an error, because the
 * service may parse numbers as doubles.
 */
function isAmount(value: unknown, place: FieldPlace): void {
  const digits = digitsOf(value);
  if (digits === undefined) {
    place.wrong(place.path, `must be a number, not ${shown(value)}`, numberHint(value));
    return;
  }
  if (!Number.isFinite(Number(digits))) {
    place.wrong(place.path, `is not a finite number: ${clip(digits)}`);
    return;
  }
  const lost = place.allowLong ? undefined : lostDigits(digits);
  if (lost) {
    place.wrong(
      place.path,
      `has more digits than a double can represent: ${clip(digits)} would become ${clip(lost.kept)} and lose the last digits "${clip(lost.lost)}"`,
      'Round the number, or send all digits with --allow-long-numbers.',
    );
  }
  if (/\dE\+\d/.test(digits)) {
    place.doubt(
      place.path,
      `has an exponent, perhaps because a spreadsheet shortened the number: ${clip(digits)}`,
    );
  }
}

/** Requires an amount above zero, because `transactionType` determines the direction. */
export function isQuantity(value: unknown, place: FieldPlace): void {
  isAmount(value, place);
  const digits = digitsOf(value);
  if (digits === undefined) return;
  if (/^-?0*(?:\.0*)?(?:[eE]|$)/.test(digits))
    place.risk(place.path, `is zero: ${clip(digits)}`, 'Omit the field.');
  else if (digits.startsWith('-')) {
    const sides = ' Use sentCurrency for outgoing amounts, and receivedCurrency for incoming amounts.';
    const hint = `Omit the minus sign.${place.path.startsWith('fee') ? '' : sides}`;
    place.risk(place.path, `is negative: ${clip(digits)}`, hint);
  }
}

/** Requires a value in a fiat currency. Warns if the value is negative. */
export function isValue(value: unknown, place: FieldPlace): void {
  isAmount(value, place);
  if (digitsOf(value)?.startsWith('-'))
    place.doubt(place.path, `is negative: ${clip(digitsOf(value) ?? '')}`);
}

/** Converts a number to a double. Returns the value of the double and the lost digits, or undefined if no digit is lost. */
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
  if (value === null) return 'Omit the field.';
  if (typeof value !== 'string') return undefined;
  if (JSON_NUMBER.test(value)) return 'Remove the quotes.';
  if (/^-?\d+,\d+$/.test(value)) return `Use a decimal point: ${value.replace(',', '.')}`;
  return 'Use a number such as 1, 0.5 or 1e-8. Plus signs, spaces and thousands separators are invalid. A digit must precede the point.';
}

export function iso(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : 'no date';
}
