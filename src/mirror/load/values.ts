import { exact } from '../../core/decimal.ts';
import { isExactNumber, isRecord, stringifyJson } from '../../core/json.ts';
import { plainDigits } from '../../core/plain.ts';
import { escapeCharacter } from '../../core/text.ts';

/** A value in PostgreSQL's text format. */
export type Cell = string | boolean | null;

export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'numeric' | 'boolean' | 'timestamptz' | 'jsonb';
}

/** The column with the served record as JSON, if the other columns cannot represent the whole record; otherwise null. */
export const EXACT_RECORD = 'exact_record';

/** `asset.symbol` becomes `asset_symbol`, and `walletId` becomes `wallet_id`. */
export function snakeCase(key: string): string {
  return key
    .replaceAll('.', '_')
    .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .toLowerCase();
}

/** `lost` is true if the cells of a row omit any part of the service's record. */
export interface Loss {
  lost: boolean;
}

/** Maximum number of digits before and after the point. PostgreSQL can store more, but sums in this tool must be exact. */
const DIGITS = 300;
const PLAIN = new RegExp(`^-?[0-9]{1,${DIGITS}}(?:\\.[0-9]{1,${DIGITS}})?$`);
/** Matches an exponent of five or more digits, which is out of range for a decimal of at most `DIGITS` digits. */
const FAR = /[eE][+-]?[0-9]{5,}$/;

/** A decimal as NUMERIC; null for other text, and for decimals that are too long. */
export function numericText(text: string): string | null {
  if (PLAIN.test(text)) return text;
  const value = FAR.test(text) ? null : exact(text);
  if (value === null || value.e >= DIGITS || value.decimalPlaces() > DIGITS) return null;
  return value.toFixed();
}

/** Whether PostgreSQL prints a decimal unchanged: `1.50`, but not `1e-7`, `+1` or `-0`. */
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
 * JSON text that JSONB may not store unchanged: an escaped U+0000, an escaped half of a surrogate pair, or a long or unusual
 * number.
 */
const SUSPECT = /\\u(?:0000|d[89a-f])|[0-9][eE][+-]?[0-9]|[0-9.]{300}/i;

/** A value as JSONB. */
export function jsonbText(value: unknown, loss: Loss): string {
  const text = stringifyJson(value);
  return SUSPECT.test(text) ? stringifyJson(held(value, loss)) : text;
}

/** Converts a value so that JSONB can store it: numbers must fit NUMERIC, and text must be {@link storable}. */
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
  // Store a number that is too long for NUMERIC as text, to preserve every digit.
  return numericText(plainDigits(number)) === null ? number : value;
}

/** The range of times that `timestamptz` can represent in its usual text form: the years 1 to 9999. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** Unix milliseconds as TIMESTAMPTZ; null if they are out of range. */
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
