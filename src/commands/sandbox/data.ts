import { createWriteStream } from 'node:fs';
import { copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import { columnsFlag, sameColumns } from '../../cli/common-flags.ts';
import { type Values, verb } from '../../cli/define.ts';
import { integer, text, toggle } from '../../cli/flags.ts';
import type { Rows } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { systemCode, usageError } from '../../core/errors.ts';
import { makeDirectory } from '../../core/file.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { checked, readData } from './data-flags.ts';
import { openSandbox } from './start.ts';

const ACTIONS = ['export', 'import'];
const COLUMNS = sameColumns('file', 'resource', 'records');

const flags = {
  rows: integer('--rows <n>', 'export: of a new sandbox with so many ledgers', { min: 0, max: 1_000_000 }),
  seed: text('--seed <text>', 'export: of a new sandbox with data made from this'),
  as: text('--as <resource>', 'import: what the file holds, where its name does not say'),
  overwrite: toggle('--overwrite', 'replace data files that exist in the directory'),
  force: toggle('--force', 'same as --overwrite (deprecated)'),
  columns: columnsFlag,
};

export const data = verb({
  name: 'data',
  summary: 'Write what a sandbox serves as files, or check files of your own, for --data',
  about: `export DIR writes what a sandbox serves: that which base_url names (as inside sandbox exec), with all that was done to it, or with --rows or --seed a new one. cryptodata sandbox --data DIR serves the same again, byte for byte.

import FILE DIR checks a file, or each file of a directory, and copies it into DIR under the name that --data wants; without DIR it only checks. So a sandbox serves a copy of your own workspace: cryptodata ledgers export --format jsonl writes ledgers as they are. Ledgers need id, transactionId, walletId, type, quantity and timestamp; transactions, accounts, balances and filters follow from them. Other resources are a JSON list each, or an object with a list in data, served as given. Every digit stays as it is. No credential is in any file.

The files: ledgers.jsonl (or .json), integrations.json, holdings.json, nfts.json, defi.json, defi-totals.json, calculated-balances.json, integration-assets.json, labels.json, assets.json, spam.json, contacts.json, counter-parties.json, currencies.json (currencies that prices convert from, with dates).`,
  operands: [
    { written: '<action>', describe: 'export or import' },
    { written: '<path>', describe: 'export: the directory to write; import: the file or directory to read' },
    { written: '[dir]', describe: 'import: the directory to write' },
  ],
  flags,
  examples: [
    { says: 'A workspace to start from', line: 'cryptodata sandbox data export books --rows 200' },
    { says: 'Serve it', line: 'cryptodata sandbox --data books' },
    {
      says: 'A copy of your own ledgers',
      line: 'cryptodata ledgers export --out all.jsonl && cryptodata sandbox data import all.jsonl books --as ledgers',
    },
    { says: 'Only check', line: 'cryptodata sandbox data import books' },
  ],
  prints: 'Records { file, resource, records }: the files that were written or checked.',
  exits: [0, 2, 130],
  async run(context, given, [action = '', path = '', directory]) {
    if (action === 'import') return importData(given, path, directory);
    if (action !== 'export') throw noAction(action);
    if (directory !== undefined) throw usageError('data export takes one directory');
    return exportData(context, given, path);
  },
});

function noAction(action: string): Error {
  const near = nearest(action, ACTIONS);
  return usageError(
    `${JSON.stringify(action)} is neither export nor import`,
    near === undefined ? undefined : `Did you mean ${near}?`,
  );
}

interface Written {
  readonly file: string;
  readonly resource: string;
  readonly records: number;
}

const told = (rows: readonly Written[], chosen: readonly string[] | undefined): Rows => ({
  kind: 'rows',
  rows: rows.map((row) => ({ ...row })),
  columns: COLUMNS,
  chosen,
});

async function exportData(context: Context, given: Values<typeof flags>, directory: string): Promise<Rows> {
  const { rows, seed } = given;
  const before = await makeRoom(directory, given);
  const fresh =
    rows === undefined && seed === undefined
      ? undefined
      : await openSandbox({
          ...(rows === undefined ? {} : { rows }),
          ...(seed === undefined ? {} : { seed }),
        });
  try {
    const origin = fresh?.url ?? (await addressOfSandbox(context));
    const dispatcher = await context.dispatcher();
    const files = await filesOf(dispatcher, origin);
    for (const file of files) {
      await whole(join(directory, file), async (partial) => {
        const { body } = await request(`${origin}/_sandbox/data/${file}`, {
          dispatcher,
          signal: context.signal,
        });
        await pipeline(body, createWriteStream(partial));
      });
    }
    // Files of an earlier time would be served beside the new ones.
    for (const name of before) if (!files.includes(name)) await rm(join(directory, name));
  } finally {
    await fresh?.close();
  }
  return told(await summary(directory), given.columns);
}

/** No credential goes with what it is asked. */
async function addressOfSandbox(context: Context): Promise<string> {
  const address = (await context.settings()).get('base_url');
  const url = address === undefined ? undefined : new URL(address);
  if (url !== undefined && isLoopback(url.hostname)) return url.origin;
  throw noSandbox(address === undefined ? 'base_url is not set' : `${address} is no sandbox`);
}

async function filesOf(dispatcher: Dispatcher, origin: string): Promise<string[]> {
  const { statusCode, body } = await request(`${origin}/_sandbox/data`, { dispatcher });
  const answer = await body.text();
  const listed: unknown = statusCode === 200 ? parseJson(answer) : undefined;
  const files: unknown = isRecord(listed) ? listed['files'] : undefined;
  const names: readonly unknown[] = Array.isArray(files) ? files : [];
  // What answers must not choose where on this machine is written.
  const safe = names
    .filter((name) => typeof name === 'string')
    .filter((name) => /^[a-z-]+\.jsonl?$/.test(name));
  if (safe.length > 0) return safe;
  throw noSandbox(`What answers at ${origin} is no sandbox`);
}

function noSandbox(message: string): Error {
  return usageError(
    message,
    'Run it in a sandbox (cryptodata sandbox exec -- …), or export a new one: --rows 2000.',
    'NO_SANDBOX',
  );
}

async function importData(given: Values<typeof flags>, source: string, directory?: string): Promise<Rows> {
  const isDirectory = await checked(source, async () => (await stat(source)).isDirectory());
  if (isDirectory && given.as !== undefined) throw usageError('--as is for one file');
  const files = isDirectory ? await checkedDirectory(source) : [await checkedFile(source, given.as)];
  if (files.length === 0) throw usageError(`${source} has no data file`, undefined, 'BAD_DATA');
  if (directory !== undefined) {
    const names = files.map(({ file }) => file);
    const before = await makeRoom(directory, given, names);
    for (const { file } of files) {
      const from = isDirectory ? join(source, file) : source;
      await whole(join(directory, file), (partial) => copyFile(from, partial));
    }
    // The same resource in the other form.
    for (const name of before) if (!names.includes(name)) await rm(join(directory, name));
    // With what the directory had before: a sandbox that starts with it must not be the first to complain.
    await readData(directory);
  }
  return told(files, given.columns);
}

async function checkedDirectory(directory: string): Promise<Written[]> {
  await readData(directory);
  return summary(directory);
}

async function checkedFile(path: string, as: string | undefined): Promise<Written> {
  const { loadFile, resourceOf, RESOURCES } = await import('../../sandbox/index.ts');
  const form = path.endsWith('.jsonl') ? 'jsonl' : 'json';
  if (as !== undefined && resourceOf(`${as}.json`) === undefined) {
    throw usageError(`--as ${as} is no resource: there are ${RESOURCES.join(', ')}`);
  }
  const resource = as ?? resourceOf(basename(path));
  if (resource === undefined) {
    throw usageError(
      `The name of ${path} does not say what it holds`,
      'Say it: --as ledgers, or another of the resources that --help names.',
    );
  }
  const records = await checked(path, () => loadFile(path, resource));
  return { file: `${resource}.${form}`, resource, records: countOf(records) };
}

async function summary(directory: string): Promise<Written[]> {
  const { resourceOf } = await import('../../sandbox/index.ts');
  const rows: Written[] = [];
  for (const file of (await readdir(directory)).sort()) {
    if (resourceOf(file) !== undefined) rows.push(await checkedFile(join(directory, file), undefined));
  }
  return rows;
}

function countOf(records: unknown): number {
  if (Array.isArray(records)) return records.length;
  const list: unknown = isRecord(records) ? records['data'] : undefined;
  return Array.isArray(list) ? list.length : 1;
}

/** The data files that stand there in the way of new ones. */
async function makeRoom(
  directory: string,
  { overwrite, force }: Pick<Values<typeof flags>, 'overwrite' | 'force'>,
  only?: readonly string[],
): Promise<string[]> {
  const { resourceOf } = await import('../../sandbox/index.ts');
  const there = await readdir(directory).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw cannotWrite(directory, error);
  });
  const resources = only?.map(resourceOf);
  const stale = there.filter((name) => {
    const resource = resourceOf(name);
    return resource !== undefined && (resources === undefined || resources.includes(resource));
  });
  if (stale.length > 0 && !overwrite && !force) {
    throw usageError(
      stale.map((name) => `${join(directory, name)} already exists`).join(', '),
      'Use another directory, or --overwrite to replace its data files.',
      'DATA_EXISTS',
    );
  }
  try {
    await makeDirectory(directory);
  } catch (error) {
    throw cannotWrite(directory, error);
  }
  return stale;
}

/** A file is there whole or not at all. */
async function whole(path: string, write: (partial: string) => Promise<unknown>): Promise<void> {
  const partial = `${path}.tmp`;
  try {
    await write(partial);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw systemCode(error) === undefined ? error : cannotWrite(path, error);
  }
}
