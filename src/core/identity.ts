import { isJsonNumber, isRecord, type JsonRecord, stringifyJson } from './json.ts';

/** Identifies a row by its id, or by its whole content if it has no id. */
export function identityOf(row: unknown): string {
  return (isRecord(row) ? idOf(row) : undefined) ?? contentOf(row);
}

/** Identifies a row by its whole content, regardless of the order of its fields. Numbers keep every digit. */
export function contentOf(row: unknown): string {
  return `json:${stringifyJson(sorted(row ?? null))}`;
}

/** The id of a record as text; a numeric id may have any number of digits. An empty id counts as missing. */
export function idOf({ id }: JsonRecord): string | undefined {
  if (typeof id === 'string') return id === '' ? undefined : textId(id);
  return isJsonNumber(id) ? `#${id}` : undefined;
}

/**
 * The identity of a row whose id is a string. A string that could also be the identity of another row gets a leading quotation
 * mark.
 */
export function textId(id: string): string {
  return /^(?:["#]|json:)/.test(id) ? `"${id}` : id;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => [name, sorted(item)]);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
