import { isExactNumber, isRecord } from '../core/json.ts';

/** What is odd about a value, as the end of a sentence that its field begins; undefined where nothing is. */
export type Test = (value: unknown) => string | undefined;

const LONGEST = 60;

/** A value in a sentence: short ones as JSON, others by what they are. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  const text = isExactNumber(value) ? value.value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export const string: Test = (value) =>
  typeof value === 'string' ? undefined : `must be a string, and is ${shown(value)}`;

export const stringOrNull: Test = (value) =>
  value === null || typeof value === 'string'
    ? undefined
    : `must be a string or null, and is ${shown(value)}`;

export const object: Test = (value) =>
  isRecord(value) ? undefined : `must be an object, and is ${shown(value)}`;

export const whole: Test = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : `must be a whole number from 0, and is ${shown(value)}`;

/** Below the first, a time in milliseconds is before 1974; from the second on, after 5138. */
const UNITS = [
  [1e11, 'seconds'],
  [1e14, undefined],
  [1e17, 'microseconds'],
  [Number.POSITIVE_INFINITY, 'nanoseconds'],
] as const;

/** A moment in Unix milliseconds. */
export const moment: Test = (value) => {
  if (value === 0) return 'must be Unix milliseconds, and is 0';
  const given = isExactNumber(value) ? Number(value.value) : value;
  if (Number.isInteger(given) && Number(given) > 0) {
    const [, unit] = UNITS.find(([below]) => Number(given) < below) ?? [];
    if (unit !== undefined) return `looks like ${unit}: it must be Unix milliseconds, and is ${shown(value)}`;
  }
  return whole(value);
};

/** As {@link moment}, and 0 where it is unknown or never was. */
export const momentOrZero: Test = (value) => (value === 0 ? undefined : moment(value));

export const only =
  (expected: string | boolean): Test =>
  (value) =>
    value === expected ? undefined : `must be ${JSON.stringify(expected)}, and is ${shown(value)}`;

export const oneOf =
  (choices: readonly string[]): Test =>
  (value) =>
    choices.some((choice) => choice === value)
      ? undefined
      : `must be ${choices.length === 1 ? choices[0] : `one of ${choices.join(', ')}`}, and is ${shown(value)}`;

/** An id of the form `<prefix>_<id>`. */
export const idOf =
  (prefix: string): Test =>
  (value) =>
    string(value) ??
    (typeof value === 'string' && value.startsWith(`${prefix}_`) && value.length > prefix.length + 1
      ? undefined
      : `must be of the form ${prefix}_<id>, and is ${shown(value)}`);

const ISO = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;

export const isoTime: Test = (value) =>
  string(value) ??
  (typeof value === 'string' && isIsoTime(value)
    ? undefined
    : `must be an ISO 8601 time, and is ${shown(value)}`);

function isIsoTime(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (ISO.exec(text) ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
  return day >= 1 && day <= days && hour <= 24 && minute < 60 && second <= 60;
}
