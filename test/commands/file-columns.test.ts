// Compares the columns of an exported file, which the file itself names, with the columns in its manifest.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { columnsIn, isComparable, readableFile } from '../../src/export/compared-file.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 80 });
afterAll(() => sandbox.close());
const directory = temporary();
const at = (name: string) => join(directory, name);
const run = (...args: string[]) => endHere(args, sandbox.env);

const NEEDED = 'id,transactionId,type,quantity,timestamp,walletId,assetId,assetRaw.symbol,asset.symbol';

async function exported(name: string, columns: string): Promise<string> {
  const { error } = await run('ledgers', 'export', '--out', at(name), '--overwrite', '--columns', columns);
  expect(error).toBeUndefined();
  return at(name);
}

const manifestOf = (path: string) => JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));

function addToManifest(path: string, ...columns: readonly string[]): void {
  const manifest = manifestOf(path);
  manifest.columns.push(...columns);
  writeFileSync(`${path}.manifest.json`, JSON.stringify(manifest));
}

describe('the columns of an export', () => {
  const names = fc.constantFrom(
    ...LEDGER_COLUMNS.csv.map(({ key }) => key),
    ...['asset', 'price', 'assetRaw', 'currency', 'balance after', 'wallet', 'fromAccount'],
  );

  test('the manifest lists the columns that the file has, and "ledgers verify --deep" finds no change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(names, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('csv', 'json', 'jsonl'),
        async (chosen, format) => {
          const path = await exported(`chosen.${format}`, ['id', ...chosen].join(','));
          if (!isComparable(format)) throw new Error(format);
          expect(manifestOf(path).columns).toEqual(await columnsIn(readableFile(path, format)));
          for (const args of [
            ['verify', path, '--deep'],
            ['diff', path, 'live'],
          ]) {
            const { error, stdout } = await run('ledgers', ...args, '--json');
            expect(error).toBeUndefined();
            expect(JSON.parse(stdout)).toMatchObject({ changed: 0, verified: true, changes: [] });
          }
          // Change a byte, so that "ledgers verify --deep" has to compare the rows.
          const text = readFileSync(path, 'utf8');
          writeFileSync(path, format === 'csv' ? text.replace(/\n$/, '\r\n') : `${text}\n`);
          const { stdout } = await run('ledgers', 'verify', path, '--deep', '--json');
          expect(JSON.parse(stdout)).toMatchObject({ compared: 'contents', changes: [] });
        },
      ),
      { numRuns: runs(25), examples: [[['id'], 'jsonl']] },
    );
  });

  test('commands read the same legs from CSV and JSON files with the same columns', async () => {
    const paths = await Promise.all(['a.csv', 'a.json', 'a.jsonl'].map((name) => exported(name, NEEDED)));
    paths.push(await exported('whole.json', NEEDED.replace(/assetRaw.*/, 'assetRaw,asset')));
    const results = await Promise.all(paths.map((path) => run('balances', '--file', path, '-o', 'csv')));
    const [first] = results;
    expect(first?.stdout.split('\n').length).toBeGreaterThan(10);
    for (const { stdout, error } of results) expect([stdout, error]).toEqual([first?.stdout, undefined]);
  });
});

describe('a column that only the manifest lists', () => {
  test.each(['csv', 'json', 'jsonl'])(
    'every command that reads legs from a %s file rejects the file, and the error contains the column',
    async (format) => {
      const path = await exported(`lacking.${format}`, NEEDED);
      addToManifest(path, 'profit');
      for (const args of [
        ['audit', '--file', path],
        ['balances', '--file', path],
        ['ledgers', 'verify', path, '--offline'],
        ['ledgers', 'diff', path, 'live'],
      ]) {
        expect((await run(...args)).error).toMatchObject({
          kind: 'unverified',
          code: 'FILE_CHANGED',
          message: expect.stringContaining('it lacks the column profit of the manifest'),
        });
      }
    },
  );
});
