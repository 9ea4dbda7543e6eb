import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { JsonRecord } from '../../../src/core/json.ts';
import { writeBooks } from '../books.ts';
import { runHere } from '../in-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'cryptodata-disposals-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

test('"ledgers disposals" suggests a command that finds the disposals without values', async () => {
  const leg = (id: string, day: number, more: JsonRecord) => ({
    ...{ id, transactionId: `t${id}`, timestamp: Date.UTC(2025, 0, day), type: 'outgoing', quantity: '1' },
    ...{ walletId: 'w', assetId: 'x', asset: { symbol: 'X' }, baseCurrency: 'USD', ...more },
  });
  const figures = { costbasis: '1', proceeds: '2', profit: '1' };
  const run = async (name: string, legs: readonly JsonRecord[]) => {
    const file = await writeBooks(join(directory, name), legs);
    const args = ['--file', file, '--period', '2025', '--tz', 'UTC'];
    return (await runHere(['ledgers', 'disposals', ...args, '-o', 'table'], {})).stderr;
  };
  const legs = [leg('l1', 1, figures), leg('l2', 2, {}), leg('l3', 3, {})];
  const stderr = await run('some.jsonl', legs);
  const [, command = ''] = /: cryptodata (audit --check \S+ .*)$/m.exec(stderr) ?? [];
  const { findings } = JSON.parse((await runHere([...command.split(' '), '--json'], {})).stdout);
  expect(findings).toMatchObject([{ ledgerId: 'l2', legs: 2 }]);
  expect(await run('all.jsonl', legs.slice(0, 1))).not.toContain('audit --check');
  expect(await run('none.jsonl', legs.slice(1))).not.toContain('audit --check');
});
