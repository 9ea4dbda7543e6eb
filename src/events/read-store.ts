import { createReadStream } from 'node:fs';
import { CryptodataError, messageOf, systemCode } from '../core/errors.ts';
import { bodyMark, type Entry, parseEntry, quickId } from './entry.ts';
import { type Line, linesOf } from './lines.ts';

/** A line of a store: what it holds, or undefined where it was cut (by a crash, say) or is no entry. */
export interface StoreLine {
  /** Counted from 1. */
  readonly line: number;
  readonly entry: Entry | undefined;
}

/** No delivery is as long: the line of one is hardly longer than it is, or a third more. */
export const LONGEST_LINE = 256 * 1024 * 1024;

/**
 * Every line of a store in order, empty ones left out; memory holds one at a time.
 *
 * @throws CryptodataError of kind `usage` where the file cannot be read
 */
export async function* readStore(path: string): AsyncGenerator<StoreLine> {
  for await (const { number, bytes } of storeLines(path)) {
    yield { line: number, entry: bytes && parseEntry(bytes.toString('utf8')) };
  }
}

/** As {@link readStore}, with the delivery id of each line alone, undefined where it holds no entry, and its {@link bodyMark}. */
export async function* readIds(
  path: string,
): AsyncGenerator<{ line: number; id: string | null | undefined; mark: number }> {
  for await (const { number, bytes } of storeLines(path)) {
    const id = bytes && (quickId(bytes) ?? parseEntry(bytes.toString('utf8'))?.id);
    yield { line: number, id, mark: bytes ? bodyMark(bytes) : 0 };
  }
}

async function* storeLines(path: string): AsyncGenerator<Line> {
  const chunks = createReadStream(path, { highWaterMark: 1024 * 1024 });
  try {
    for await (const line of linesOf(chunks, LONGEST_LINE)) if (line.bytes?.length !== 0) yield line;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error instanceof CryptodataError) throw error;
    throw new CryptodataError('usage', 'STORE_UNREADABLE', `${path} cannot be read: ${messageOf(error)}`, {
      hint:
        code === 'ENOENT'
          ? 'It is made by cryptodata events listen --store FILE. Check its name.'
          : 'Check its name and who may read it.',
      cause: error,
    });
  }
}
