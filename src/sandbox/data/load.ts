// Reads the directory that `--data DIR` specifies. Each file contains one resource, which the sandbox serves unchanged. A file
// such as `labels.json` contains a list, or an object with a list in `data`. A file such as `ledgers.jsonl` contains one record
// per line.

import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLosslessNumber } from 'lossless-json';
import { readGivenLedger, requireUniqueIds } from '../books/given.ts';
import { parseExact } from '../core/exact-json.ts';
import { RESOURCES, type ResourceData, type SandboxData } from './resources.ts';

const FILE = /^(?<name>[^.].*)\.(?<form>json|jsonl)$/;

/**
 * Reads the `.json` and `.jsonl` files of a directory for `createSandbox({ data })`. Numbers keep every digit.
 *
 * @throws RangeError for an unknown resource or invalid content; the message contains the file. Node's own error if the directory
 *   cannot be read.
 */
export async function loadData(directory: string): Promise<SandboxData> {
  const names = (await readdir(directory)).filter((name) => FILE.test(name)).sort();
  const entries: [string, ResourceData][] = [];
  for (const name of names) {
    const resource = resourceOf(name);
    const path = join(directory, name);
    if (resource === undefined)
      throw new RangeError(`${path}: unknown resource; the name must be one of ${RESOURCES.join(', ')}`);
    if (entries.some(([other]) => other === resource)) {
      throw new RangeError(`${path}: duplicate file for ${resource}`);
    }
    entries.push([resource, await loadFile(path, resource)]);
  }
  return Object.fromEntries(entries);
}

/** Returns the resource for a file name; undefined if the name is unknown. */
export function resourceOf(name: string): string | undefined {
  const { name: given } = FILE.exec(name)?.groups ?? {};
  return RESOURCES.find((resource) => resource === given);
}

/** @throws RangeError for invalid content; the message contains the file */
export async function loadFile(path: string, resource: string): Promise<ResourceData> {
  const ledgers = resource === 'ledgers';
  if (path.endsWith('.jsonl'))
    return ledgers ? unique(path, await linesOf(path, ledger)) : linesOf(path, plain);
  const parsed = parsedAt(path, 1, await readFile(path, 'utf8'));
  const list: unknown = Array.isArray(parsed) ? parsed : memberData(parsed);
  if (ledgers && Array.isArray(list)) {
    return unique(
      path,
      list.map((record: unknown, index) => ledger(record, `${path}: record ${index + 1}`)),
    );
  }
  if (Array.isArray(parsed)) return parsed;
  if (typeof parsed === 'object' && parsed !== null && !isLosslessNumber(parsed)) {
    if (resource === 'defi-totals' || Array.isArray(list)) return { ...parsed };
    throw new RangeError(`${path}: the object has no list in "data"`);
  }
  throw new RangeError(`${path}: expected a list or an object`);
}

function memberData(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined;
}

type Read = (text: unknown, where: string) => unknown;

const plain: Read = (text, where) => parsedAt(where, undefined, String(text));

const ledger: Read = (given, where) => {
  try {
    return readGivenLedger(given);
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new RangeError(`${where}: invalid JSON: ${cause.message}`, { cause });
    if (cause instanceof RangeError) throw new RangeError(`${where}: ${cause.message}`, { cause });
    throw cause;
  }
};

function unique(path: string, ledgers: readonly unknown[]): readonly unknown[] {
  requireUniqueIds(ledgers.map(readGivenLedger), (a, b) => `${path}: records ${a} and ${b} have the same id`);
  return ledgers;
}

/** Ignores blank lines. A line ends only at a line feed, because strings may contain other line separators. */
async function linesOf(path: string, read: Read): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  let [line, rest] = [0, ''];
  const take = (text: string) => {
    line += 1;
    const bare = line === 1 ? text.replace(/^\ufeff/, '') : text;
    if (bare.trim() !== '') records.push(read(bare, `${path}:${line}`));
  };
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const parts = `${rest}${String(chunk)}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) take(part);
  }
  if (rest !== '') take(rest);
  return records;
}

function parsedAt(where: string, line: number | undefined, text: string): unknown {
  try {
    return parseExact(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    if (cause instanceof RangeError) throw new RangeError(`${where}: ${cause.message}`, { cause });
    const message = cause instanceof Error ? cause.message : String(cause);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    const at =
      line === undefined || Number.isNaN(position)
        ? where
        : `${where}:${text.slice(0, position).split('\n').length}`;
    throw new RangeError(`${at}: invalid JSON: ${message}`, { cause });
  }
}
