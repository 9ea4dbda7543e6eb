// Declares the JSON that the sandbox reads: options, the bodies of control requests, and snapshots. A reader checks that a value
// has the declared type, and returns the value with that type. `place` is the path of the value, and empty for the whole value.

import { suggestion } from './nearest.ts';

/** @throws RangeError if the value is invalid; the message contains `place` */
export type Reader<T> = (value: unknown, place: string) => T;

export type Saved<R> = R extends Reader<infer T> ? T : never;

export function refuse(place: string, expected: string): never {
  throw new RangeError(`${place === '' ? 'The value' : `"${place}"`} must be ${expected}`);
}

/** Makes a reader from a test and a description of the valid values. */
function of<T>(accepts: (value: unknown) => value is T, expected: string): Reader<T> {
  return (value, place) => (accepts(value) ? value : refuse(place, expected));
}

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

function whole(least: number, most = Number.MAX_SAFE_INTEGER, unit = ''): Reader<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or greater` : ` from ${least} to ${most}`;
  const accepts = (value: unknown): value is number => isWhole(value) && value >= least && value <= most;
  return of(accepts, `a whole number${unit === '' ? '' : ` of ${unit}`}${range}`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const record = of(isObject, 'an object');

const inner = (place: string, name: string) => (place === '' ? name : `${place}.${name}`);

function mapOf<T>(read: Reader<T>): Reader<Record<string, T>> {
  return (value, place) =>
    Object.fromEntries(
      Object.entries(record(value, place)).map(([name, item]) => [name, read(item, inner(place, name))]),
    );
}

function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((item: unknown, at) => read(item, `${place}[${at}]`))
      : refuse(place, 'a list');
}

/** Makes a reader from a function that returns an error message for an invalid value. */
function checked<T>(read: (value: unknown) => T | string): Reader<T> {
  return (value, place) => {
    const result = read(value);
    if (typeof result === 'string') throw new RangeError(place === '' ? result : `${place}: ${result}`);
    return result;
  };
}

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<F extends Fields> = { readonly [K in keyof F]: Saved<F[K]> };

/** Reads an object. The members in `fields` are required, the members in `may` are optional, and other members are refused. */
function object<F extends Fields>(fields: F): Reader<Read<F>>;
function object<F extends Fields, M extends Fields>(fields: F, may: M): Reader<Read<F> & Partial<Read<M>>>;
function object(fields: Fields, may: Fields = {}): Reader<Record<string, unknown>> {
  const known = { ...fields, ...may };
  return (value, place) => {
    const given = Object.entries(record(value, place)).filter(([, item]) => item !== undefined);
    const other = given.find(([name]) => !Object.hasOwn(known, name))?.[0];
    if (other !== undefined) throw new RangeError(unknownName(other, Object.keys(known), place));
    const missing = Object.keys(fields).find((name) => !given.some(([own]) => own === name));
    if (missing !== undefined) fields[missing]?.(undefined, inner(place, missing));
    // Keep the order of the members, because responses contain the members in the same order.
    return Object.fromEntries(given.map(([name, item]) => [name, known[name]?.(item, inner(place, name))]));
  };
}

function unknownName(name: string, names: readonly string[], place: string): string {
  return `Unknown field ${JSON.stringify(name)}${place === '' ? '' : ` in "${place}"`}; ${suggestion(name, names)}`;
}

/** The readers, by the type that they read. */
export const shape = {
  any: (value: unknown) => value,
  text: of((value) => typeof value === 'string', 'a string'),
  flag: of((value) => typeof value === 'boolean', 'true or false'),
  number: of((value) => typeof value === 'number', 'a number'),
  count: whole(0),
  of,
  whole,
  record,
  mapOf,
  listOf,
  object,
  checked,
  oneOf<const T extends string | number | boolean>(...allowed: readonly T[]): Reader<T> {
    const expected = allowed.map((one) => JSON.stringify(one)).join(' or ');
    return (value, place) => allowed.find((one) => one === value) ?? refuse(place, expected);
  },
  nullable<T>(read: Reader<T>): Reader<T | null> {
    return (value, place) => (value === null ? null : read(value, place));
  },
};
