import { open } from 'node:fs/promises';
import type { Layout } from '../formats/format.ts';
import { readRecords } from '../formats/lines.ts';
import type { About, ByteSink, RecordFile } from '../formats/record-file.ts';
import { summedFile } from '../formats/summed-file.ts';
import { segmentText } from './row-text.ts';

/** Assembles a file from segment files. */
export interface Assembly {
  /**
   * Appends the rows of a segment file. Add the segment files in the order in which their rows must appear in the final file.
   */
  add(path: string): Promise<void>;
  finish(about?: About): Promise<void>;
  /** Deletes temporary files. */
  discard?(): Promise<void>;
  /** Number of rows in the file. Exists only for summaries. */
  readonly groups?: () => number;
}

export async function assemble(sink: ByteSink, layout: Layout): Promise<Assembly> {
  const { sums, format } = layout;
  if (sums) {
    const gathering = sums.begin();
    const file = summedFile(await format.file.open(sink, layout), gathering);
    return { ...assembleRecords(file), groups: () => gathering.size };
  }
  const text = segmentText(layout);
  if (!text) return assembleRecords(await format.file.open(sink, layout));
  let rows = false;
  // All segments share one buffer. Separate buffers for many segments would be freed late.
  const buffer = Buffer.allocUnsafe(COPIED);
  return {
    async add(path) {
      if (!rows) await sink.write(Buffer.from(text.head));
      const start = rows ? 0 : text.separatorLength;
      rows = true;
      await copyInto(sink, path, start, buffer);
    },
    finish: () => sink.write(Buffer.from(rows ? text.tail : text.empty)),
  };
}

export function assembleRecords(file: RecordFile): Assembly {
  return {
    async add(path) {
      for await (const record of readRecords(path)) {
        const writing = file.add(record);
        if (writing) await writing;
      }
    },
    finish: (about) => file.finish(about),
    discard: async () => file.discard?.(),
  };
}

/** Copies a file from `start` to its end. A stream would allocate a new buffer for each chunk. */
async function copyInto(sink: ByteSink, path: string, start: number, buffer: Buffer): Promise<void> {
  const file = await open(path);
  try {
    for (let at = start; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      await sink.write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Size of the copy buffer in bytes. */
const COPIED = 512 * 1024;
