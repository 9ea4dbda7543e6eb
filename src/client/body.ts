import { isAscii, isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { systemCode } from '../base/errors.ts';
import { ServiceError } from './errors.ts';

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Collects a body into `parts`, and stops reading once it is larger than `limit` bytes. */
export async function collect(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  parts: Uint8Array[],
): Promise<void> {
  let size = 0;
  // Leaving the loop destroys the stream: nothing more is read.
  for await (const part of body) {
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
}

/**
 * Undoes `Content-Encoding`, and takes UTF-8 alone: a replaced character would be altered data. The limit holds for the
 * body unpacked, too: a few packed bytes can be gigabytes.
 */
export async function unpack(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const plain = await undo(bytes, encoding?.trim().toLowerCase() || 'identity', limit);
  if (!isUtf8(plain)) throw new TypeError('the text is not UTF-8');
  return plain;
}

/** The text of valid UTF-8. */
export function textOf(bytes: Buffer): string {
  // Several times as fast as a TextDecoder, which a long export would spend a tenth of its time in.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

async function undo(bytes: Buffer, encoding: string, limit: number): Promise<Buffer> {
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  if (!isKnown(encoding)) throw new TypeError(`unknown content encoding ${JSON.stringify(encoding)}`);
  try {
    return await DECODERS[encoding](bytes, { maxOutputLength: limit });
  } catch (error) {
    throw systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : error;
  }
}

function isKnown(encoding: string): encoding is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, encoding);
}

export function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'service',
    'ANSWER_TOO_LARGE',
    `The answer is larger than ${limit} bytes: it was not read to its end`,
    { hint: 'Ask for fewer rows at once (limit).' },
  );
}
