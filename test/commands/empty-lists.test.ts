import { describe, expect, test } from 'vitest';
import { sandboxed } from '../e2e/harness.ts';
import { runHere } from './in-process.ts';

const bare = await sandboxed({ rows: 60 });
const example = await sandboxed({ rows: 60, data: 'example' });
const [account] = JSON.parse((await runHere(['integrations', '--json'], bare.env)).stdout);
const LISTS = [
  ['labels'],
  ['spam'],
  ['assets'],
  ['holdings', 'nfts'],
  ['holdings', 'defi'],
  ['holdings', 'balances'],
  ['integrations', 'assets', String(account.walletId)],
];

describe('a list without records in the sandbox', () => {
  test.each(LISTS)(
    'if a list is empty, the output suggests --data example, which provides records: %s %s',
    async (...args) => {
      for (const more of [[], ['--all'], ['--json']]) {
        const { stdout, stderr } = await runHere([...args, ...more], bare.env);
        expect(stderr).toContain('--data example');
        expect(stdout.trim()).toBe(more[0] === '--json' ? '[]' : '');
      }
      const { stdout, stderr } = await runHere([...args, '--json', '--limit', '2'], example.env);
      expect(JSON.parse(stdout)[0]).toMatchObject({ example: true });
      expect(stderr).not.toContain('--data example');
    },
  );
});

test('the holdings table starts with symbol, quantity and value if the records contain them', async () => {
  const heading = async (env: NodeJS.ProcessEnv) =>
    (await runHere(['holdings'], env)).stdout.split('\n', 1)[0]?.split(/ {2,}/);
  expect((await heading(example.env))?.slice(0, 4)).toEqual(['symbol', 'quantity', 'value', 'cost basis']);
  expect((await heading(bare.env))?.slice(0, 2)).toEqual(['asset', 'token']);
});
