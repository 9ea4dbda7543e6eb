import { exact } from '../../core/decimal.ts';
import { knownInstant } from '../../core/instant.ts';
import { isExactNumber, isRecord, stringifyJson } from '../../core/json.ts';
import { plainDigits } from '../../core/plain.ts';
import { escapeCharacter } from '../../core/text.ts';

/** The value of a cell. Numbers, times and JSON are represented as text that PostgreSQL can parse. */
export type Cell = string | boolean | null;

export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'numeric' | 'boolean' | 'timestamptz' | 'jsonb' | 'integer';
}

/**
 * The column with the whole record as JSON, as the service returned it. The column is null if the other columns represent the
 * whole record.
 */
export const EXACT_RECORD = 'exact_record';

/** `lost` is true if the cells of a row do not represent the whole record. */
export interface Loss {
  lost: boolean;
}

/**
 * Maximum number of digits on each side of the decimal point. PostgreSQL can store more, but this tool must be able to compute
 * exact sums.
 */
const DIGITS = 300;
const PLAIN = new RegExp(`^-?[0-9]{1,${DIGITS}}(?:\\.[0-9]{1,${DIGITS}})?$`);
/** Matches an exponent with five or more digits. A decimal with such an exponent needs more than `DIGITS` digits. */
const FAR = /[eE][+-]?[0-9]{5,}$/;

/** Converts a decimal to text for a NUMERIC column. Returns null for other text, and for decimals that are too long. */
export function numericText(text: string): string | null {
  if (PLAIN.test(text)) return text;
  const value = FAR.test(text) ? null : exact(text);
  if (value === null || value.e >= DIGITS || value.decimalPlaces() > DIGITS) return null;
  return value.toFixed();
}

/** Whether PostgreSQL prints a decimal unchanged. PostgreSQL does not change `1.50`, but changes `1e-7`, `+1` and `-0`. */
export function printsSame(text: string): boolean {
  return PLAIN.test(text) && !/^-?0[0-9]|^-[0.]+$/.test(text);
}

/** Returns the text of a JSON number, or undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' ? String(value) : undefined;
}

const HALF = /\p{Cs}/u;
const UNSTORABLE = new RegExp(`${String.fromCharCode(0)}|\\p{Cs}`, 'gu');

/** Converts text so that PostgreSQL can store it. U+0000 and unpaired surrogates become escapes such as `\u0000`. */
export function storable(text: string, loss: Loss): string {
  if (!text.includes('\0') && !HALF.test(text)) return text;
  loss.lost = true;
  return text.replace(UNSTORABLE, escapeCharacter);
}

/**
 * Matches JSON text that JSONB may change or reject: an escaped U+0000, an escaped unpaired surrogate, a number with an
 * exponent, or a very long number.
 */
const SUSPECT = /\\u(?:0000|d[89a-f])|[0-9][eE][+-]?[0-9]|[0-9.]{300}/i;

/** Converts a value to text for a JSONB column. */
export function jsonbText(value: unknown, loss: Loss): string {
  const text = stringifyJson(value);
  return SUSPECT.test(text) ? stringifyJson(held(value, loss)) : text;
}

/**
 * Converts a value so that JSONB can store it. A number that is too long for NUMERIC becomes text, to preserve every digit.
 * Text is converted with {@link storable}.
 */
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
  return numericText(plainDigits(number)) === null ? number : value;
}

/** The range of times that PostgreSQL prints in its usual form: the years 1 to 9999. */
const [FIRST, LAST] = [knownInstant('0001-01-01T00:00:00.000Z'), knownInstant('9999-12-31T23:59:59.999Z')];

/** Converts Unix milliseconds to text for a TIMESTAMPTZ column. Returns null for other values, and for times out of range. */
export function timestampText(time: unknown): string | null {
  if (typeof time !== 'number' || !Number.isInteger(time) || time < FIRST || time > LAST) return null;
  return new Date(time).toISOString();
}

const SPECIAL: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Formats a row in the text format of COPY. */
export function copyLine(cells: readonly Cell[]): string {
  return `${cells.map(copyText).join('\t')}\n`;
}

function copyText(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'boolean') return cell ? 't' : 'f';
  return cell.replace(/[\\\t\n\r]/g, (character) => SPECIAL[character] ?? character);
}
