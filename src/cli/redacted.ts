import type { Redactor } from '../core/redact.ts';

type Callback = (error?: Error | null) => void;

/**
 * From here on nothing reaches the stream but through the redactor, whoever writes: ourselves, a prompt, a progress
 * line, a library. Each write is looked at by itself: a line is to be written whole.
 */
export function redactWrites(stream: NodeJS.WritableStream, redactor: Redactor): void {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, given?: BufferEncoding | Callback, callback?: Callback) => {
    const text = redactor.redact(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    return typeof given === 'function' ? write(text, given) : write(text, given, callback);
  };
}
