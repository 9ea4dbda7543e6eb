import { type InspectionLimits, inspect } from '../../src/csv/inspect.ts';

/**
 * Inspects a file with the content `content`. Chunks of `chunk` bytes are read one after the other into one buffer, as from a
 * disk.
 */
export function look(name: string, content: string | Uint8Array, chunk = 7, limits: InspectionLimits = {}) {
  const bytes = Buffer.from(content);
  async function* open(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(Math.min(chunk, bytes.length));
    for (let at = 0; at < bytes.length; at += chunk)
      yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + chunk));
  }
  return inspect({ name, size: bytes.length, open }, limits);
}
