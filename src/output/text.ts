import { Decimal } from 'decimal.js';
import { plainNumber } from '../base/decimal.ts';
import { isExactNumber, stringifyJson } from '../base/json.ts';

// Control characters (terminal escapes among them), and the characters that reorder or hide text: a token's
// name can hold any of them.
const HOSTILE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const HOSTILE_IN_CELL =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// Text that looks like one of our own escapes: its backslash is escaped, so that the escape can be undone.
const LOOKALIKE = /\\(?=u[0-9a-f]{4})/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Text of the service made harmless for a terminal: one line, every hostile character shown as `\u001b`. */
export function showText(text: string): string {
  return text.replace(HOSTILE, escapeCharacter);
}

/** As {@link showText}, and line breaks stay: for text that has lines of its own. */
export function escapeHostile(text: string): string {
  return text.replace(HOSTILE, (character) => (character === '\n' ? character : escapeCharacter(character)));
}

const STRICT_DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED_FORMULA = /^''*[=+\-@\t\r]/;

/**
 * Makes a cell harmless for spreadsheets and terminals: a text that a spreadsheet would run as a formula gets a
 * leading apostrophe, control characters are written as `\u001b`. Strict decimals stay as they are.
 * {@link unguardCell} takes it back without loss.
 */
export function guardCell(text: string): string {
  if (STRICT_DECIMAL.test(text)) return text;
  const quoted = FORMULA.test(text) ? `'${text}` : text;
  return quoted.replace(LOOKALIKE, '\\u005c').replace(HOSTILE_IN_CELL, escapeCharacter);
}

/** The text that {@link guardCell} was given. */
export function unguardCell(cell: string): string {
  const text = cell.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return GUARDED_FORMULA.test(text) ? text.slice(1) : text;
}

/**
 * A value as the text of a cell: decimal strings character for character, numbers in their shortest form
 * without an exponent, nothing for null, JSON for what has parts.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return plainNumber(value);
  if (isExactNumber(value))
    return /[eE]/.test(value.value) ? new Decimal(value.value).toFixed() : value.value;
  if (typeof value === 'boolean') return String(value);
  return stringifyJson(value);
}

/** A moment as people read it: `2025-07-01 14:03:22`, in the zone that the user chose. */
export function momentText(milliseconds: unknown, timeZone: string | undefined): string {
  if (typeof milliseconds !== 'number' || Number.isNaN(new Date(milliseconds).getTime()))
    return cellText(milliseconds);
  // The Swedish form is the ISO order of parts.
  return formatterOf(timeZone).format(milliseconds).replace(',', '');
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const key = timeZone ?? '';
  let formatter = formatters.get(key);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', {
      dateStyle: 'short',
      timeStyle: 'medium',
      ...(timeZone === undefined ? {} : { timeZone }),
    });
    formatters.set(key, formatter);
  }
  return formatter;
}

/** A moment as ISO 8601: UTC with milliseconds, or with the offset of the chosen zone. */
export function isoText(milliseconds: unknown, timeZone?: string): string {
  if (typeof milliseconds !== 'number') return '';
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return '';
  if (timeZone === undefined || timeZone === 'UTC') return date.toISOString();
  const parts = Object.fromEntries(
    offsetFormatterOf(timeZone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const offset = (parts['timeZoneName'] ?? 'GMT').replace(/^GMT$/, '+00:00').replace(/^GMT/, '');
  return `${parts['year']}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}:${parts['second']}.${parts['fractionalSecond']}${offset}`;
}

const offsetFormatters = new Map<string, Intl.DateTimeFormat>();

function offsetFormatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = offsetFormatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'longOffset',
    });
    offsetFormatters.set(timeZone, formatter);
  }
  return formatter;
}
