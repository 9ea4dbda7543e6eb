// Runs commands in the sandbox and compares everything that they write to stderr.

import { describe, expect, test } from 'vitest';
import { run, sandboxed } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

const sandbox = await sandboxed({ rows: 200 });
const { env } = sandbox;
const asked = (line: string) => run(line.split(' '), { env });

describe('ledgers --providers', () => {
  test('writes no note if the account of every leg shows the provider', async () => {
    expect((await endHere('ledgers list --providers kraken --all'.split(' '), env)).stderr).toBe('');
  });

  test('an unknown provider is reported once', async () => {
    const { stderr } = await endHere('ledgers list --providers zzzqqq --all'.split(' '), env);
    expect(stderr).toBe('warning: No leg has the provider zzzqqq.\nNo ledgers found.\n');
  });
});

describe('the period', () => {
  test.each([
    ['ledgers list --providers krakn --period 2025', 'No leg has the provider krakn'],
    ['ledgers list --wallet krakn --period 2025', 'No wallet is called "krakn"'],
    ['ledgers list --columns nosuch --period 2025', 'Unknown column'],
    ['ledgers list --offset 1 --wallet kraken --period 2025', '--offset cannot be combined'],
    ['txns --types deposits --period 2025', 'No transaction has the type deposits'],
    ['txns --offset 1 --period 2025', '--offset cannot be used with a period'],
    ['balances --wallet krakn --as-of 2025-12-31', 'No leg has the wallet "krakn"'],
    ['audit --wallet krakn --period 2025', 'No leg has the wallet "krakn"'],
    ['events list --period 2025 --store /nonexistent/store', '/nonexistent/store'],
  ])('is not printed before the usage error of %s', async (line, message) => {
    const { stderr, code } = await asked(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    expect(stderr.split('\n')[0]).toContain(message);
  });

  test.each(['ledgers list --period 2025', 'balances --as-of 2025-12-31', 'txns --period 2025 -o jsonl'])(
    'is printed with the result of %s',
    async (line) => {
      const { stderr, code } = await asked(line);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^(\{"note":")?Period: /);
    },
  );

  test('is printed before an error that is not a usage error', async () => {
    const { stderr, code } = await run('ledgers list --period 2025'.split(' '), {
      env: { ...env, CRYPTODATA_ACCESS_TOKEN: 'wrong' },
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^Period: .*\nerror: /);
  });
});

describe('counts of rows', () => {
  test.each([
    ['ledgers list --wallet kraken --limit 1', '1 ledger shown, and there may be more.'],
    ['providers --limit 1', /^1 of \d+ providers shown\./],
    ['legacy nfts --limit 1', /^1 of \d+ NFTs shown\./],
  ])('%s', async (line, text) => {
    const { stderr } = await endHere(line.split(' '), env);
    expect(stderr).toMatch(text);
  });
});
