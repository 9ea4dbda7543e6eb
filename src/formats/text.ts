import { isJsonNumber, stringifyJson } from '../core/json.ts';
import { once } from '../core/once.ts';
import { numberDigits } from '../core/plain.ts';
import { escapeCharacter, HOSTILE_CHARACTER, isHarmless } from '../core/text.ts';

// On a terminal, a lone carriage return would overwrite the line. \p{Cs} matches half of a surrogate pair, which UTF-8 cannot
// represent.
const hostileInCell = once(() => new RegExp(`(?!\\t|\\n|\\r\\n)(?:${HOSTILE_CHARACTER}|\\p{Cs})`, 'gu'));
// Matches the backslash of text such as \u001b. `guardCell` escapes this backslash too, so that every escape can be reversed.
const LOOKALIKE = /\\(?=u[0-9a-f]{4})/g;

const STRICT_DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
// Some spreadsheets treat full-width signs like ASCII signs.
const FORMULA_START = '[=+\\-@\\t\\r\uff1d\uff0b\uff0d\uff20]';
const FORMULA = new RegExp(`^'*${FORMULA_START}`);
const GUARDED_FORMULA = new RegExp(`^''*${FORMULA_START}`);

/** Whether the text is a plain decimal such as `-1.5` or `2`. A plain decimal is never a formula. */
function isStrictDecimal(text: string): boolean {
  return STRICT_DECIMAL.test(text);
}

/**
 * Makes a cell safe for spreadsheets and terminals. Text that a spreadsheet would treat as a formula gets a leading apostrophe.
 * Control characters and invisible characters become escapes such as `\u001b`. Plain decimals are not changed. {@link
 * unguardCell} restores the original text.
 */
export function guardCell(text: string): string {
  if (isStrictDecimal(text)) return text;
  const quoted = FORMULA.test(text) ? `'${text}` : text;
  const reversible = quoted.replace(LOOKALIKE, '\\u005c');
  return isHarmless(reversible) ? reversible : reversible.replace(hostileInCell(), escapeCharacter);
}

/** Reverses {@link guardCell}. */
export function unguardCell(cell: string): string {
  // Most cells have nothing to undo.
  if (!cell.startsWith("'") && !cell.includes('\\')) return cell;
  const text = cell.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return GUARDED_FORMULA.test(text) ? text.slice(1) : text;
}

/**
 * Converts a value to cell text. Strings are not changed. Numbers are written in their shortest form without an exponent. Null
 * becomes an empty string, and objects and arrays become JSON.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return numberDigits(value);
  if (typeof value === 'boolean') return String(value);
  return stringifyJson(value);
}
