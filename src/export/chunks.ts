import type { ByteSink } from '../formats/record-file.ts';

/** Yields the bytes that `write` writes. The writer waits until the caller has read the previous bytes. */
export async function* writtenChunks(write: (sink: ByteSink) => Promise<void>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // Copy the bytes, because `write` may reuse its buffer before the caller reads the bytes.
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
    // This promise always settles: if the caller stops early, the next write fails.
    await written;
  }
}
