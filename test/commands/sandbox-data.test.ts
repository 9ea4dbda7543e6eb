// Tests `sandbox data export`, `sandbox data import`, and the flags that make a sandbox serve the files.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { dataOptions } from '../../src/commands/sandbox/data-flags.ts';
import { createSandbox, loadData } from '../../src/sandbox/index.ts';
import { runHere } from './in-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'cryptodata-data-'));
const sandbox = await createSandbox({ rows: 20 });
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});
const at = (...names: string[]) => join(directory, ...names);
const { CRYPTODATA_BASE_URL = '' } = sandbox.env;

async function ran(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  return JSON.parse((await runHere(['sandbox', 'data', ...args, '--json'], env)).stdout);
}
const refused = (args: readonly string[], told: object, env: NodeJS.ProcessEnv = {}) =>
  expect(runHere(['sandbox', 'data', ...args], env)).rejects.toMatchObject(told);

test('"sandbox data export" writes the current data, and --force replaces existing files', async () => {
  const [added = ''] = sandbox.ledgers.insert({ quantity: '0.000000000000000001' });
  const [, , ledgers] = [...(await list('books', { CRYPTODATA_BASE_URL }))];
  expect(ledgers).toEqual({ file: 'ledgers.jsonl', resource: 'ledgers', records: 21 });
  expect(await readFile(at('books', 'ledgers.jsonl'), 'utf8')).toContain(added);
  await refused(['export', at('books')], { code: 'DATA_EXISTS' }, { CRYPTODATA_BASE_URL });
  await writeFile(at('books', 'labels.json'), '[]');
  await writeFile(at('books', 'notes.txt'), 'mine');
  await list('books', {}, '--rows', '5', '--force');
  expect((await readdir(at('books'))).sort()).toEqual([
    'holdings.json',
    'integrations.json',
    'ledgers.jsonl',
    'notes.txt',
  ]);
  expect(Object.keys(await loadData(at('books')))).toEqual(['holdings', 'integrations', 'ledgers']);
});

async function list(name: string, env: NodeJS.ProcessEnv, ...flags: string[]): Promise<unknown[]> {
  const rows = await ran(['export', at(name), ...flags], env);
  if (!Array.isArray(rows)) throw new Error('no list');
  return rows;
}

test('"sandbox data import" validates a file and copies it byte for byte', async () => {
  await list('source', {}, '--rows', '7');
  const bytes = await readFile(at('source', 'ledgers.jsonl'));
  await writeFile(at('mine.jsonl'), bytes);
  const told = [{ file: 'ledgers.jsonl', resource: 'ledgers', records: 7 }];
  await refused(['import', at('mine.jsonl')], {
    message: expect.stringContaining('does not match a resource'),
  });
  expect(await ran(['import', at('mine.jsonl'), '--as', 'ledgers'])).toEqual(told);
  expect(await ran(['import', at('mine.jsonl'), at('new'), '--as', 'ledgers'])).toEqual(told);
  expect(await readFile(at('new', 'ledgers.jsonl'))).toEqual(bytes);
  await refused(['import', at('mine.jsonl'), at('new'), '--as', 'ledgers'], { code: 'DATA_EXISTS' });
  await writeFile(at('labels.json'), '[{"n":1.00000000000000000001}]');
  await ran(['import', at('labels.json'), at('new')]);
  expect(await ran(['import', at('new')])).toEqual([
    { file: 'labels.json', resource: 'labels', records: 1 },
    ...told,
  ]);
  await writeFile(at('bad.jsonl'), `${bytes}{"id":"x"}\n`);
  const bad = { code: 'BAD_DATA', message: expect.stringContaining('bad.jsonl:8: "transactionId" must be') };
  await refused(['import', at('bad.jsonl'), at('never'), '--as', 'ledgers'], bad);
  expect(await readdir(directory)).not.toContain('never');
});

test('"sandbox data" rejects an unknown command, a missing sandbox and an invalid file', async () => {
  await refused(['exprt', at('x')], { hint: 'Did you mean export?' });
  await refused(['export', at('x')], { code: 'NO_SANDBOX' });
  await refused(['export', at('x')], { code: 'NO_SANDBOX' }, { CRYPTODATA_BASE_URL: 'https://api.example' });
  await refused(['import', at('nowhere')], { code: 'BAD_DATA' });
  await refused(['import', at('labels.json'), '--as', 'lables'], {
    message: expect.stringContaining('--as '),
  });
});

test('the sandbox accepts --data and --locked-until, and rejects invalid values', async () => {
  expect(
    await dataOptions({ lockedUntil: null, data: undefined, labels: undefined, syncStates: undefined }),
  ).toEqual({
    lockedUntil: null,
  });
  const { data, labels } = await dataOptions({
    lockedUntil: undefined,
    data: at('new'),
    labels: ['Gift'],
    syncStates: undefined,
  });
  expect(Object.keys(data ?? {})).toEqual(['labels', 'ledgers']);
  expect(labels).toEqual(['Gift']);
  expect(
    await dataOptions({ lockedUntil: undefined, data: 'example', labels: undefined, syncStates: undefined }),
  ).toEqual({
    data: 'example',
  });
  const wrong = { lockedUntil: undefined, data: at('bad.jsonl'), labels: undefined, syncStates: undefined };
  await expect(dataOptions(wrong)).rejects.toMatchObject({ code: 'BAD_DATA' });
  for (const date of ['2024-02-30', '2024', 'soon', '2024-01-01T12:00']) {
    await expect(runHere(['sandbox', 'exec', '--locked-until', date, '--', 'true'], {})).rejects.toThrow();
  }
});
