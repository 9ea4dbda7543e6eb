// Readers for the parts of a snapshot. A reader checks that a value has the expected type, and returns the value with that
// type. `place` is the path of the value in the document.

/** @throws RangeError if the value is invalid; the message contains `place` */
export type Reader<T> = (value: unknown, place: string) => T;

export type Saved<R> = R extends Reader<infer T> ? T : never;

export function refuse(place: string, expected: string): never {
  throw new RangeError(`Broken snapshot: ${place} must be ${expected}`);
}

export const text: Reader<string> = (value, place) =>
  typeof value === 'string' ? value : refuse(place, 'a string');

export const flag: Reader<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : refuse(place, 'true or false');

export const number: Reader<number> = (value, place) =>
  typeof value === 'number' ? value : refuse(place, 'a number');

export const whole: Reader<number> = (value, place) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse(place, 'a whole number');

export const count: Reader<number> = (value, place) => {
  const read = whole(value, place);
  return read >= 0 ? read : refuse(place, 'a whole number, 0 or greater');
};

export const record: Reader<Record<string, unknown>> = (value, place) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : refuse(place, 'an object');

export function oneOf<const T extends string | number | boolean>(...allowed: readonly T[]): Reader<T> {
  return (value, place) =>
    allowed.find((one) => one === value) ??
    refuse(place, allowed.map((one) => JSON.stringify(one)).join(' or '));
}

export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null ? null : read(value, place));
}

export function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((item: unknown, at) => read(item, `${place}[${at}]`))
      : refuse(place, 'a list');
}

export function mapOf<T>(read: Reader<T>): Reader<Record<string, T>> {
  return (value, place) =>
    Object.fromEntries(
      Object.entries(record(value, place)).map(([name, item]) => [name, read(item, `${place}.${name}`)]),
    );
}

/** Makes a reader from a function that returns an error message for an invalid value. */
export function checked<T>(read: (value: unknown) => T | string): Reader<T> {
  return (value, place) => {
    const result = read(value);
    if (typeof result === 'string') throw new RangeError(`Broken snapshot: ${place}: ${result}`);
    return result;
  };
}

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<F extends Fields> = { [K in keyof F]: Saved<F[K]> };

/** Reads an object. The members in `fields` are required, the members in `may` are optional, and other members are refused. */
export function object<F extends Fields>(fields: F): Reader<Read<F>>;
export function object<F extends Fields, M extends Fields>(
  fields: F,
  may: M,
): Reader<Read<F> & Partial<Read<M>>>;
export function object(fields: Fields, may: Fields = {}): Reader<Record<string, unknown>> {
  return (value, place) => {
    const given = record(value, place);
    const known = { ...fields, ...may };
    const other = Object.keys(given).find((name) => !Object.hasOwn(known, name));
    if (other !== undefined) refuse(place, `an object without ${JSON.stringify(other)}`);
    const missing = Object.keys(fields).find((name) => !Object.hasOwn(given, name));
    if (missing !== undefined) refuse(place, `an object with ${JSON.stringify(missing)}`);
    // Keep the order of the members, because responses contain the members in the same order.
    return Object.fromEntries(
      Object.entries(given).map(([name, item]) => [name, known[name]?.(item, `${place}.${name}`)]),
    );
  };
}
