import { systemCode } from '../core/errors.ts';
import { cannotWrite } from '../core/unwritable.ts';

/** Nobody reads the output any more. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}

/** Writes to a stream and waits while its reader is slow, but not longer than until `signal`. */
export function createWriter(
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): (data: string | Uint8Array) => Promise<void> {
  // The error of a write is handed to its callback; this only keeps it from ending the process as well.
  stream.on('error', () => {});
  return (data) =>
    new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      stream.write(data, (error) => {
        signal.removeEventListener('abort', stop);
        if (!error) resolve();
        else if (CLOSED.has(systemCode(error) ?? '')) reject(new PipeClosed());
        else reject(cannotWrite('standard output', error));
      });
    });
}

/** Nobody seems to read: a parent that keeps the pipe open and waits for our end would wait for ever. */
const READ_WITHIN = 60_000;

/** Waits until all that was written is taken; not for a reader that is gone or takes too long, nor for any after `signal`. */
export function drained(stream: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  if (!stream.writable || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, READ_WITHIN);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    stream.once('close', done).write('', done);
  });
}

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);
