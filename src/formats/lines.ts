import { open } from 'node:fs/promises';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';

/** Bytes per read. */
const CHUNK = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * The lines of a file in batches, without line feeds. Node's own line readers read ahead of a slow consumer, and finally
 * hold the whole file in memory.
 */
export async function* linesOf(path: string): AsyncGenerator<string[]> {
  const file = await open(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK);
      if (bytesRead === 0) {
        if (rest.length > 0) yield [rest.toString('utf8')];
        return;
      }
      const data = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines: string[] = [];
      let start = 0;
      for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
        lines.push(data.toString('utf8', start, end));
        start = end + 1;
      }
      rest = Buffer.from(data.subarray(start));
      yield lines;
    }
  } finally {
    await file.close();
  }
}

/** The records of a file with one JSON value per line. */
export async function* readRecords(path: string): AsyncGenerator<JsonRecord> {
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      const record = parseJson(line);
      if (isRecord(record)) yield record;
    }
  }
}
