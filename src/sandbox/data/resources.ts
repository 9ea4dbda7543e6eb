// Records that the user supplies, mostly for lists whose fields the specification does not define. The sandbox serves
// these records unchanged, so numbers keep every digit.

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
 * A list of records, or an object with the list in `data`. The response also contains the other members of the object, such as
 * totals. If a double would lose digits of a number, use a bigint or a `LosslessNumber` of lossless-json.
 */
export type ResourceData = readonly unknown[] | Readonly<Record<string, unknown>>;
export type SandboxData = Partial<Readonly<Record<Resource, ResourceData>>>;

export interface Given {
  readonly values: readonly unknown[];
  /** All members of the given object except `data`. The values are JSON text. */
  readonly extras: Readonly<Record<string, string>>;
}

export type Resources = ReadonlyMap<string, Given>;

/** @throws RangeError for an unknown resource, or if the records are not in a list */
export function readResources(data: SandboxData): Resources {
  return new Map(Object.entries(data).map(([name, given]) => [name, readResource(name, given)]));
}

function readResource(name: string, given: unknown): Given {
  if (!RESOURCES.some((resource) => resource === name)) {
    throw new RangeError(`Unknown resource data.${name}; use one of ${RESOURCES.join(', ')}`);
  }
  if (Array.isArray(given)) return { values: given, extras: {} };
  if (typeof given !== 'object' || given === null) throw new RangeError(`data.${name} must be a list`);
  // `defi-totals` is a single record.
  if (name === 'defi-totals') return { values: [given], extras: {} };
  const { data, ...extras }: { data?: unknown } = given;
  if (!Array.isArray(data))
    throw new RangeError(`data.${name} must be a list, or an object with a list in "data"`);
  const texts = Object.entries(extras).map(([member, value]) => [member, jsonOf(value)]);
  return { values: data, extras: Object.fromEntries(texts) };
}

export function jsonOf(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Returns a member of a record; undefined if the record is not an object or has no such member. */
export function member(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null
    ? Object.getOwnPropertyDescriptor(record, name)?.value
    : undefined;
}
