import { isUtf8 } from 'node:buffer';
import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord, NestedTooDeeplyError, parseJson, stringifyJson } from '../core/json.ts';
import { type DeliveryEntry, type Line, LONGEST_LINE, linesInFile, parseEntry, type Range } from './entry.ts';

export interface SavedDelivery {
  /** Number of the line in the file, or of the item in an array, starting at 1. */
  readonly line: number;
  readonly body: Uint8Array;
  /** The entry from a store; undefined if the file contains only the envelope of the delivery. */
  readonly entry: DeliveryEntry | undefined;
  /** The byte range of the line in a store. */
  readonly at?: Range;
}

export interface InvalidLine {
  readonly line: number;
  readonly problem: string;
}

export type SavedItem = SavedDelivery | InvalidLine;

export function isInvalid(item: SavedItem): item is InvalidLine {
  return 'problem' in item;
}

/**
 * Reads saved deliveries one by one. The file is the store of a listener, or contains envelopes: a single envelope, one
 * envelope per line, or a JSON array of envelopes.
 *
 * @param name name of the file for error messages
 * @throws usage error `NO_DELIVERIES` if the file has other contents
 */
export async function* readSaved(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<SavedItem> {
  // The lines before the first delivery. Together, these lines may be the start of a JSON document.
  let document: Buffer[] | undefined = [];
  let invalid: SavedItem[] = [];
  let isArray: boolean | undefined;
  let size = 0;
  for await (const line of linesInFile(withoutByteOrderMark(chunks))) {
    const items: SavedItem[] = isArray ? [] : readLine(line);
    if (document === undefined) {
      yield* items;
      continue;
    }
    size += line.at.to - line.at.from;
    if (size > LONGEST_LINE || line.bytes === undefined) {
      throw noDeliveries(name, 'the first 256 MB contain no delivery');
    }
    document.push(line.bytes);
    // A JSON array with one item per line is still an array, not JSON Lines.
    isArray ??= startsArray(line.bytes);
    if (isArray) continue;
    if (items.every(isInvalid)) invalid.push(...items);
    else {
      yield* invalid;
      yield* items;
      invalid = [];
      document = undefined;
    }
  }
  if (document?.some((line) => !line.every(isBlank))) yield* readDocument(document, name);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

async function* withoutByteOrderMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst && BYTE_ORDER_MARK.equals(chunk.subarray(0, 3)) ? chunk.subarray(3) : chunk;
    isFirst = false;
  }
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** Whether the line starts a JSON array; undefined for a blank line. */
function startsArray(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => !isBlank(byte));
  return first === undefined ? undefined : first === '['.charCodeAt(0);
}

/** Parses a line. Returns an empty list for a blank line. */
function readLine({ number, bytes, at, ended }: Line): SavedItem[] {
  if (bytes === undefined) return [{ line: number, problem: 'the line is longer than 256 MB' }];
  if (bytes.every(isBlank)) return [];
  const text = bytes.toString('utf8');
  const entry = parseEntry(text);
  if (entry) return [{ line: number, body: entry.body, entry, at }];
  try {
    return [readItem(parseJson(text), number, bytes)];
  } catch (error) {
    const problem =
      error instanceof NestedTooDeeplyError
        ? `the line cannot be read: ${error.message}`
        : `the line is not JSON${ended ? '' : ': the last line is incomplete'}`;
    return [{ line: number, problem }];
  }
}

async function* readDocument(lines: readonly Buffer[], name: string): AsyncGenerator<SavedItem> {
  const bytes = Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line])));
  if (!isUtf8(bytes)) throw noDeliveries(name, 'it is not UTF-8');
  let value: unknown;
  try {
    value = parseJson(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof NestedTooDeeplyError) throw noDeliveries(name, error.message);
    throw noDeliveries(name, 'neither the file nor any of its lines is JSON');
  }
  if (!Array.isArray(value)) {
    const only = readItem(value, 1, bytes);
    if (isInvalid(only)) throw noDeliveries(name, 'the JSON is not an envelope');
    yield only;
    return;
  }
  const items = value.map((item: unknown, at) => readItem(item, at + 1));
  if (items.length > 0 && items.every(isInvalid))
    throw noDeliveries(name, 'the JSON array contains no envelope');
  yield* items;
}

/** @param bytes the original bytes of the item. If `bytes` is omitted, the body is serialized from `value`. */
function readItem(value: unknown, line: number, bytes?: Uint8Array): SavedItem {
  if (!isRecord(value)) return { line, problem: 'not a delivery: not a JSON object' };
  const entry = bytes === undefined ? parseEntry(stringifyJson(value)) : undefined;
  if (entry) return { line, body: entry.body, entry };
  if (!isEnvelope(value)) {
    return { line, problem: 'not a delivery: neither an envelope nor a line of a store' };
  }
  return { line, body: bytes ?? Buffer.from(stringifyJson(value)), entry: undefined };
}

const ENVELOPE = ['id', 'event', 'timestamp', 'grant_id', 'workspace_id', 'data'];

/**
 * Whether a value is an envelope, even an incomplete one. An id and a timestamp are not enough, because other records also have
 * them.
 */
function isEnvelope(value: JsonRecord): boolean {
  const names = ENVELOPE.filter((name) => Object.hasOwn(value, name));
  return names.length >= 2 && (names.includes('event') || names.includes('grant_id'));
}

function noDeliveries(name: string, why: string): Error {
  return usageError(
    `${name} contains no webhook deliveries: ${why}`,
    'Use the store of "cryptodata events listen", or a file with one envelope, a JSON array of envelopes, or one envelope per line.',
    'NO_DELIVERIES',
  );
}
