import { isExactNumber, isRecord, type JsonRecord, type LosslessNumber } from '../core/json.ts';
import { ServiceError } from './errors.ts';
import { visible } from './text.ts';

/** A number of the service: one that a double cannot hold comes as a {@link LosslessNumber}. */
export type JsonNumber = number | LosslessNumber;

export type Guard<V> = (value: unknown) => value is V;

/** One guard for each field that a record's type names; the compiler holds the two together. */
export type Guards<R> = { readonly [K in keyof R]-?: Guard<R[K]> };

/**
 * Checks the fields that a type names, and returns the record itself: same keys, order and values, fields that
 * no specification names included.
 *
 * @throws ServiceError `BAD_RECORD` that names the field
 */
export function checkRecord<R extends object>(
  value: unknown,
  noun: string,
  guards: Guards<R>,
): R & JsonRecord {
  if (!isRecord(value)) throw badRecord(noun, undefined, 'is no object', value);
  if (conforms(value, guards)) return value;
  for (const name in guards) {
    if (!guards[name](value[name]))
      throw badRecord(noun, value['id'], `has an unexpected ${name}`, value[name]);
  }
  throw badRecord(noun, value['id'], 'cannot be read', undefined);
}

function conforms<R extends object>(value: JsonRecord, guards: Guards<R>): value is R & JsonRecord {
  for (const name in guards) if (!guards[name](value[name])) return false;
  return true;
}

function badRecord(noun: string, id: unknown, what: string, value: unknown): ServiceError {
  const which = typeof id === 'string' ? ` ${JSON.stringify(visible(id, 100))}` : '';
  const came = value === undefined ? 'nothing' : visible(String(JSON.stringify(value)), 100);
  return new ServiceError('service', 'BAD_RECORD', `A ${noun}${which} ${what}: ${came}`, {
    hint: 'The record itself, unchecked: asServed() on the list, or getAsServed(id).',
  });
}

export const isString: Guard<string> = (value) => typeof value === 'string';
export const isBoolean: Guard<boolean> = (value) => typeof value === 'boolean';
export const isNumber: Guard<number> = (value) => typeof value === 'number';
export const isJsonNumber: Guard<JsonNumber> = (value): value is JsonNumber =>
  typeof value === 'number' || isExactNumber(value);
export const isObject: Guard<JsonRecord> = isRecord;

export function optional<V>(guard: Guard<V>): Guard<V | undefined> {
  return (value): value is V | undefined => value === undefined || guard(value);
}

export function nullable<V>(guard: Guard<V>): Guard<V | null | undefined> {
  return (value): value is V | null | undefined => value === null || value === undefined || guard(value);
}

export function arrayOf<V>(guard: Guard<V>): Guard<readonly V[]> {
  return (value): value is readonly V[] => Array.isArray(value) && value.every(guard);
}

export function mapOf<V>(guard: Guard<V>): Guard<Readonly<Record<string, V>>> {
  return (value): value is Readonly<Record<string, V>> =>
    isRecord(value) && Object.values(value).every(guard);
}

export function objectOf<R extends object>(guards: Guards<R>): Guard<R & JsonRecord> {
  return (value): value is R & JsonRecord => isRecord(value) && conforms(value, guards);
}
