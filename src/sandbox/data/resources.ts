// Records whose fields the spec does not show. There are none but those that the user gives, and these are served as
// given: numbers keep every digit they were written with.

import { stringify } from 'lossless-json';

export const RESOURCES = [
  'ledgers',
  'integrations',
  'holdings',
  'nfts',
  'defi',
  'defi-totals',
  'calculated-balances',
  'integration-assets',
  'labels',
  'assets',
  'spam',
  'contacts',
  'counter-parties',
  'currencies',
] as const;

export type Resource = (typeof RESOURCES)[number];

/**
 * Records, or `{ data: [record, …], … }` where the further members stand beside `data` in the answer, as totals do.
 * A value may be a bigint, or hold `LosslessNumber`s of lossless-json, where a double would lose digits.
 */
export type ResourceData = readonly unknown[] | Readonly<Record<string, unknown>>;
export type SandboxData = Partial<Readonly<Record<Resource, ResourceData>>>;

export interface Given {
  readonly values: readonly unknown[];
  /** Members beside `data`. */
  readonly extras: Readonly<Record<string, string>>;
}

/** @throws RangeError for a resource that is none, or records that are no list. */
export function readResources(data: SandboxData): ReadonlyMap<string, Given> {
  return new Map(Object.entries(data).map(([name, given]) => [name, readResource(name, given)]));
}

function readResource(name: string, given: unknown): Given {
  if (!RESOURCES.some((resource) => resource === name)) {
    throw new RangeError(`data.${name} is no resource; there are ${RESOURCES.join(', ')}`);
  }
  if (Array.isArray(given)) return { values: given, extras: {} };
  if (typeof given !== 'object' || given === null) throw new RangeError(`data.${name} must be a list`);
  // Totals are one record, and no list.
  if (name === 'defi-totals') return { values: [given], extras: {} };
  const { data, ...extras }: { data?: unknown } = given;
  if (!Array.isArray(data))
    throw new RangeError(`data.${name} must be a list, or an object with one in data`);
  const texts = Object.entries(extras).map(([member, value]) => [member, jsonOf(value)]);
  return { values: data, extras: Object.fromEntries(texts) };
}

export function jsonOf(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** A member of a record, whatever the record is. */
export function member(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null
    ? Object.getOwnPropertyDescriptor(record, name)?.value
    : undefined;
}
