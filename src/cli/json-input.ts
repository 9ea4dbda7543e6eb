import { open } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { systemCode, usageError } from '../core/errors.ts';
import { parseStrict } from '../core/strict-json.ts';
import { checkInputFile, readInputFile, whyUnreadable } from './input-file.ts';

/**
 * Reads a JSON document from a file, or from stdin if `source` is `-`. Numbers keep all their characters.
 *
 * @throws usage error `BAD_INPUT` if the input cannot be read, or `BAD_JSON` if it is not valid JSON
 */
export async function readJsonInput(context: Context, source: string): Promise<unknown> {
  const bytes = await readInput(context, source, 'JSON');
  return parseInput(text(bytes, inputName(source)), inputName(source));
}

/** Reads the JSON value of `-d`, which may be inline JSON, `@FILE`, or `-` for stdin. */
export async function readDataFlag(context: Context, data: string): Promise<unknown> {
  if (data === '-') return readJsonInput(context, '-');
  return data.startsWith('@') ? readJsonInput(context, data.slice(1)) : parseInput(data, '--data');
}

/**
 * Reads a file, or stdin if `source` is `-`.
 *
 * @param what the expected content, such as `JSON`; if stdin is a terminal, a note to the user includes this text
 * @throws usage error `BAD_INPUT`
 */
export async function readInput(context: Context, source: string, what: string): Promise<Uint8Array> {
  if (source === '-' && context.streams.stdin.isTTY) context.note(`Reading ${what} from the keyboard.`);
  return source === '-' ? readAll(context) : readNamed(source);
}

/**
 * Streams deliveries from a file, or from stdin if `source` is `-`. Ignores bytes that are appended to the file during the read.
 *
 * @throws usage error `BAD_INPUT` if the input cannot be opened; the iteration can throw the same error
 */
export async function streamDeliveries(context: Context, source: string): Promise<AsyncIterable<Uint8Array>> {
  if (source !== '-') return streamNamed(source);
  if (context.streams.stdin.isTTY) context.note('Reading deliveries from the keyboard.');
  return partsOf(context);
}

/** @throws usage error `BAD_JSON`, with the name of the source */
export function parseInput(text: string, from: string): unknown {
  return parseStrict(text.replace(/^\ufeff/, ''), from);
}

export function inputName(source: string): string {
  return source === '-' ? 'stdin' : source;
}

async function readAll(context: Context): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of partsOf(context)) parts.push(part);
  return Buffer.concat(parts);
}

async function* partsOf({ streams, signal }: Context): AsyncGenerator<Uint8Array> {
  for await (const part of streams.stdin) {
    signal.throwIfAborted();
    yield typeof part === 'string' ? Buffer.from(part) : part;
  }
}

async function readNamed(path: string): Promise<Uint8Array> {
  try {
    return await readInputFile(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function streamNamed(path: string): Promise<AsyncIterable<Uint8Array>> {
  const opened = checkInputFile(path).then(() => open(path));
  const file = await opened.catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  const about = await file.stat();
  if (about.isDirectory()) {
    await file.close();
    throw cannotRead(path, Object.assign(new Error(), { code: 'EISDIR' }));
  }
  // A pipe has no size, so read until the pipe ends.
  const parts = file.createReadStream(about.isFile() && about.size > 0 ? { end: about.size - 1 } : {});
  return (async function* () {
    try {
      for await (const part of parts) yield part;
    } catch (error) {
      throw systemCode(error) === undefined ? error : cannotRead(path, error);
    }
  })();
}

export function cannotRead(path: string, error: unknown): Error {
  return badInput(`Cannot read ${JSON.stringify(path)}: ${whyUnreadable(error)}`, error);
}

/** Decodes UTF-8. Invalid bytes cause an error, because replacement characters would otherwise be sent as data. */
function text(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badInput(`${from} is not UTF-8`, error);
  }
}

function badInput(message: string, cause: unknown): Error {
  const error = usageError(message, undefined, 'BAD_INPUT');
  error.cause = cause;
  return error;
}
