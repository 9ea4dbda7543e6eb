import { type InspectionLimits, inspect } from '../../src/csv/inspect.ts';

/** Inspects a file with the content `content`. The file is read in chunks of `chunk` bytes. */
export function look(name: string, content: string | Uint8Array, chunk = 7, limits: InspectionLimits = {}) {
  const bytes = Buffer.from(content);
  async function* open(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  return inspect({ name, size: bytes.length, open }, limits);
}
