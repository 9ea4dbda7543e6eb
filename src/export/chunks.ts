import type { ByteSink } from '../formats/record-file.ts';

/** Yields the output of `write` as fast as the caller reads it. */
export async function* chunksOf(write: (sink: ByteSink) => Promise<void>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // Copy the bytes, because the writer may reuse its buffer before the bytes are read.
  const written = write({ write: (bytes) => writer.write(Buffer.from(bytes)) }).then(
    () => writer.close(),
    async (error) => {
      await writer.abort(error).catch(() => undefined);
      throw error;
    },
  );
  written.catch(() => undefined); // reported below
  try {
    for await (const chunk of readable) yield chunk;
  } finally {
    // If the reader stops early, the next write fails, so this wait ends.
    await written;
  }
}
