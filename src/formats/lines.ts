import { createReadStream } from 'node:fs';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';

/** Bytes per read. */
const CHUNK = 256 * 1024;
const LINE_FEED = 0x0a;

/** The bytes of a file, which is closed when the reader stops. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: CHUNK });
  try {
    yield* stream;
  } finally {
    stream.destroy();
    if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()));
  }
}

/**
 * The lines of a file in batches, without line feeds. Node's own line readers read ahead of a slow consumer, and finally
 * hold the whole file in memory.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const lines: string[] = [];
    let start = 0;
    for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
      lines.push(data.toString('utf8', start, end));
      start = end + 1;
    }
    rest = data.subarray(start);
    yield lines;
  }
  if (rest.length > 0) yield [rest.toString('utf8')];
}

/** The records of a file with one JSON value per line. */
export async function* readRecords(path: string): AsyncGenerator<JsonRecord> {
  for await (const lines of linesOf(chunksOf(path))) {
    for (const line of lines) {
      const record = parseJson(line);
      if (isRecord(record)) yield record;
    }
  }
}
