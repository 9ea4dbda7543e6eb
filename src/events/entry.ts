import { isUtf8 } from 'node:buffer';
import { isRecord, jsonText } from '../core/json.ts';

export interface DeliveryEntry {
  /** Time of receipt in ISO 8601. */
  readonly received: string;
  /** Delivery id; null if the delivery has no string id. */
  readonly id: string | null;
  readonly event: string | null;
  /** The stored headers: content-type, user-agent, and the signature header if one is configured. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as received, byte for byte. */
  readonly body: Uint8Array;
  /** Differences between the body and the specification. The body is checked when the delivery is received. */
  readonly problems: readonly string[];
}

/** The JSON object for an entry in the store. */
export function entryRecord({
  received,
  id,
  event,
  headers,
  body,
  problems,
}: DeliveryEntry): Record<string, unknown> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return {
    ...{ received, id, event, headers },
    ...(isUtf8(bytes) ? { body: bytes.toString('utf8') } : { bodyBase64: bytes.toString('base64') }),
    problems,
  };
}

/** The line for an entry, with its line feed. Control characters are escaped, so that a terminal can safely show the line. */
export function entryLine(entry: DeliveryEntry): Buffer {
  return Buffer.from(`${jsonText(entryRecord(entry))}\n`);
}

/** Parses a line. Returns undefined if the line is incomplete or is not an entry. */
export function parseEntry(line: string): DeliveryEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { received, id, event, headers, problems } = value;
  const body = bodyOf(value);
  if (body === undefined || typeof received !== 'string' || !isRecord(headers) || !Array.isArray(problems))
    return undefined;
  if (!isTextOrNull(id) || !isTextOrNull(event)) return undefined;
  return {
    ...{ received, id, event, body },
    headers: Object.fromEntries(
      Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'),
    ),
    problems: problems.filter((problem) => typeof problem === 'string'),
  };
}

function bodyOf({ body, bodyBase64 }: Record<string, unknown>): Uint8Array | undefined {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  return typeof bodyBase64 === 'string' ? Buffer.from(bodyBase64, 'base64') : undefined;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** A range of bytes in a file; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Line {
  /** Line number, starting at 1. */
  readonly number: number;
  /** The bytes without the line feed; undefined if the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** The byte range of the line, including the line feed. */
  readonly at: Range;
  /** Whether the line ends with a line feed. Only the last line of a file can lack a line feed. */
  readonly ended: boolean;
}

/**
 * Maximum length of a line in bytes. The lines of a store are far shorter.
 */
export const LONGEST_LINE = 256 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines. Keeps only one line in memory.
 *
 * @param start position of the first byte in the file
 */
export async function* linesInFile(
  chunks: AsyncIterable<Uint8Array>,
  start = 0,
  longest = LONGEST_LINE,
): AsyncGenerator<Line> {
  let number = 0;
  let from = start;
  let length = 0;
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    length += part.length;
    if (length > longest) parts = [];
    else parts.push(part);
  };
  const line = (ended: boolean): Line => {
    const [first] = parts;
    const whole = first && parts.length === 1 ? first : Buffer.concat(parts);
    const at = { from, to: from + length + (ended ? 1 : 0) };
    number += 1;
    const made = { number, bytes: length > longest ? undefined : whole, at, ended };
    from = at.to;
    length = 0;
    parts = [];
    return made;
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let begin = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, begin)) {
      add(bytes.subarray(begin, end));
      begin = end + 1;
      yield line(true);
    }
    if (begin < bytes.length) add(bytes.subarray(begin));
  }
  if (length > 0) yield line(false);
}
