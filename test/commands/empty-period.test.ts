// Runs every command that has a period flag. The period has no legs, so the output must contain the first and the last day with
// legs.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { sandboxed, temporary } from '../e2e/harness.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await sandboxed({ rows: 300 });
const folder = temporary();
const out = (name: string) => join(folder, name);
await runHere(['ledgers', 'export', '--out', out('all.jsonl')], sandbox.env);
await runHere(['mirror', out('books')], sandbox.env);

const times: number[] = JSON.parse((await runHere(['ledgers', '--all', '--json'], sandbox.env)).stdout)
  .map(({ timestamp }: { timestamp: number }) => timestamp)
  .sort((left: number, right: number) => left - right);
const day = (time = 0) => new Date(time).toISOString().slice(0, 10);
const RANGE = `from ${day(times[0])} to ${day(times.at(-1))}.`;

const LINES: Readonly<Record<string, readonly string[]>> = {
  'ledgers list': [],
  'ledgers negative': [],
  'ledgers rollforward': [],
  'ledgers disposals': [],
  'ledgers export': ['--out', out('none.csv'), '--overwrite'],
  'txns list': [],
  'txns export': ['--out', out('txns.csv'), '--overwrite'],
  'audit run': [],
  'close run': ['--out', out('pack'), '--overwrite'],
};

/** These commands have a period flag but are not tested: they explain one leg or finding, or they do not list legs. */
const OTHERS = ['audit explain', 'ledgers explain', 'events list', 'events replay', 'mirror changes'];

test('every command with a period flag is either tested here or listed as an exception', async () => {
  const entries = (await entriesOf(TREE)).filter(({ verb }) => 'period' in verb.flags);
  expect(entries.map(wordsOf).sort()).toEqual([...Object.keys(LINES), ...OTHERS].sort());
});

describe.each(Object.entries(LINES))('%s without legs in the period', (words, more) => {
  test.each(['2009', '2052'])(
    'the output shows the first and last day with legs: --period %s',
    async (period) => {
      const { stderr } = await endHere([...words.split(' '), ...more, '--period', period], sandbox.env);
      expect(stderr).toContain(RANGE);
    },
  );
});

test('"balances" reports the first and last day with legs if --as-of is before the first leg', async () => {
  const { stderr } = await endHere(['balances', '--as-of', '2009-12-31'], sandbox.env);
  expect(stderr).toContain(`There are no legs up to the requested time. The legs are ${RANGE}`);
});

describe.each([
  ['--mirror', 'books'],
  ['--file', 'all.jsonl'],
] as const)('%s', (flag, name) => {
  test.each(['rollforward', 'disposals'])(
    '"ledgers %s" shows the first and last day with legs, and needs no access to the service',
    async (verb) => {
      const { stderr } = await endHere(['ledgers', verb, flag, out(name), '--period', '2052'], {});
      expect(stderr).toContain(`There are no legs in the period. The legs are ${RANGE}`);
    },
  );
});

test('if the result for one wallet is empty, the command shows the date range of the legs in all wallets', async () => {
  const [account] = JSON.parse((await runHere(['integrations', '--json'], sandbox.env)).stdout);
  const line = ['ledgers', '--wallet', account.walletId, '--period', '2009'];
  const { stderr } = await endHere(line, sandbox.env);
  expect(stderr).toContain(`The legs of all wallets and assets are ${RANGE}`);
});

test('for a single matching leg outside the period, the note contains the day of this leg', async () => {
  const single = await sandboxed({ rows: 1 });
  const [leg] = JSON.parse((await runHere(['ledgers', '--json'], single.env)).stdout);
  const { stderr } = await endHere(['ledgers', '--period', '2052'], single.env);
  expect(stderr).toContain(`The only matching leg is not in this period. It is from ${day(leg.timestamp)}.`);
});

test('an --offset beyond the last leg causes no note about an empty period', async () => {
  const year = day(times.at(-1)).slice(0, 4);
  const { stderr } = await endHere(['ledgers', '--period', year, '--offset', '5000'], sandbox.env);
  expect(stderr).not.toContain('in this period');
  expect(stderr).toMatch(/The list ends before this page: it has [\d,]+ legs\./);
});

test('the note about the date range is printed only for a period without legs', async () => {
  for (const period of [[], ['--period', day(times[0]).slice(0, 4)]]) {
    for (const words of ['ledgers', 'ledgers rollforward', 'ledgers disposals', 'txns']) {
      const { stderr } = await endHere([...words.split(' '), ...period], sandbox.env);
      expect(stderr, words).not.toMatch(/(legs are|They are|It is) from/);
    }
  }
});
