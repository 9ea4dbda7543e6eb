import { isUtf8 } from 'node:buffer';
import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord, NestedTooDeeplyError, parseJson, stringifyJson } from '../core/json.ts';
import { type Entry, parseEntry } from './entry.ts';
import { type Line, linesOf } from './lines.ts';
import type { Range } from './pending.ts';

/** A delivery as a file keeps it. */
export interface SavedDelivery {
  /** Line of the file, or place in an array; from 1. */
  readonly line: number;
  readonly body: Uint8Array;
  /** Whether `body` is what came, byte for byte: one envelope of an array is written anew. */
  readonly isExact: boolean;
  /** What a store says of it; undefined where no more than the envelope was kept. */
  readonly entry: Entry | undefined;
  /** Where its line is in a store. */
  readonly at?: Range;
}

/** A line that holds none. */
export interface BrokenLine {
  readonly line: number;
  readonly problem: string;
}

export type SavedItem = SavedDelivery | BrokenLine;

export function isBroken(item: SavedItem): item is BrokenLine {
  return 'problem' in item;
}

/** So much is read before it must have shown that it holds deliveries; an array of them, and a line, may be as large. */
const LARGEST = 256 * 1024 * 1024;

/**
 * Reads saved deliveries one by one: the store of a listener, JSON Lines of envelopes, one envelope, or an array of them.
 *
 * @param name for messages
 * @throws usage error `NO_DELIVERIES` for what is none of it
 */
export async function* readSaved(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<SavedItem> {
  // Until a line holds a delivery, all may be the beginning of one document, or of something else altogether.
  let before: Buffer[] | undefined = [];
  let early: SavedItem[] = [];
  let isArray: boolean | undefined;
  let size = 0;
  let from = 0;
  for await (const line of linesOf(withoutMark(chunks), LARGEST)) {
    const items: SavedItem[] = isArray ? [] : readLine(line, from);
    from += line.size;
    if (before === undefined) {
      yield* items;
      continue;
    }
    size += line.bytes?.length ?? LARGEST;
    if (size > LARGEST || line.bytes === undefined) throw noDeliveries(name, 'none in its first 256 MB');
    before.push(line.bytes);
    // An item of an array may stand on a line of its own.
    isArray ??= beginsArray(line.bytes);
    if (isArray) continue;
    early.push(...items);
    if (items.every(isBroken)) continue;
    yield* early;
    early = [];
    before = undefined;
  }
  if (before?.some(hasText)) yield* readDocument(before, name);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** An editor puts one before the first line. */
async function* withoutMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const hasMark = isFirst && BYTE_ORDER_MARK.equals(chunk.subarray(0, 3));
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d;

function hasText(bytes: Uint8Array): boolean {
  return !bytes.every(isBlank);
}

/** Undefined for a blank line, which says nothing of what follows. */
function beginsArray(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => !isBlank(byte));
  return first === undefined ? undefined : first === '['.charCodeAt(0);
}

/** Nothing for a blank line. */
function readLine({ number, bytes, size, ended }: Line, from: number): SavedItem[] {
  if (bytes === undefined) return [{ line: number, problem: 'the line is longer than 256 MB' }];
  if (!hasText(bytes)) return [];
  const text = bytes.toString('utf8');
  const entry = parseEntry(text);
  if (entry) {
    return [{ line: number, body: entry.body, isExact: true, entry, at: { from, to: from + size } }];
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof NestedTooDeeplyError)
      return [{ line: number, problem: `the line cannot be read: ${error.message}` }];
    const problem = ended ? 'the line is not JSON' : 'the line is cut short: it is the last, and not JSON';
    return [{ line: number, problem }];
  }
  return [read(value, number, bytes)];
}

async function* readDocument(lines: readonly Buffer[], name: string): AsyncGenerator<SavedItem> {
  const bytes = Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line])));
  if (!isUtf8(bytes)) throw noDeliveries(name, 'it is not UTF-8');
  let value: unknown;
  try {
    value = parseJson(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof NestedTooDeeplyError) throw noDeliveries(name, error.message);
    throw noDeliveries(name, 'it is not JSON, and no line of it holds one');
  }
  if (!Array.isArray(value)) {
    const only = read(value, 1, bytes);
    if (isBroken(only)) throw noDeliveries(name, 'its JSON has none of the fields of an envelope');
    yield only;
    return;
  }
  const items = value.map((item: unknown, at) => read(item, at + 1, undefined));
  if (items.length > 0 && items.every(isBroken)) throw noDeliveries(name, 'no item of its array is one');
  yield* items;
}

/** @param bytes what stands there, where it stands by itself */
function read(value: unknown, line: number, bytes: Uint8Array | undefined): SavedItem {
  if (!isRecord(value)) return { line, problem: 'it is no delivery: no JSON object' };
  const entry = bytes === undefined ? parseEntry(stringifyJson(value)) : undefined;
  if (entry) return { line, body: entry.body, isExact: true, entry };
  if (!isEnvelope(value)) {
    return { line, problem: 'it is no delivery: neither an envelope nor a line of a store' };
  }
  return {
    line,
    body: bytes ?? Buffer.from(stringifyJson(value)),
    isExact: bytes !== undefined,
    entry: undefined,
  };
}

const ENVELOPE = ['id', 'event', 'timestamp', 'grant_id', 'workspace_id', 'data'];

/** Whether it can be meant as one, however much of it is missing: records of other kinds have an id and a time as well. */
function isEnvelope(value: JsonRecord): boolean {
  const there = ENVELOPE.filter((name) => Object.hasOwn(value, name));
  return there.length >= 2 && (there.includes('event') || there.includes('grant_id'));
}

function noDeliveries(name: string, why: string): Error {
  return usageError(
    `${name} holds no webhook deliveries: ${why}`,
    'It may be the store of cryptodata events listen, JSON Lines of envelopes, one envelope, or a JSON array of them.',
    'NO_DELIVERIES',
  );
}
