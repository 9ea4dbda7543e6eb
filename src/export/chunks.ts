import type { ByteSink } from '../formats/record-file.ts';

/** What `write` gives to its sink, for a reader that takes it at its own speed. */
export async function* chunksOf(write: (sink: ByteSink) => Promise<void>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // A copy: the bytes are the writer's own again before they are read.
  const written = write({ write: (bytes) => writer.write(Buffer.from(bytes)) }).then(
    () => writer.close(),
    async (error) => {
      await writer.abort(error).catch(() => undefined);
      throw error;
    },
  );
  written.catch(() => undefined); // told below
  try {
    for await (const chunk of readable) yield chunk;
  } finally {
    // Where reading broke off, whoever writes is told by its next write.
    await written;
  }
}
