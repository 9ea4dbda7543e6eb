// `--data DIR`: one JSON file a resource, as `labels.json`, served as given.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { RESOURCES, type ResourceData, type SandboxData } from './resources.ts';

/**
 * Reads the files of a directory for `createSandbox({ data })`. Numbers keep every digit.
 *
 * @throws RangeError for a file that is named for no resource or holds no JSON list; Node's own error for a directory
 *   that cannot be read.
 */
export async function loadData(directory: string): Promise<SandboxData> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  const entries = await Promise.all(names.map((name) => loadFile(join(directory, name), name.slice(0, -5))));
  return Object.fromEntries(entries);
}

async function loadFile(path: string, name: string): Promise<[string, ResourceData]> {
  if (!RESOURCES.some((resource) => resource === name)) {
    throw new RangeError(`${path} is named for no resource; there are ${RESOURCES.join(', ')}`);
  }
  const parsed = read(path, await readFile(path, 'utf8'));
  if (Array.isArray(parsed)) return [name, parsed];
  if (typeof parsed === 'object' && parsed !== null) return [name, { ...parsed }];
  throw new RangeError(`${path} holds neither a list nor an object`);
}

function read(path: string, text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new RangeError(`${path} is not JSON`, { cause });
  }
}
