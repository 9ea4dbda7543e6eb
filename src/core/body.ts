import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { systemCode } from './errors.ts';

/** Returns the headers by their lower-case names. The values of a repeated header are joined with commas. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

/** Closes a response, or another stream, that is not read to its end. */
export function discard(stream: Readable): void {
  stream.on('error', () => undefined).destroy();
}

/** Thrown if a body is larger than the limit, in bytes. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Collects a body into `parts`. Throws an error if the body is larger than `limit` bytes. */
export async function collect(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  parts: Uint8Array[],
): Promise<void> {
  let size = 0;
  // An error in the loop destroys the stream, so nothing more is read.
  for await (const part of body) {
    size += part.length;
    if (size > limit) throw new BodyTooLarge(String(limit));
    parts.push(part);
  }
}

/** Maximum number of codings, as in undici and curl. Each coding can make a body a thousand times larger. */
const MAX_CODINGS = 5;

/**
 * Decompresses a body. `Content-Encoding` lists the codings in the order in which they were applied (RFC 9110, 8.4). Names
 * that mean no coding, such as `identity` or a charset, are ignored. A body that is not in the named format is returned
 * unchanged, because some proxies decompress a body and keep the header. The limit applies to the decompressed size too,
 * because a few bytes can expand to gigabytes.
 */
export async function unpack(
  parts: readonly Uint8Array[],
  encoding: string | undefined,
  limit: number,
): Promise<readonly Uint8Array[]> {
  const codings = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const known = codings.filter((name) => KNOWN.has(name)).reverse();
  if (known.length === 0 || parts.length === 0) return parts;
  if (known.length > MAX_CODINGS) throw new TypeError(`the response has ${known.length} content codings`);
  let bytes: Buffer = Buffer.concat(parts);
  try {
    for (const name of known) bytes = await decode(name, bytes, limit);
  } catch (error) {
    throw systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? new BodyTooLarge(String(limit)) : error;
  }
  return [bytes];
}

const KNOWN: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

async function decode(name: string, bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  // Load `node:zlib` only for compressed bodies.
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib');
  const isText = isUtf8(bytes) && /^\s*[[{"<]/.test(bytes.toString('latin1', 0, 100));
  if (isText) return bytes;
  if (name === 'br') return promisify(brotliDecompress)(bytes, { maxOutputLength });
  if (name !== 'deflate') return promisify(gunzip)(bytes, { maxOutputLength });
  // Many servers send raw deflate data instead of the zlib format (RFC 9110, 8.4.1.2).
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return promisify(isZlib ? inflate : inflateRaw)(bytes, { maxOutputLength });
}

/** Bodies up to this size are joined in a shared buffer. */
const USUAL_SIZE = 1024 * 1024;
let joint = Buffer.alloc(0);

/**
 * Joins the parts of a body. The result is valid only until the next call, because most bodies share one buffer. A long export
 * has thousands of pages. With a separate buffer for each page, memory would be freed late.
 */
export function join(parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (size > USUAL_SIZE) return Buffer.concat(parts, size);
  if (joint.length < size) joint = Buffer.allocUnsafeSlow(Math.min(USUAL_SIZE, 2 * size));
  let end = 0;
  for (const part of parts) {
    joint.set(part, end);
    end += part.length;
  }
  return joint.subarray(0, size);
}

/** Decodes valid UTF-8. */
export function decodeText(bytes: Buffer): string {
  // Do not use `TextDecoder`: it is several times slower, and would take a tenth of the total time of a long export.
  return withoutMark(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'));
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * Decodes any text, for messages and for responses that must not be lost. Text that is neither UTF-8 nor UTF-16 is read as
 * Latin-1.
 */
export function readableText(bytes: Buffer): string {
  const order = utf16Order(bytes);
  if (order !== undefined) return withoutMark(new TextDecoder(order).decode(bytes));
  return isUtf8(bytes) ? decodeText(bytes) : bytes.toString('latin1');
}

/**
 * Recognises UTF-16 by its byte order mark. JSON always starts with an ASCII character (RFC 4627, 3), so text without a mark is
 * UTF-16 if this character has a zero byte.
 */
function utf16Order([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (first === undefined || second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
}
