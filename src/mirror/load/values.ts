import { exact } from '../../core/decimal.ts';
import { isExactNumber, isRecord, stringifyJson } from '../../core/json.ts';
import { plainDigits } from '../../core/plain.ts';
import { escapeCharacter } from '../../core/text.ts';

/** A value in the text form of PostgreSQL. */
export type Cell = string | boolean | null;

export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'numeric' | 'boolean' | 'timestamptz' | 'jsonb';
}

/** The served record as JSON, if a part of it is missing in the other columns; otherwise null. */
export const EXACT_RECORD = 'exact_record';

/** `asset_symbol` of `asset.symbol`, and `wallet_id` of `walletId`. */
export function snakeCase(key: string): string {
  return key
    .replaceAll('.', '_')
    .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .toLowerCase();
}

/** Whether a part of the served record is missing in the cells of a row. */
export interface Loss {
  lost: boolean;
}

/** Digits before the point, and after it, of the longest NUMERIC. PostgreSQL could store more, but sums here must be exact. */
const DIGITS = 300;
const PLAIN = new RegExp(`^-?[0-9]{1,${DIGITS}}(?:\\.[0-9]{1,${DIGITS}})?$`);
/** An exponent that no decimal of this length needs. */
const FAR = /[eE][+-]?[0-9]{5,}$/;

/** The NUMERIC of a decimal; null for other text, and for a decimal that is too long. */
export function numericText(text: string): string | null {
  if (PLAIN.test(text)) return text;
  const value = FAR.test(text) ? null : exact(text);
  if (value === null || value.e >= DIGITS || value.decimalPlaces() > DIGITS) return null;
  return value.toFixed();
}

/** Whether PostgreSQL prints the NUMERIC of a decimal with the same text: `1.50`, but not `1e-7`, `+1` or `-0`. */
export function printsSame(text: string): boolean {
  return PLAIN.test(text) && !/^-?0[0-9]|^-[0.]+$/.test(text);
}

/** The text of a JSON number; undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' ? String(value) : undefined;
}

const HALF = /\p{Cs}/u;
const UNSTORABLE = new RegExp(`${String.fromCharCode(0)}|\\p{Cs}`, 'gu');

/** Text that PostgreSQL can store: U+0000 and half of a surrogate pair become `\u0000`. */
export function storable(text: string, loss: Loss): string {
  if (!text.includes('\0') && !HALF.test(text)) return text;
  loss.lost = true;
  return text.replace(UNSTORABLE, escapeCharacter);
}

/**
 * Text in JSON that JSONB may not store unchanged: an escape of U+0000 or of half a surrogate pair, a long or unusual
 * number.
 */
const SUSPECT = /\\u(?:0000|d[89a-f])|[0-9][eE][+-]?[0-9]|[0-9.]{300}/i;

/** The JSONB of a value. */
export function jsonbText(value: unknown, loss: Loss): string {
  const text = stringifyJson(value);
  return SUSPECT.test(text) ? stringifyJson(held(value, loss)) : text;
}

/** The part of a value that JSONB can store: its numbers are NUMERIC, and its text is that of {@link storable}. */
function held(value: unknown, loss: Loss): unknown {
  if (typeof value === 'string') return storable(value, loss);
  if (Array.isArray(value)) return value.map((item) => held(item, loss));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [storable(name, loss), held(member, loss)]),
    );
  }
  const number = numberText(value);
  if (number === undefined || printsSame(number)) return value;
  loss.lost = true;
  // Too long for NUMERIC: its text, so that no other number takes its place.
  return numericText(plainDigits(number)) === null ? number : value;
}

/** The first and the last time that `timestamptz` and its usual text can represent: those of the years 1 and 9999. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** The TIMESTAMPTZ of Unix milliseconds; null if it is out of range. */
export function timestampText(value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < FIRST || value > LAST) return null;
  return new Date(value).toISOString();
}

const SPECIAL: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A row in the text format of COPY. */
export function copyLine(cells: readonly Cell[]): string {
  return `${cells.map(copyText).join('\t')}\n`;
}

function copyText(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'boolean') return cell ? 't' : 'f';
  return cell.replace(/[\\\t\n\r]/g, (character) => SPECIAL[character] ?? character);
}
