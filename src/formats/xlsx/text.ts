import { exact } from '../../core/decimal.ts';
import { cellText } from '../text.ts';

/** Maximum number of characters in an Excel cell. */
export const LARGEST_CELL = 32_767;

// Characters that must be escaped: XML syntax; characters that XML cannot represent (control characters, U+FFFE, U+FFFF, half of
// a surrogate pair); CR, because readers turn CR into LF; and an underscore that would begin an escape.
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n])\p{Cc}|_(?=x[0-9A-Fa-f]{4})/gu;
const EDGE = /^\s|\s$|[\t\n]/;

/**
 * Escapes cell text for XML. Characters that XML cannot represent become escapes such as `_x001B_`. In text that looks like
 * such an escape, the underscore is escaped (ECMA-376 part 1, 22.9.2.19 "ST_Xstring"). Readers restore the original text.
 */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => {
    if (character === '&') return '&amp;';
    if (character === '<') return '&lt;';
    if (character === '>') return '&gt;';
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

/** Escapes text for an attribute. */
export function escapeAttribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

const PLAIN = /^(?:-[0-9]+(?:\.[0-9]+)?|[A-Za-z0-9](?:[A-Za-z0-9.:/ -]|_(?!x))*)$/;

/** Whether a string needs neither a guard nor an escape, which is the common case. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text) && !text.endsWith(' ');
}

/**
 * Text as the `is` element of a cell (ECMA-376 part 1, 18.3.1.53). Inline, because a shared string table would grow with the
 * rows.
 */
export function inlineText(text: string): string {
  // Without this attribute, readers may drop spaces and line breaks.
  const space = EDGE.test(text) ? ' xml:space="preserve"' : '';
  return `<is><t${space}>${escapeXml(text)}</t></is>`;
}

// Significant digits that Excel keeps.
const DIGITS = 15;
const STRICT_DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/**
 * Rounds a decimal to 15 significant digits, half away from zero. In its shortest form, the returned double has exactly the
 * rounded digits. Returns undefined if the value is not a decimal or does not fit a double.
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

/** Handles other forms of decimals, for example with an exponent. */
function otherAmount(text: string): number | undefined {
  const decimal = exact(text);
  if (decimal === null) return undefined;
  return held(Number(decimal.toSignificantDigits(DIGITS, 4).toExponential()), decimal.isZero());
}

/** Returns undefined if the number has overflowed to infinity or underflowed to 0. */
function held(number: number, isZero: boolean): number | undefined {
  return Number.isFinite(number) && (number !== 0 || isZero) ? number + 0 : undefined;
}

const DAY = 86_400_000;
const FIRST = Date.UTC(1900, 2, 1);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The serial number (days since 1899-12-30) of an ISO 8601 time, ignoring its offset. Undefined before 1900-03-01, because
 * Excel wrongly counts a 29 February 1900 and other programs do not. Also undefined after 9999.
 */
export function serialOf(iso: string): number | undefined {
  const time = Date.parse(`${iso.slice(0, 23)}Z`);
  return time >= FIRST && time <= LAST ? time / DAY + 25_569 : undefined;
}
