import type { Writable } from 'node:stream';
import { systemCode } from '../core/errors.ts';
import { jsonText } from '../core/json.ts';
import type { Redactor } from '../core/redact.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { VERSION } from '../core/version.ts';

/** Thrown if the reader of the output, such as `head`, has closed the pipe. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}

/** Returns a function that writes to a stream. Each call waits for a slow reader, but stops waiting when `signal` aborts. */
export function createWriter(
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): (data: string | Uint8Array) => Promise<void> {
  // The callback of each write handles errors. Without this listener, the event `error` would end the process.
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

/**
 * Maximum wait for the reader, in milliseconds. A parent process may wait for the exit of the tool without reading its output.
 * Without this limit, the tool would then never exit.
 */
const DRAIN_TIMEOUT = 60_000;

/** Waits until all output is read. Stops waiting if `signal` aborts, the stream closes, or the reader is too slow. */
export function drained(stream: Writable, signal: AbortSignal): Promise<void> {
  if (!stream.writable || stream.writableLength === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_TIMEOUT);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    stream.once('close', done).write('', done);
  });
}

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

type Callback = (error?: Error | null) => void;

/**
 * Redacts everything that is later written to the stream, including prompts, progress lines and the output of libraries. Each
 * write is redacted separately, so a line must be written in one call. If the redactor fails, the text is replaced with a
 * report of this bug, so that a command never ends without a message.
 */
export function redactWrites(stream: NodeJS.WritableStream, redactor: Redactor): void {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, given?: BufferEncoding | Callback, callback?: Callback) => {
    const text = redacted(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(), redactor);
    return typeof given === 'function' ? write(text, given) : write(text, given, callback);
  };
}

function redacted(text: string, redactor: Redactor): string {
  try {
    return redactor.redact(text);
  } catch (error) {
    // The message of the error may contain a secret.
    const name = error instanceof Error ? error.name : typeof error;
    const message = `This message is not shown, because masking its secrets failed (${name})`;
    const hint = `This is a bug in cryptodata ${VERSION}. Please report it.`;
    return text.trimStart().startsWith('{')
      ? `${jsonText({ error: { code: 'BUG', message, status: null, hint, details: null } })}\n`
      : `error: ${message}\n${hint}\n`;
  }
}
