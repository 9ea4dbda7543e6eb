import { readFile } from 'node:fs/promises';
import { messageOf, systemCode, usageError } from '../base/errors.ts';
import { parseStrict } from '../base/strict-json.ts';
import type { Context } from '../context.ts';

/**
 * A JSON document out of a file, or of stdin for `-`; numbers keep every character.
 *
 * @throws usage error `BAD_INPUT` or `BAD_JSON`
 */
export async function readJsonInput(context: Context, source: string): Promise<unknown> {
  const bytes = await readInput(context, source, 'JSON');
  return parseInput(text(bytes, nameOf(source)), nameOf(source));
}

/**
 * The bytes of a file, or of stdin for `-`.
 *
 * @param what is expected, for who types it in
 * @throws usage error `BAD_INPUT`
 */
export async function readInput(context: Context, source: string, what: string): Promise<Uint8Array> {
  if (source === '-' && context.streams.stdin.isTTY) context.note(`Reading ${what} from the keyboard.`);
  return source === '-' ? readAll(context) : readNamed(source);
}

/** @throws usage error `BAD_JSON` that names where the text came from */
export function parseInput(text: string, from: string): unknown {
  return parseStrict(text.replace(/^\ufeff/, ''), from);
}

export function nameOf(source: string): string {
  return source === '-' ? 'stdin' : source;
}

async function readAll({ streams, signal }: Context): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of streams.stdin) {
    signal.throwIfAborted();
    parts.push(typeof part === 'string' ? Buffer.from(part) : part);
  }
  return Buffer.concat(parts);
}

async function readNamed(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const why = WHY.get(systemCode(error) ?? '') ?? messageOf(error);
    throw badInput(`Cannot read ${JSON.stringify(path)}: ${why}`, error);
  }
}

const WHY = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'no permission'],
]);

/** Another character in the place of one that cannot be read would be sent as data. */
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
