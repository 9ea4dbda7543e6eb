import { type ServiceError, UpstreamError } from '../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { serviceErrorOf } from './errors.ts';
import { visible } from './text.ts';

/** One page of a list, without its envelope. */
export interface ListPage<T = unknown> {
  /** The unchanged rows. */
  readonly rows: readonly T[];
  /** Number of rows in the whole list. */
  readonly total?: number;
  /** The total as the service sent it. Present only if the total is not a JSON integer. */
  readonly oddTotal?: string;
  /** Page size that the service used. This size may be smaller than the requested size. */
  readonly limit?: number;
  /** Number of rows before this page. */
  readonly offset?: number;
  /** Page number. The first page has number 1, or 0 with some services. */
  readonly page?: number;
  readonly totalPages?: number;
  readonly hasMore?: boolean;
  /** All other fields of the response, such as `totalValue` and `user_id`. */
  readonly extras: JsonRecord;
  /** Why the list is empty. Only the sandbox sends this hint. */
  readonly hint?: string;
}

/** Names of the paging fields in the current and the legacy API. The specification lists them in "Envelope changes". */
const COUNTS = {
  total: ['total', 'totalCount', 'total_count'],
  limit: ['limit'],
  offset: ['offset'],
  page: ['page'],
  totalPages: ['totalPages', 'total_pages'],
} as const;
const MORE = ['hasMore', 'has_more', 'hasNextPage'];
const NESTS = ['pagination', 'meta'];
const PAGING_NAMES = new Set<string>([...Object.values(COUNTS).flat(), ...MORE]);
const WRAPPING = new Set(['success', 'data', 'meta', 'message', 'user_id', 'timestamp']);

/**
 * Extracts a list from any envelope. The body may be `{success, data: […], totalCount, …}`, `{data: […], meta}`,
 * `{success, data: {NAME: […], pagination}}`, `{holdings: […], pagination}`, a bare array, or any other object that contains
 * exactly one array.
 *
 * @throws ServiceError `BAD_ENVELOPE` if the body contains no list, or several lists. If `success` is false, throws the error
 * that the body describes.
 */
export function readList(body: unknown): ListPage {
  if (Array.isArray(body)) return { rows: body, extras: {} };
  const outer = successful(body);
  const { holder, layers, sources } = partsOf(outer);
  const paging = facts(sources);
  const name = Array.isArray(outer['data']) ? 'data' : (onlyArray(holder) ?? noRows(holder, paging));
  const rows = name === undefined ? undefined : (holder[name] ?? []);
  if (name === undefined || !Array.isArray(rows)) throw badEnvelope('a list', body);
  return { rows, ...paging, extras: extrasOf(layers, name) };
}

function partsOf(outer: JsonRecord) {
  const holder = isRecord(outer['data']) ? outer['data'] : outer;
  // Inner fields take precedence, so search `data.pagination` first, then `data`, then the top level.
  const layers = holder === outer ? [outer] : [holder, outer];
  const sources = layers.flatMap((layer) => [...NESTS.map((nest) => layer[nest]).filter(isRecord), layer]);
  return { holder, layers, sources };
}

/** Returns the total as the service sent it, but only if the total is negative or not a JSON integer. */
export function oddTotalOf(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const served = first(partsOf(body).sources, COUNTS.total, (value) => value ?? undefined);
  if (served === undefined || (typeof served === 'number' && count(served) !== undefined)) return undefined;
  return visible(stringifyJson(served) ?? '', 40);
}

/** Returns the name of the field that is null instead of a list; undefined unless the total is 0. */
function noRows(holder: JsonRecord, { total }: Facts): string | undefined {
  if (total !== 0) return undefined;
  const names = Object.keys(holder).filter((key) => holder[key] === null);
  return names.find((name) => name === 'data') ?? (names.length === 1 ? names[0] : undefined);
}

/**
 * Extracts one record from an envelope such as `{success, data: {…}}` or `{data: {…}}`. A bare record is returned unchanged.
 *
 * @throws ServiceError `BAD_ENVELOPE` if the body contains no record. If `success` is false, throws the error that the body
 * describes.
 */
export function readRecord(body: unknown): JsonRecord {
  const outer = successful(body);
  if (!('data' in outer)) return outer;
  // A bare record may also have a field `data`. The other fields show whether the body is an envelope.
  const wrapped = 'success' in outer || Object.keys(outer).every((key) => WRAPPING.has(key));
  if (!wrapped) return outer;
  if (isRecord(outer['data'])) return outer['data'];
  throw badEnvelope('a record', body);
}

function successful(body: unknown): JsonRecord {
  if (!isRecord(body)) throw badEnvelope('an object', body);
  if (body['success'] !== false) return body;
  throw serviceErrorOf({ status: 200, headers: {}, body, text: '', request: 'The request' });
}

function onlyArray(holder: JsonRecord): string | undefined {
  const names = Object.keys(holder).filter((key) => Array.isArray(holder[key]));
  return names.length === 1 ? names[0] : undefined;
}

type Facts = Omit<ListPage, 'rows' | 'extras'>;

function facts(sources: readonly JsonRecord[]): Facts {
  const found: { -readonly [K in keyof Facts]: Facts[K] } = {};
  for (const fact of ['total', 'limit', 'offset', 'page', 'totalPages'] as const) {
    const value = first(sources, COUNTS[fact], count);
    const least = fact === 'limit' ? 1 : 0;
    if (value !== undefined && value >= least) found[fact] = value;
  }
  const more = first(sources, MORE, (value) => (typeof value === 'boolean' ? value : undefined));
  if (more !== undefined) found.hasMore = more;
  return found;
}

function first<T>(
  sources: readonly JsonRecord[],
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const source of sources) {
    for (const name of names) {
      const value = read(source[name]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** Reads a count from a number or a string of digits. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function extrasOf(layers: readonly JsonRecord[], rowsName: string): JsonRecord {
  const extras: JsonRecord = {};
  for (const layer of layers.toReversed()) {
    for (const [key, value] of Object.entries(layer)) {
      if (key === rowsName || key === 'data' || key === 'success') continue;
      if (NESTS.includes(key) && isRecord(value)) continue;
      if (PAGING_NAMES.has(key) && (count(value) !== undefined || typeof value === 'boolean')) continue;
      extras[key] = value;
    }
  }
  return extras;
}

function badEnvelope(wanted: string, body: unknown): ServiceError {
  const came = isRecord(body)
    ? `an object with ${Object.keys(body).slice(0, 20).map(described(body)).join(', ') || 'no fields'}`
    : body === undefined
      ? 'an empty body'
      : Array.isArray(body)
        ? 'an array'
        : visible(String(JSON.stringify(body)), 100);
  return new UpstreamError('BAD_ENVELOPE', `The response does not contain ${wanted}; it is ${came}`, {
    hint: 'To show the response, use `request()`.',
  });
}

function described(body: JsonRecord): (key: string) => string {
  return (key) => {
    const value = body[key];
    const kind = Array.isArray(value) ? 'array' : isRecord(value) ? 'object' : typeof value;
    return `${visible(key, 60)} (${value === null ? 'null' : kind})`;
  };
}
