import { once } from './once.ts';
import { escapeHostile } from './text.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// During JSON.parse and JSON.stringify, a string with this prefix replaces each number that a double cannot represent. The
// prefix is random, so that no string from the service is mistaken for a number.
const mark = once(() => `~${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('base64url')}`);
const MARK_BEGINS = 0x7e;
const marked = once(() => new RegExp(`"${mark()}([^"]*)"`, 'g'));
let writing = false;

// A number without an exponent and with more than 17 significant digits.
const MANY_DIGITS = /^-?(?:0\.0*)?(?=[1-9])(?=(?:\.?\d){18})[\d.]*[1-9]$/;

/**
 * A JSON number that a double cannot represent. The `value` property contains the digits as text. {@link stringifyJson} writes
 * a number; `JSON.stringify` writes a string.
 */
export class LosslessNumber {
  readonly value: string;

  /** @throws SyntaxError if the text is not a JSON number */
  constructor(value: string) {
    if (!JSON_NUMBER.test(value)) throw new SyntaxError(`${JSON.stringify(value)} is not a JSON number`);
    this.value = value;
  }

  toString(): string {
    return this.value;
  }

  toJSON(): string {
    return writing ? mark() + this.value : this.value;
  }
}

/** Maximum nesting depth. This limit prevents stack overflows in functions that process JSON values recursively. */
export const MAX_DEPTH = 500;

/** Thrown for valid JSON that is nested more than {@link MAX_DEPTH} levels deep. */
export class NestedTooDeeplyError extends SyntaxError {
  override readonly name = 'NestedTooDeeplyError';

  constructor() {
    super(`it is nested more than ${MAX_DEPTH} levels deep`);
  }
}

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** The value at a path such as `asset.symbol`; undefined if the record has no such path. */
export function fieldAt(record: JsonRecord, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A number from JSON. If a double cannot represent the number, the type is {@link LosslessNumber}. */
export type JsonNumber = number | LosslessNumber;

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || isExactNumber(value);
}

export function isExactNumber(value: unknown): value is LosslessNumber {
  return value instanceof LosslessNumber;
}

// Matches numbers that a double may be unable to represent: long numbers, and numbers with an exponent of three or more digits.
const LONG = /(-?\d[\d.eE+-]{15,}|-?\d[\d.]*[eE][+-]?\d{3,})/.source;
// The pattern begins with a character that can precede a JSON value, so most decimals inside strings do not match. A match
// inside a string takes time, but does not change the result.
const SUSPECT = new RegExp(`[:,[\\s]${LONG}`, 'g');
// Without arrays, every number of an object follows a colon. A search for fewer characters takes less time.
const SUSPECT_MEMBER = new RegExp(`:\\s*${LONG}`, 'g');
const BARE_NUMBER = /^[-\d]/;

/**
 * Parses JSON and keeps every digit of every number. A number that a double cannot represent becomes a
 * {@link LosslessNumber}.
 *
 * @throws SyntaxError for invalid JSON; {@link NestedTooDeeplyError}
 */
export function parseJson(text: string): unknown {
  const value = parseNumbers(text);
  checkDepth(value, text);
  return value;
}

/** Like {@link parseJson}, but returns undefined if the text cannot be parsed. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function parseNumbers(text: string): unknown {
  // The pattern `SUSPECT` requires a character before the number. A pattern that also matches at the start of the text would
  // double the search time. A text that starts with a number therefore gets a leading space.
  const searched = BARE_NUMBER.test(text) ? ` ${text}` : text;
  const suitable = markLongNumbers(searched);
  if (suitable === searched) return JSON.parse(text);
  try {
    return unmark(JSON.parse(suitable));
  } catch {
    return JSON.parse(text); // throws an error that refers to the original text, which has no marks
  }
}

/**
 * Skips short texts, which cannot be nested too deeply.
 *
 * @throws NestedTooDeeplyError
 */
function checkDepth(value: unknown, text: string): void {
  if (text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH)) throw new NestedTooDeeplyError();
}

/** Recurses at most `levels` deep. Walking through the value is faster than searching the JSON text. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true;
  return false;
}

/** If a double cannot represent a number, replaces the number with a marked string. */
function markLongNumbers(text: string): string {
  let result = '';
  let done = 0;
  // The quotes before the position `looked` are already counted. `inside` is true if this position is inside a string.
  let looked = 0;
  let inside = false;
  const suspect = text.startsWith('{') && !text.includes('[') ? SUSPECT_MEMBER : SUSPECT;
  suspect.lastIndex = 0;
  for (let match = suspect.exec(text); match !== null; match = suspect.exec(text)) {
    const token = match[1] ?? '';
    const end = suspect.lastIndex;
    const at = end - token.length;
    if (fitsDouble(token)) continue;
    if (followsKey(text, at)) {
      result += `${text.slice(done, at)}"${mark()}${token}"`;
      done = end;
      continue;
    }
    for (let quote = text.indexOf('"', looked); quote >= 0 && quote < at; quote = text.indexOf('"', looked)) {
      if (!inside || !isEscaped(text, quote)) inside = !inside;
      looked = quote + 1;
    }
    // A number before a colon is an invalid key. The key stays unchanged, so that JSON.parse rejects the text.
    if (inside || /^\s*:/.test(text.slice(end, end + 20))) continue;
    result += `${text.slice(done, at)}"${mark()}${token}"`;
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/**
 * Whether the position is directly after a key (`name":`). Most numbers are in such a position. A quote between a letter and a
 * colon always ends a key. A quote inside a string follows a backslash, and an opening quote cannot follow a letter.
 */
function followsKey(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== 0x3a || text.charCodeAt(at - 2) !== 0x22) return false;
  return /[A-Za-z0-9_]/.test(text.charAt(at - 3));
}

/** Whether the character at the position follows an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
  return (at - before) % 2 === 1;
}

/** Replaces marked strings with numbers, at any depth. */
function unmark(value: unknown): unknown {
  const root = { value };
  const prefix = mark();
  const open: object[] = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    const members = parent as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'string') {
        // First check only the first character. This check is fast and rules out most strings.
        if (member.charCodeAt(0) !== MARK_BEGINS || !member.startsWith(prefix)) continue;
        const number = new LosslessNumber(member.slice(prefix.length));
        // Assigning to `__proto__` would set the prototype of the object.
        if (key === '__proto__') Object.defineProperty(members, key, { value: number });
        else members[key] = number;
      } else if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return root.value;
}

/** Writes a value from {@link parseJson} as JSON. Numbers keep their digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  writing = true;
  try {
    const text = JSON.stringify(value, undefined, indent) ?? 'null';
    return text.includes(mark()) ? text.replace(marked(), '$1') : text;
  } finally {
    writing = false;
  }
}

/**
 * Like {@link stringifyJson}, but escapes control characters, invisible characters and characters that reorder text, even those
 * that JSON allows. Parsing the JSON returns the original value. The tool uses this function for all JSON output and for its
 * own JSON files, such as manifests. A terminal can show this JSON safely.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapeHostile(stringifyJson(value, indent));
}

/** Whether a double represents the number in `text` exactly. */
function fitsDouble(text: string): boolean {
  // The shortest form of a double has at most 17 digits.
  if (text.length > 17 && MANY_DIGITS.test(text)) return false;
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

/** Splits a number into sign, digits and exponent. For `-0.0120e3`, the digits are `12` and the exponent is 0. */
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
