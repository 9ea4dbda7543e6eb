import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import {
  BodyTooLarge,
  collect,
  decodeText,
  discard,
  flatHeaders,
  join,
  readableText,
  unpack,
} from '../core/body.ts';
import { CryptodataError, systemCode } from '../core/errors.ts';
import { isRecord, type JsonRecord, NestedTooDeeplyError, parseJson, stringifyJson } from '../core/json.ts';
import { interrupted, networkError } from '../core/network.ts';
import { retryAfter } from '../core/retry.ts';
import {
  badAnswer,
  badEnvelope,
  damaged,
  named,
  redirected,
  serviceErrorOf,
  tooDeep,
  tooLarge,
} from './errors.ts';
import type { Sender } from './fetch.ts';
import type { Exchanged, Outgoing, ServiceRequest } from './request.ts';
import { looksLikeHtml, visible } from './text.ts';

export interface ExchangeLimits {
  readonly maxBodyBytes: number;
  /** Milliseconds to wait for the headers or the next chunk of the body (default: the dispatcher's timeouts). */
  readonly idleTimeout: number | undefined;
  readonly now: () => number;
  readonly read?: ServiceRequest['read'];
  /** Whether the program that uses the library passed its own `dispatcher`. */
  readonly givenConnections?: boolean | undefined;
}

/**
 * Sends a request without retries, and reads the complete response.
 *
 * @throws ServiceError if the status is not 2xx, or if the response cannot be read
 * @throws CryptodataError of kind `network` if there is no response
 * @throws InterruptedError if the signal is aborted
 */
export async function exchange(
  dispatcher: Sender,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  const { idleTimeout } = limits;
  let answer: Dispatcher.ResponseData;
  try {
    answer = await dispatcher.request({
      method: out.method,
      origin: out.origin,
      path: out.target,
      headers: { ...out.headers },
      body: typeof out.body === 'object' ? Readable.from(out.body) : (out.body ?? null),
      signal: out.signal ?? null,
      ...(idleTimeout === undefined ? {} : { headersTimeout: idleTimeout, bodyTimeout: idleTimeout }),
    });
  } catch (error) {
    if (error instanceof CryptodataError) throw error;
    // The request was invalid. This is a bug, not a network error.
    if (systemCode(error) === 'UND_ERR_INVALID_ARG') throw error;
    throw out.signal?.aborted
      ? interrupted(out.signal)
      : networkError(error, out.origin, limits.givenConnections);
  }
  const headers = flatHeaders(answer.headers);
  const status = answer.statusCode;
  if (status >= 300 && status < 400) {
    discard(answer.body);
    throw redirected(status, headers['location'], out);
  }
  if (status < 200 || status >= 300) throw await failed(answer, headers, out, limits);
  const parts = await readParts(answer, headers, out, limits);
  // Read before the next `await`. During an `await`, another response may overwrite the shared buffer.
  const bytes = join(parts);
  // Reject invalid UTF-8, because replacement characters would alter the data.
  if (!isUtf8(bytes)) throw damaged(new TypeError(notText(headers)), bytes, status, out);
  const body = limits.read ? limits.read(bytes) : parsed(decodeText(bytes), headers, status, out);
  return { status, headers, body };
}

function notText(headers: Readonly<Record<string, string>>): string {
  const encoding = headers['content-encoding'];
  return `the text is not UTF-8${encoding ? ` (content-encoding: ${visible(encoding, 60)})` : ''}`;
}

/**
 * Returns the error of a response whose status is not 2xx. The status determines the error, with or without a body.
 */
async function failed(
  answer: Dispatcher.ResponseData,
  headers: Readonly<Record<string, string>>,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<CryptodataError> {
  const { statusCode: status } = answer;
  const parts: Uint8Array[] = [];
  let text: string | undefined;
  try {
    await collect(answer.body, limits.maxBodyBytes, parts);
    text = readableText(join(await unpack(parts, headers['content-encoding'], limits.maxBodyBytes)));
  } catch {
    discard(answer.body);
    if (out.signal?.aborted) return interrupted(out.signal);
    // The beginning of a body that is cut short may contain the reason.
    if (headers['content-encoding'] === undefined) text = readableText(join(parts));
  }
  const retry = retryAfter(headers, limits.now());
  return serviceErrorOf({
    status,
    headers,
    body: tryJson(text),
    text,
    request: named(out),
    retryAfter: retry,
  });
}

async function readParts(
  answer: Dispatcher.ResponseData,
  headers: Readonly<Record<string, string>>,
  out: Outgoing,
  limits: ExchangeLimits,
): Promise<readonly Uint8Array[]> {
  const limit = limits.maxBodyBytes;
  const parts: Uint8Array[] = [];
  try {
    if (Number(headers['content-length'] ?? 0) > limit && out.method !== 'HEAD')
      throw new BodyTooLarge(String(limit));
    await collect(answer.body, limit, parts);
    return await unpack(parts, headers['content-encoding'], limit);
  } catch (error) {
    discard(answer.body);
    if (error instanceof BodyTooLarge) throw tooLarge(limit);
    if (out.signal?.aborted) throw interrupted(out.signal);
    const network = networkError(error, out.origin, limits.givenConnections);
    if (network.code === 'TIMED_OUT') throw network;
    throw damaged(error, Buffer.concat(parts), answer.statusCode, out);
  }
}

function parsed(
  text: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  out: Outgoing,
): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NestedTooDeeplyError) throw tooDeep(status, out, error);
    if (!looksLikeHtml(text, headers['content-type'])) {
      throw badAnswer('The response is incomplete or is not valid JSON', text, status, out, error);
    }
    const { reason } = serviceErrorOf({ status: 502, headers, body: undefined, text, request: named(out) });
    throw badAnswer(reason, text, status, out, error);
  }
}

function tryJson(text: string | undefined): unknown {
  try {
    return text && parseJson(text);
  } catch {
    return undefined;
  }
}

/** One page of a list, without its envelope. */
export interface ListPage<T = unknown> {
  /** The unchanged rows. */
  readonly rows: readonly T[];
  /** Number of rows in the whole list. */
  readonly total?: number;
  /** The total as the service sent it, if the total is not a JSON integer; otherwise absent. */
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
  return { rows, ...paging, ...oddTotalIn(sources), extras: extrasOf(layers, name) };
}

function partsOf(outer: JsonRecord) {
  const holder = isRecord(outer['data']) ? outer['data'] : outer;
  // Inner fields take precedence, so search `data.pagination` first, then `data`, then the top level.
  const layers = holder === outer ? [outer] : [holder, outer];
  const sources = layers.flatMap((layer) => [...NESTS.map((nest) => layer[nest]).filter(isRecord), layer]);
  return { holder, layers, sources };
}

/** Returns the total as the service sent it, but only if the total is negative or not a JSON integer. */
function oddTotalIn(sources: readonly JsonRecord[]): Pick<ListPage, 'oddTotal'> {
  const served = first(sources, COUNTS.total, (value) => value ?? undefined);
  if (served === undefined || (typeof served === 'number' && count(served) !== undefined)) return {};
  return { oddTotal: visible(stringifyJson(served) ?? '', 40) };
}

/** Returns the name of the field that is null instead of a list, if the total is 0; otherwise undefined. */
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
  // A bare record may also have a field `data`. The fields beside `data` show whether the body is an envelope.
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
