// Gives each command that reads a file a named pipe, a folder, a file with NUL bytes, and a file that does not exist.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 60 });
afterAll(() => sandbox.close());
const directory = temporary();
const at = (name: string) => join(directory, name);

beforeAll(async () => {
  expect((await endHere(['ledgers', 'export', '--out', at('whole.csv')], sandbox.env)).error).toBeUndefined();
  expect(
    (await endHere(['close', '--period', '2024', '--out', at('pack')], sandbox.env)).error,
  ).toBeUndefined();
  execFileSync('mkfifo', [at('pipe')]);
  mkdirSync(at('folder'));
  writeFileSync(at('nul'), 'fee = a:b\0c\n\0');
  for (const name of ['pipe', 'folder', 'nul'])
    copyFileSync(at('whole.csv.manifest.json'), `${at(name)}.manifest.json`);
});

/** The commands that read an exported file, with its manifest. */
const EXPORTED: Readonly<Record<string, (path: string) => readonly string[]>> = {
  'ledgers verify': (path) => ['ledgers', 'verify', path, '--offline'],
  'ledgers verify --deep': (path) => ['ledgers', 'verify', path, '--deep'],
  'ledgers diff OLD': (path) => ['ledgers', 'diff', path, at('whole.csv')],
  'ledgers diff NEW': (path) => ['ledgers', 'diff', at('whole.csv'), path],
  'audit --file': (path) => ['audit', '--file', path],
  'balances --file': (path) => ['balances', '--file', path],
  'ledgers rollforward --file': (path) => ['ledgers', 'rollforward', '--file', path],
  'ledgers disposals --file': (path) => ['ledgers', 'disposals', '--file', path],
};
/** The commands that read a file that is not an exported file. */
const OTHERS: typeof EXPORTED = {
  'csv check': (path) => ['csv', 'check', path],
  'legacy post': (path) => ['legacy', 'post', path, '--dry-run'],
  'txns batch': (path) => ['txns', 'batch', path, '--dry-run'],
  'events verify': (path) => ['events', 'verify', path],
  'audit --ignore': (path) => ['audit', '--ignore', path],
  'close verify': (path) => ['close', 'verify', path],
  'journal --accounts': (path) => [
    ...['ledgers', 'export', '--format', 'hledger', '--accounts', path],
    ...['--out', at(`journal-${Math.random()}`)],
  ],
};
const READERS = { ...EXPORTED, ...OTHERS };

async function errorOf(args: readonly string[]): Promise<CryptodataError> {
  const { error } = await endHere(args, sandbox.env);
  if (!(error instanceof CryptodataError)) throw new Error(`${args.join(' ')}: ${error}`, { cause: error });
  return error;
}

describe.each(Object.entries(READERS))('"%s"', (name, args) => {
  test.each([
    ['a named pipe without a writer', 'pipe'],
    ['a folder', 'folder'],
    ['a missing file', 'missing'],
  ])('refuses %s with a usage error that contains the path', async (_, file) => {
    const { kind, message } = await errorOf(args(at(file)));
    expect(kind).toBe('usage');
    expect(message).toContain(file);
    expect(message).not.toMatch(/E[A-Z]+: /);
  });

  // "csv check" does not fail, but reports the NUL bytes as a finding.
  test.skipIf(name === 'csv check')('fails if the file contains NUL bytes', async () => {
    const { kind } = await errorOf(args(at('nul')));
    expect(kind).toBe(name in EXPORTED ? 'unverified' : 'usage');
  });
});

test('"close verify" distinguishes between a missing file of a pack and a file that cannot be read', async () => {
  execFileSync('sh', ['-c', 'rm balances.csv findings.csv; mkfifo findings.csv'], { cwd: at('pack') });
  const { stdout, error } = await endHere(['close', 'verify', at('pack'), '--json'], sandbox.env);
  expect(error).toMatchObject({ code: 'FILES_CHANGED' });
  expect(JSON.parse(stdout).changedFiles.sort()).toEqual([
    'balances.csv is missing',
    'findings.csv cannot be read',
  ]);
});
