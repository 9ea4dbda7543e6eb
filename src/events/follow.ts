import { type FileHandle, open } from 'node:fs/promises';
import { type Entry, parseEntry } from './entry.ts';
import { linesOf } from './lines.ts';
import type { Range } from './pending.ts';
import { LONGEST_LINE } from './read-store.ts';
import type { Store } from './store.ts';

export interface Followed {
  readonly line: Buffer;
  /** Undefined for a line that holds no delivery. */
  readonly entry: Entry | undefined;
  readonly at: Range;
}

const CHUNK = 256 * 1024;

/**
 * The lines of a store as they come to be on the disk, and never any earlier. A file that is moved away is read to its end;
 * then follows the one that takes its place, from its first line.
 *
 * @param ending once aborted, it ends with the last line that is on the disk
 */
export async function* followStore(
  store: Store,
  from: number,
  ending: AbortSignal,
): AsyncGenerator<Followed> {
  for (let position = from; ; position = 0) {
    const { generation } = store;
    const file = await open(store.path, 'r');
    try {
      const chunks = growing(
        file,
        position,
        () => (store.generation === generation ? store : undefined),
        ending,
      );
      for await (const { bytes: line, size, ended } of linesOf(chunks, LONGEST_LINE)) {
        const at = { from: position, to: position + size };
        position = at.to;
        if (line && ended) yield { line, entry: parseEntry(line.toString('utf8')), at };
      }
    } finally {
      await file.close();
    }
    if (ending.aborted) return;
  }
}

/** Ends with `ending`, and when `current` has no store any more, which has moved on to another file. */
async function* growing(
  file: FileHandle,
  from: number,
  current: () => Store | undefined,
  ending: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let position = from;
  for (;;) {
    const store = current();
    const grown = store?.grown();
    const length = store?.length ?? Number.POSITIVE_INFINITY;
    const wanted = Math.min(CHUNK, length - position);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.max(0, wanted)), 0, wanted, position);
    position += bytesRead;
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    else if (grown === undefined || ending.aborted) return;
    else await either(grown, ending);
  }
}

function either(grown: Promise<void>, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      ending.removeEventListener('abort', done);
      resolve();
    };
    ending.addEventListener('abort', done);
    void grown.then(done);
  });
}
