import type { Filter, FilterKind, Filters, FilterValue } from '../api/filters.ts';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { isDecimal } from '../core/plain.ts';
import type { Flag } from './define.ts';

/** Creates one flag for each declared filter. The name of the flag is the name of the filter in kebab case. */
export function flagsOf<F extends Filters>(
  declared: F,
): { readonly [K in keyof F]: Flag<FilterValue<F[K]> | undefined> } {
  const flags = Object.entries(declared).map(([name, filter]) => [
    name,
    MAKE_FLAG[filter.kind](
      `${flagName(name)} <${filter.value}>`,
      describeFilter(filter),
      filter,
      flagName(name),
    ),
  ]);
  // The cast is safe, because the kind of each filter determines the type of its value.
  return Object.fromEntries(flags) as { readonly [K in keyof F]: Flag<FilterValue<F[K]> | undefined> };
}

type MakeFlag = (written: string, describe: string, filter: Filter, name: string) => unknown;

const MAKE_FLAG: Readonly<Record<FilterKind, MakeFlag>> = {
  list: (written, describe, { choices, max }) => listFlag(written, describe, choices, max),
  flag: (_, describe, __, name) => tristate(name, describe),
  decimal: decimalFlag,
  time: (written, describe) => integerFlag(written, describe, { min: 0 }),
  text: (written, describe, { choices }) =>
    choices ? choiceFlag(written, describe, choices) : textFlag(written, describe),
  choice: (written, describe, { choices = [] }) => choiceFlag(written, describe, choices),
  count: (written, describe, { min = 0, max }) =>
    integerFlag(written, describe, { min, ...(max === undefined ? {} : { max }) }),
};

/** Returns the help of a filter: the description, the valid values, and the service's default. */
function describeFilter({ help, choices, default: standard }: Filter): string {
  const values = choices ? `: ${choices.join(', ')}` : '';
  return `${help}${values}${standard === undefined ? '' : ` (default: ${standard})`}`;
}

/** Converts `ltAfterBalance` to `--lt-after-balance`, and `isHighPnLReviewed` to `--is-high-pnl-reviewed`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z](?=[a-z])/g, '-$&').toLowerCase()}`;
}

export function toggle(written: string, describe: string): Flag<true | undefined> {
  return { written, describe };
}

/** A flag `--no-NAME`. As in commander, the value of NAME is true by default, and `--no-NAME` sets it to false. */
export function negated(written: `--no-${string}`, describe: string): Flag<boolean> {
  return { written, describe };
}

/** A flag with the path of a file or folder to which the command writes. Each profile has its own path, see `Flag.ownPath`. */
export function ownPathFlag(written: string, describe: string): Flag<string | undefined> {
  const replaced = '{profile} is replaced by the name of the profile';
  return { ...textFlag(written, `${describe}; ${replaced}`), ownPath: true };
}

export function textFlag(written: string, describe: string): Flag<string | undefined> {
  return { written, describe, parse: nonEmpty };
}

/** A repeatable flag that takes a single name, because a name may contain commas. */
export function namesFlag(written: string, describe: string): Flag<readonly string[] | undefined> {
  return {
    written,
    describe,
    schema: { type: 'array', items: { type: 'string' } },
    parse: (given, previous) => [...(previous ?? []), nonEmpty(given)],
  };
}

/** A repeatable flag that takes a comma-separated list. */
export function listFlag(
  written: string,
  describe: string,
  choices?: readonly string[],
  max = Number.POSITIVE_INFINITY,
): Flag<readonly string[] | undefined> {
  return {
    written,
    describe,
    ...(choices ? { choices } : {}),
    separated: true,
    schema: { type: 'array', items: choices ? { enum: choices } : { type: 'string' } },
    parse: (given, previous) => {
      const items = given.split(',').map((item) => item.trim());
      for (const item of items) {
        if (item === '')
          throw usageError('The list contains an empty item', 'Separate items with one comma: a,b,c');
        if (choices) pick(item, choices);
      }
      const all = [...(previous ?? []), ...items];
      if (all.length > max)
        throw usageError(
          `The list may contain at most ${max} values`,
          `This list contains ${all.length} values.`,
        );
      return all;
    },
  };
}

export function choiceFlag<const T extends string>(
  written: string,
  describe: string,
  choices: readonly T[],
): Flag<T | undefined> {
  return { written, describe, choices, parse: (given) => pick(given, choices) };
}

/** A boolean filter, such as `--flag` or `--flag=false`. Without the flag, the filter is not sent. */
function tristate(written: string, describe: string): Flag<boolean | undefined> {
  return {
    written: `${written} [true|false]`,
    describe,
    choices: ['true', 'false'],
    bare: 'true',
    schema: { type: 'boolean' },
    parse: (given) => pick(given, ['true', 'false']) === 'true',
  };
}

