import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { JsonRecord } from '../../../src/core/json.ts';
import { writeBooks } from '../books.ts';
import { endHere, runHere } from '../in-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'cryptodata-disposals-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const leg = (id: string, day: number, more: JsonRecord) => ({
  ...{ id, transactionId: `t${id}`, timestamp: Date.UTC(2025, 0, day), type: 'outgoing', quantity: '1' },
  ...{ walletId: 'w', assetId: 'x', asset: { symbol: 'X' }, baseCurrency: 'USD', label: 'Trade', ...more },
});
const figures = { costbasis: '1', proceeds: '2', profit: '1' };

async function run(name: string, legs: readonly JsonRecord[], ...more: string[]): Promise<string> {
  const file = await writeBooks(join(directory, name), legs);
  const args = ['--file', file, '--period', '2025', '--tz', 'UTC', ...more];
  return (await runHere(['ledgers', 'disposals', ...args, '-o', 'table'], {})).stderr;
}

test('"ledgers disposals" suggests the command that lists exactly the legs without values', async () => {
  const legs = [leg('l1', 1, figures), leg('l2', 2, {}), leg('l3', 3, { type: 'fee' })];
  const stderr = await run('some.jsonl', legs);
  const [, command = ''] = /: cryptodata (ledgers disposals --unprocessed .*)$/m.exec(stderr) ?? [];
  const listed = await runHere([...command.split(' '), '--json'], {});
  const ids = (stdout: string) => JSON.parse(stdout).map(({ ledgerId }: JsonRecord) => ledgerId);
  expect(ids(listed.stdout)).toEqual(['l2', 'l3']);
  expect(listed.stderr).toContain('are unknown: 2 disposals.');
  expect(listed.stderr).not.toContain('disposal in USD');
  expect(await run('all.jsonl', legs.slice(0, 1))).not.toContain('--unprocessed');
});

test('"ledgers disposals --include" suggests the command that lists only the selected kinds', async () => {
  const legs = [leg('l1', 1, {}), leg('l2', 2, { type: 'odd' }), leg('l3', 3, { asset: { type: 'fiat' } })];
  const stderr = await run('kinds.jsonl', legs, '--include', 'disposal,unknown');
  const [, command = ''] = /: cryptodata (ledgers disposals --unprocessed .*)$/m.exec(stderr) ?? [];
  const listed = JSON.parse((await runHere([...command.split(' '), '--json'], {})).stdout);
  expect(listed.map(({ ledgerId }: JsonRecord) => ledgerId)).toEqual(['l1', 'l2']);
});

test.each(['disposals', 'rollforward'])(
  'the summary of "ledgers %s" for several profiles counts only the legs of the selected wallets',
  async (verb) => {
    const legs = [leg('l1', 1, figures), leg('l2', 2, { ...figures, walletId: 'v' })];
    const file = await writeBooks(join(directory, `${verb}.jsonl`), legs);
    let summary: JsonRecord | undefined;
    const args = ['ledgers', verb, '--file', file, '--period', '2025', '--wallet', 'v'];
    await endHere(args, {}, '', async (outcome) => {
      if (outcome.kind === 'rows') summary = outcome.summary?.();
      return outcome;
    });
    expect(summary).toMatchObject({ legs: 1 });
  },
);

test('"ledgers disposals" lists the ids of disposals without values', async () => {
  const listed = await run('ids.jsonl', [leg('l1', 1, figures), leg('l2', 2, {}), leg('l3', 3, {})]);
  expect(listed).toContain('are unknown: 2 disposals (l2, l3).');
  const more = ['l2', 'l3', 'l4', 'l5'].map((id, at) => leg(id, 2 + at, {}));
  expect(await run('more.jsonl', more)).toContain('are unknown: 4 disposals (l2, l3, l4, …).');
});

test('"ledgers disposals" warns about disposals that cost nothing, and about disposals that may be transfers', async () => {
  const costless = { costbasis: '0', proceeds: '5', profit: '5' };
  const notes = await run('warned.jsonl', [
    leg('l1', 1, figures),
    leg('l2', 2, costless),
    leg('l3', 3, { ...figures, label: 'Withdrawal' }),
    leg('l4', 4, { costbasis: '0', proceeds: '0', profit: '0' }),
  ]);
  expect(notes).toContain('The sums include 2 disposals (profit 5 USD) with a cost basis of 0.');
  expect(notes).toContain('The sums include 1 disposal (profit 1 USD) without a label, or labelled as');
  expect(notes).toContain('cryptodata audit --check unmatched-transfer');
  expect(await run('plain.jsonl', [leg('l1', 1, figures)])).not.toContain('The sums include');
});
