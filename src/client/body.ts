import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { type ServiceError, systemCode, UpstreamError } from '../core/errors.ts';

/** Loads `node:zlib`, which only compressed bodies need. */
async function decoders() {
  const { brotliDecompress, gunzip, inflate } = await import('node:zlib');
  const ungzip = promisify(gunzip);
  return new Map([
    ['gzip', ungzip],
    ['x-gzip', ungzip],
    ['deflate', promisify(inflate)],
    ['br', promisify(brotliDecompress)],
  ]);
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
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
}

/** Decompresses a body. The limit applies to the decompressed size too, because a few bytes can expand to gigabytes. */
export async function unpack(
  parts: readonly Uint8Array[],
  encoding: string | undefined,
  limit: number,
): Promise<readonly Uint8Array[]> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity' || parts.length === 0) return parts;
  const decode = (await decoders()).get(name);
  if (!decode) throw new TypeError(`unknown content encoding ${JSON.stringify(name)}`);
  try {
    return [await decode(Buffer.concat(parts), { maxOutputLength: limit })];
  } catch (error) {
    throw systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : error;
  }
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
export function textOf(bytes: Buffer): string {
  // `TextDecoder` is several times slower. With it, decoding would take a tenth of the total time of a long export.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

export function tooLarge(limit: number): ServiceError {
  return new UpstreamError(
    'ANSWER_TOO_LARGE',
    `The response is larger than ${limit} bytes and was not read completely`,
    { hint: 'Request fewer rows per page, with a smaller "limit".' },
  );
}
