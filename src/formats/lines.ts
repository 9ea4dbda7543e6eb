import { createReadStream } from 'node:fs';
import { Batches } from '../core/batches.ts';
import { HashedFile } from '../core/hashed-file.ts';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';

/** Bytes per read. Each read takes time, whatever its size. */
const READ = 256 * 1024;
/**
 * Bytes per chunk. A cell keeps in memory the whole text from which it was cut, and V8 stores texts of more than about 128 KB
 * separately.
 */
const CHUNK = 64 * 1024;
const LINE_FEED = 0x0a;

/** Yields the bytes of a file. Closes the file when the consumer stops. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: READ });
  try {
    for await (const read of stream as AsyncIterable<Buffer>)
      for (let start = 0; start < read.length; start += CHUNK) yield read.subarray(start, start + CHUNK);
  } finally {
    stream.destroy();
    if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()));
  }
}

/**
 * Yields the lines of a file in batches, without line feeds. Node's own line readers do not wait for a slow consumer, so they
 * can load the whole file into memory.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  /** The parts of an incomplete line at the end of a chunk. */
  const begun: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (begun.length === 0) lines.push(chunk.toString('utf8', start, end));
      else lines.push(Buffer.concat([...begun.splice(0), chunk.subarray(start, end)]).toString('utf8'));
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    yield lines;
  }
  if (begun.length > 0) yield [Buffer.concat(begun).toString('utf8')];
}

export function readRecords(path: string): Batches<JsonRecord> {
  return new Batches(async function* () {
    for await (const lines of linesOf(chunksOf(path)))
      yield lines.map((line) => parseJson(line)).filter(isRecord);
  });
}

/**
 * Writes records to a new file, for {@link readRecords}. Only the current user can read the file.
 *
 * @throws CryptodataError of kind `output`, or any error from `records`
 */
export async function writeRecords<T extends object>(
  path: string,
  records: AsyncIterable<T> | Iterable<T>,
): Promise<void> {
  const file = await HashedFile.create(path, path, 0o600);
  try {
    for await (const batch of Batches.of(records))
      for (const record of batch) await file.write(`${stringifyJson(record)}\n`);
    await file.finish({ sync: false });
  } finally {
    await file.close();
  }
}
