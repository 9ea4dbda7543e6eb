import { LosslessNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';

/**
 * A JSON number that a double cannot hold; `value` is its text as it came. `JSON.stringify` would write an
 * object for it: use {@link stringifyJson}.
 */
export { LosslessNumber };

/** A record of the service: any shape, any field. */
export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

export function isExactNumber(value: unknown): value is LosslessNumber {
  return value instanceof LosslessNumber;
}

// A number that is long, or whose exponent has three digits, may say more than a double holds. It is looked
// for after the characters that can stand before a value, so that most decimals in strings are passed over;
// one that is found inside a string all the same costs time, never exactness.
const SUSPECT = /(?:^|[:,[\s])(-?\d[\d.eE+-]{15,}|-?\d[\d.]*[eE][+-]?\d{3,})/g;

/**
 * Parses JSON and keeps every digit of every number: what a double holds becomes a `number`, anything else a
 * {@link LosslessNumber}.
 *
 * @throws SyntaxError where the text is not one JSON document
 */
export function parseJson(text: string): unknown {
  for (const [, token = ''] of text.matchAll(SUSPECT)) {
    if (!fitsDouble(token)) {
      return parseLossless(text, undefined, {
        parseNumber: (number) => (fitsDouble(number) ? Number(number) : new LosslessNumber(number)),
        // As JSON.parse does: a long number elsewhere must not change how the rest is read.
        onDuplicateKey: ({ newValue }) => newValue,
      });
    }
  }
  return JSON.parse(text);
}

/** Writes what {@link parseJson} read: numbers with the digits that they came with. */
export function stringifyJson(value: unknown, indent?: number): string {
  return holdsExactNumber(value)
    ? (stringifyLossless(value, undefined, indent) ?? 'null')
    : (JSON.stringify(value, undefined, indent) ?? 'null');
}

function holdsExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isExactNumber(value)) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === 'object' && holdsExactNumber(member)) return true;
  }
  return false;
}

/** Whether the number that `text` writes, and its shortest form as a double, are the same number. */
function fitsDouble(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  if (String(number) === text) return true;
  return sameNumber(text, String(number));
}

function sameNumber(left: string, right: string): boolean {
  const a = normal(left);
  const b = normal(right);
  return a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;
}

/** `-0.0120e3` as negative, digits `12`, exponent 0: one form for each number. */
function normal(text: string): { negative: boolean; digits: string; exponent: number } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return { negative: false, digits: `not a number: ${text}`, exponent: 0 };
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return { negative: false, digits: '0', exponent: 0 };
  return {
    negative: sign === '-',
    digits: trimmed,
    exponent: Number(power) - fraction.length + (digits.length - trimmed.length),
  };
}
