import { createWriteStream } from 'node:fs';
import { copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { int, text as string } from '../../api/records.ts';
import { openSandbox } from '../../app/sandbox.ts';
import { columnsFlagOf, sameColumns } from '../../cli/common-flags.ts';
import { type Values, verb } from '../../cli/define.ts';
import { integerFlag, textFlag, toggle } from '../../cli/flags.ts';
import type { Rows } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { defined } from '../../core/defined.ts';
import { systemCode, usageError } from '../../core/errors.ts';
import { makeDirectory } from '../../core/file.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { addressOfSandbox, noSandbox, unknownAction } from './address.ts';
import { checked, readData } from './data-flags.ts';

const ACTIONS = ['export', 'import'];
const COLUMNS = sameColumns('file', 'resource', 'records');

const flags = {
  rows: integerFlag('--rows <n>', 'number of ledgers in a new sandbox (export only)', {
    min: 0,
    max: 1_000_000,
  }),
  seed: textFlag('--seed <text>', 'seed of a new sandbox (export only)'),
  as: textFlag('--as <resource>', 'resource in the file, import only (default: from the file name)'),
  overwrite: toggle('--overwrite', 'replace existing data files in the directory'),
  force: toggle('--force', 'same as --overwrite (deprecated)'),
  columns: columnsFlagOf(() => COLUMNS),
};

export const data = verb({
  name: 'data',
  summary: "Export a sandbox's data, or check files for --data",
  about: `export DIR writes the current data of the sandbox at base_url, for example inside sandbox exec. With --rows or --seed, export writes the data of a new sandbox. cryptodata sandbox --data DIR serves the same data again, byte for byte.

import FILE DIR checks a file, or all files in a directory, and copies them into DIR under the names that --data requires. Without DIR, import only checks the files. To serve a copy of your own workspace, import a file from cryptodata ledgers export --format jsonl. A ledger must have these fields: id, transactionId, walletId, type, quantity and timestamp. The sandbox derives transactions, accounts, balances and filters from the ledgers. Every other resource is a JSON list, or an object with a list in "data", and is served unchanged. Every digit is preserved. Exported files contain no credentials.

The data files are ledgers.jsonl (or .json), integrations.json, holdings.json, nfts.json, defi.json, defi-totals.json, calculated-balances.json, integration-assets.json, labels.json, assets.json, spam.json, contacts.json, counter-parties.json, and currencies.json (convertible currencies, with dates).`,
  operands: [
    { written: '<action>', describe: 'export or import', suggests: () => ACTIONS },
    {
      written: '<dir|file>',
      describe: 'for export: the directory to write; for import: the file or directory to read',
    },
    { written: '[dir]', describe: 'for import: the directory to write' },
  ],
  flags,
  examples: {
    'Export a new workspace': 'cryptodata sandbox data export books --rows 200',
    'Serve the files': 'cryptodata sandbox --data books',
    'Import your own ledgers':
      'cryptodata ledgers export --out all.jsonl && cryptodata sandbox data import all.jsonl books --as ledgers',
    'Check files without copying them': 'cryptodata sandbox data import books',
  },
  prints:
    'One record { file, resource, records } for each file that was written or checked. "records" is the number of records in the file.',
  output: [listOf(made({ file: string, resource: string, records: int }))],
  exits: [0, 2, 130],
  async run(context, given, [action = '', path = '', directory]) {
    if (action === 'import') return importData(given, path, directory);
    if (action !== 'export') throw unknownAction(action, ACTIONS);
    if (directory !== undefined) throw usageError('data export accepts only one directory');
    return exportData(context, given, path);
  },
});

interface Written {
  readonly file: string;
  readonly resource: string;
  readonly records: number;
}

const told = (rows: readonly Written[]): Rows => ({
  kind: 'rows',
  rows: rows.map((row) => ({ ...row })),
  columns: COLUMNS,
});

async function exportData(context: Context, given: Values<typeof flags>, directory: string): Promise<Rows> {
  const { rows, seed } = given;
  const before = await makeRoom(directory, given);
  const fresh =
    rows === undefined && seed === undefined ? undefined : await openSandbox(defined({ rows, seed }));
  try {
    const origin = fresh?.url ?? (await addressOfSandbox(context, NO_SANDBOX));
    const dispatcher = await context.dispatcher();
    const files = await filesOf(dispatcher, origin);
    for (const file of files) {
      await whole(join(directory, file), async (partial) => {
        const path = `/_sandbox/data/${file}`;
        const { body } = await dispatcher.request({ origin, path, method: 'GET', signal: context.signal });
        await pipeline(body, createWriteStream(partial));
      });
    }
    // Delete the other data files of an earlier export, because a sandbox would serve them in addition to the new files.
    for (const name of before) if (!files.includes(name)) await rm(join(directory, name));
  } finally {
    await fresh?.close();
  }
  return told(await summary(directory));
}

async function filesOf(dispatcher: Dispatcher, origin: string): Promise<string[]> {
  const { statusCode, body } = await dispatcher.request({ origin, path: '/_sandbox/data', method: 'GET' });
  const answer = await body.text();
  const listed: unknown = statusCode === 200 ? parseJson(answer) : undefined;
  const files: unknown = isRecord(listed) ? listed['files'] : undefined;
  const names: readonly unknown[] = Array.isArray(files) ? files : [];
  // Reject other names, such as paths, so that the server cannot choose where files are written.
  const safe = names
    .filter((name) => typeof name === 'string')
    .filter((name) => /^[a-z-]+\.jsonl?$/.test(name));
  if (safe.length > 0) return safe;
  throw noSandbox(`The server at ${origin} is not a sandbox`, NO_SANDBOX);
}

const NO_SANDBOX =
  'Run the command inside cryptodata sandbox exec. To export the data of a new sandbox, add --rows 2000.';

async function importData(given: Values<typeof flags>, source: string, directory?: string): Promise<Rows> {
  const isDirectory = await checked(source, async () => (await stat(source)).isDirectory());
  if (isDirectory && given.as !== undefined) throw usageError('--as requires a file, not a directory');
  const files = isDirectory ? await checkedDirectory(source) : [await checkedFile(source, given.as)];
  if (files.length === 0) throw usageError(`${source} contains no data file`, undefined, 'BAD_DATA');
  if (directory !== undefined) {
    const names = files.map(({ file }) => file);
    const before = await makeRoom(directory, given, names);
    for (const { file } of files) {
      const from = isDirectory ? join(source, file) : source;
      await whole(join(directory, file), (partial) => copyFile(from, partial));
    }
    // Delete an older file that contains the same resource in the other format.
    for (const name of before) if (!names.includes(name)) await rm(join(directory, name));
    // Check all files together, because a sandbox cannot start if one of them is invalid.
    await readData(directory);
  }
  return told(files);
}

async function checkedDirectory(directory: string): Promise<Written[]> {
  await readData(directory);
  return summary(directory);
}

async function checkedFile(path: string, as: string | undefined): Promise<Written> {
  const { loadFile, resourceOf, RESOURCES } = await import('../../sandbox/index.ts');
  const form = path.endsWith('.jsonl') ? 'jsonl' : 'json';
  if (as !== undefined && resourceOf(`${as}.json`) === undefined) {
    throw usageError(`--as ${as} is unknown; use one of ${RESOURCES.join(', ')}`);
  }
  const resource = as ?? resourceOf(basename(path));
  if (resource === undefined) {
    throw usageError(
      `The name of ${path} does not match a resource`,
      'Specify the resource with --as, for example: --as ledgers',
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

/**
 * Creates the directory.
 *
 * @returns the names of existing data files that the caller replaces or deletes
 */
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
      'Use another directory, or add --overwrite to replace the data files.',
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

/** Replaces the file only after `write` has succeeded. */
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