/** The bounds of a number, and its default. Without a default, the value may be undefined. */
interface Bounds<D> {
  readonly min: number;
  readonly max?: number;
  readonly default?: D;
}

type Limits = Pick<Bounds<never>, 'min' | 'max'>;

export function integerFlag<D extends number | undefined = undefined>(
  written: string,
  describe: string,
  { default: standard, ...bounds }: Bounds<D>,
): Flag<number | D> {
  const { min, max } = bounds;
  const schema = { type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }) };
  const parse = (given: string) => parseInteger(given, bounds);
  return { written, describe, schema, ...(standard === undefined ? {} : { default: standard }), parse };
}

function parseInteger(given: string, { min, max }: Limits): number {
  const range =
    max === undefined ? `a whole number, ${min} or greater` : `a whole number from ${min} to ${max}`;
  if (!/^-?\d+$/.test(given)) throw usageError(`The value must be ${range}`);
  const number = Number(given);
  if (!Number.isSafeInteger(number) || number < min || (max !== undefined && number > max)) {
    throw usageError(`The value must be ${range}`);
  }
  return number;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A flag with a duration such as `90`, `90s`, `10m`, `2h` or `1d`. The value, the bounds and the default are in seconds. */
export function durationFlag<D extends number | undefined = undefined>(
  written: string,
  describe: string,
  { default: standard, ...bounds }: Bounds<D> = { min: 0 },
): Flag<number | D> {
  return {
    written,
    describe: `${describe}: 90, 90s, 10m, 2h`,
    ...(standard === undefined ? {} : { default: standard }),
    parse: (given) => parseDuration(given, bounds),
  };
}

function parseDuration(given: string, { min, max }: Limits): number {
  const [, digits, unit = 's'] = /^(\d{1,7})([smhd])?$/.exec(given) ?? [];
  if (digits === undefined)
    throw usageError('The value must be a duration', 'For example: 90, 90s, 10m, 2h or 1d');
  const seconds = Number(digits) * (SECONDS[unit] ?? 1);
  if (seconds >= min && (max === undefined || seconds <= max)) return seconds;
  throw usageError(
    max === undefined
      ? `The value must be at least ${min} seconds`
      : `The value must be between ${min} and ${max} seconds`,
  );
}

const BYTES: Readonly<Record<string, number>> = { k: 1000, m: 1000 ** 2, g: 1000 ** 3 };

/** A flag with a size such as `5000000`, `500k` or `5M`. The parsed value is in bytes. */
export function sizeFlag(
  written: string,
  describe: string,
  { max }: { readonly max?: number } = {},
): Flag<number | undefined> {
  return {
    written,
    describe: `${describe}: 5000000, 500k, 5M`,
    parse: (given) => {
      const [, digits, unit = ''] = /^(\d{1,12})([kmg]?)b?$/i.exec(given) ?? [];
      if (digits === undefined)
        throw usageError('The value must be a size in bytes', 'For example: 5000000, 500k or 5M');
      const bytes = Number(digits) * (BYTES[unit.toLowerCase()] ?? 1);
      if (bytes >= 1 && (max === undefined || bytes <= max)) return bytes;
      throw usageError(
        max === undefined
          ? 'The value must be at least 1 byte'
          : `The value must be between 1 and ${max} bytes`,
      );
    },
  };
}

/** A flag whose value is a decimal. The value stays a string and keeps all its characters. */
export function decimalFlag(written: string, describe: string): Flag<string | undefined> {
  return {
    written,
    describe,
    schema: { type: 'string', description: 'a decimal' },
    parse: (given) => {
      if (isDecimal(given)) return given;
      throw usageError('The value must be a decimal', 'Examples: 0, -1.5, -1e-18, 1E3');
    },
  };
}

export const dustFlag: Flag<string | undefined> = {
  written: '--dust <value>',
  describe: 'set aside findings below this value in the base currency',
  schema: { type: 'string', description: 'a decimal, 0 or greater' },
  parse: (given) => {
    if (isDecimal(given) && !given.startsWith('-') && Number.isFinite(Number(given))) return given;
    throw usageError('The value must be a decimal, 0 or greater', 'Examples: 0, 1.5, 1E3');
  },
};

function nonEmpty(given: string): string {
  if (given === '') throw usageError('The value must not be empty');
  return given;
}

function pick<T extends string>(given: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === given);
  if (found !== undefined) return found;
  const near = nearest(given, choices);
  const all = `The value must be one of ${choices.join(', ')}`;
  throw usageError(near === undefined ? all : `Did you mean ${near}? ${all}`);
}
