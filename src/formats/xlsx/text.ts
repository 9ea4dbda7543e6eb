import { exact } from '../../core/decimal.ts';
import { DAY, instantOf } from '../../core/instant.ts';
import { cellText } from '../text.ts';

/** Maximum number of characters in an Excel cell. */
export const LARGEST_CELL = 32_767;

// Matches characters that must be escaped: the characters of XML syntax, and the characters that XML cannot represent (control
// characters, U+FFFE, U+FFFF and half of a surrogate pair). CR is escaped because XML readers convert CR to LF. An underscore
// is escaped if it would begin an escape.
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n])\p{Cc}|_(?=x[0-9A-Fa-f]{4})/gu;
const EDGE = /^\s|\s$|[\t\n]/;

/**
 * Escapes cell text for XML. Characters that XML cannot represent become escapes such as `_x001B_`. If the original text
 * contains such an escape, the first underscore of the escape is escaped (ECMA-376 part 1, 22.9.2.19 "ST_Xstring"). Readers
 * restore the original text.
 */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => {
    if (character === '&') return '&amp;';
    if (character === '<') return '&lt;';
    if (character === '>') return '&gt;';
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

export function escapeAttribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

const PLAIN = /^(?:-[0-9]+(?:\.[0-9]+)?|[A-Za-z0-9](?:[A-Za-z0-9.:/ -]|_(?!x))*)$/;

/** Whether a string can be written without a guard or an escape. Most strings can. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text) && !text.endsWith(' ');
}

/**
 * Formats text as the `is` element of a cell (ECMA-376 part 1, 18.3.1.53). The text is inline, because a shared string table
 * would grow with the number of rows.
 */
export function inlineText(text: string): string {
  // Without this attribute, readers may drop spaces and line breaks.
  const space = EDGE.test(text) ? ' xml:space="preserve"' : '';
  return `<is><t${space}>${escapeXml(text)}</t></is>`;
}

// The number of significant digits that Excel keeps.
const DIGITS = 15;
const STRICT_DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/**
 * Rounds a decimal to 15 significant digits. Halves are rounded away from zero. The shortest form of the returned double has
 * exactly the digits of the rounded decimal. Returns undefined if the value is not a decimal or is outside the range of a
 * double.
 */
export function amountOf(value: unknown): number | undefined {
  const text = cellText(value);
  const [, sign = '', whole, places = ''] = STRICT_DECIMAL.exec(text) ?? [];
  if (whole === undefined) return otherAmount(text);
  const digits = (whole + places).replace(/^0+/, '');
  if (digits.length <= DIGITS) return held(Number(text), digits === '');
  const lead = Number(digits.slice(0, DIGITS)) + (digits.charAt(DIGITS) >= '5' ? 1 : 0);
  return held(Number(`${sign}${lead}e${digits.length - DIGITS - places.length}`), false);
}

/** Handles decimals in other notations, for example with an exponent. */
function otherAmount(text: string): number | undefined {
  const decimal = exact(text);
  if (decimal === null) return undefined;
  return held(Number(decimal.toSignificantDigits(DIGITS, 4).toExponential()), decimal.isZero());
}

/** Returns the number, or undefined if the conversion overflowed to infinity or underflowed to 0. */
function held(number: number, isZero: boolean): number | undefined {
  return Number.isFinite(number) && (number !== 0 || isZero) ? number + 0 : undefined;
}

const FIRST = Date.UTC(1900, 2, 1);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns the serial number of an ISO 8601 time: the number of days since 1899-12-30. The offset of the time is ignored.
 * Returns undefined for times after the year 9999. Also returns undefined for times before 1900-03-01, because only Excel
 * treats 1900 as a leap year.
 */
export function serialOf(iso: string): number | undefined {
  const time = instantOf(`${iso.slice(0, 23)}Z`);
  return time !== undefined && time >= FIRST && time <= LAST ? time / DAY + 25_569 : undefined;
}
