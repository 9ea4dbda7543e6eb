import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { stubLedgers } from '../e2e/stub.ts';
import { writeBooks } from './books.ts';
import { endHere } from './in-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-bad-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const T = Date.UTC(2025, 6, 1);

function leg(id: string, more: JsonRecord = {}): JsonRecord {
  return {
    ...{ id, transactionId: `t-${id}`, timestamp: T, type: 'incoming', quantity: '1', walletId: 'w' },
    ...{ assetId: 'x', assetRaw: { symbol: 'X' }, asset: { symbol: 'X' }, label: 'Trade', syncId: null },
    ...{ price: { price: 2, baseCurrency: 'EUR' }, value: 2, baseCurrency: 'EUR' },
    ...{ beforeBalance: '0', afterBalance: '1', costbasis: null, proceeds: null, profit: null },
    ...{ debitCoaCode: null, creditCoaCode: null, fromAccount: null, toAccount: null, ...more },
  };
}

const SOLD = { type: 'outgoing', costbasis: '1', proceeds: '2', profit: '1' };
const GOOD = [
  leg('l1'),
  leg('l2', { ...SOLD, timestamp: T + 1, beforeBalance: '1', afterBalance: '0' }),
  leg('l3', { ...SOLD, timestamp: T + 2, beforeBalance: '0', afterBalance: '-1' }),
  leg('l4', { walletId: 'v', timestamp: T + 3 }),
];
/** Returns a leg of the asset `bad`, which has no other leg. */
const bad = (more: JsonRecord) =>
  leg('bad', {
    ...SOLD,
    timestamp: T + 4,
    assetId: 'bad',
    assetRaw: null,
    asset: { symbol: 'BAD' },
    ...more,
  });

const KINDS: readonly (readonly [more: JsonRecord, says: string])[] = [
  [{ id: '' }, '1 without an id'],
  [{ id: null, transactionId: null }, '1 without an id'],
  [{ walletId: '' }, '1 without a wallet (bad)'],
  [{ walletId: { a: 1 } }, '1 without a wallet (bad)'],
  [
    { timestamp: Math.floor(T / 1000) },
    '1 with a time that is not a whole number of Unix milliseconds (bad)',
  ],
  [{ timestamp: T + 4.5 }, '1 with a time that is not a whole number of Unix milliseconds (bad)'],
  [{ timestamp: 'soon' }, '1 without a readable time (bad)'],
  [{ type: 'Outgoing' }, '1 neither incoming nor outgoing nor a fee: Outgoing (bad)'],
  [{ type: 'constructor' }, '1 neither incoming nor outgoing nor a fee: constructor (bad)'],
  [{ type: null }, '1 neither incoming nor outgoing nor a fee: no type (bad)'],
  [{ quantity: '-1', value: -2 }, '1 with a negative quantity (bad)'],
  [{ quantity: '1,5' }, '1 with a quantity that is missing or not a decimal string (bad)'],
  [{ quantity: 1 }, '1 with a JSON number instead of a decimal string, which may have lost digits (bad)'],
  [{ quantity: '0x10' }, '1 with a quantity that is missing or not a decimal string (bad)'],
  [
    { afterBalance: -1 },
    '1 with a JSON number instead of a decimal string, which may have lost digits (bad)',
  ],
  [{ beforeBalance: 'n/a' }, '1 with a balance that is not a decimal string (bad)'],
  [{ profit: [] }, '1 with a price, value, cost basis, proceeds or profit that cannot be read (bad)'],
  [{ value: 'much' }, '1 with a price, value, cost basis, proceeds or profit that cannot be read (bad)'],
  [
    { price: { price: 2, baseCurrency: 'USD' } },
    '1 with a price that is not in the currency of the leg (bad)',
  ],
  [{ value: 709.13 }, '1 with a value that is not the quantity times the price (bad)'],
];

const FROM_FILE = [
  ['balances'],
  ['balances', '--by', 'asset'],
  ['ledgers', 'rollforward'],
  ['ledgers', 'rollforward', '--by', 'asset'],
  ['ledgers', 'disposals'],
  ['audit'],
];

let files = 0;
const books = (legs: readonly JsonRecord[]) => writeBooks(join(directory, `${files++}.jsonl`), legs);

/** Returns the output lines of all assets except `bad`, and the message about legs that are not as specified. */
async function answer(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr, error } = await endHere([...command, '-o', 'jsonl'], env);
  const lines = stdout
    .replaceAll(/\d+\.jsonl/g, 'FILE')
    .split('\n')
    .filter((line) => line !== '');
  const isOther = (line: JsonRecord) => line['assetId'] !== 'bad';
  const said = /\d+ legs? (?:is|are) not as specified: [^"\n]*/.exec(stderr)?.[0];
  return { error, others: lines.map((line): JsonRecord => JSON.parse(line)).filter(isOther), said };
}

const sentence = (says: string) =>
  `1 leg is not as specified: ${says}. Unreadable values count as unknown; all other values are used as served.`;

describe.each(KINDS)('a leg with %j', (more, says) => {
  test.each(FROM_FILE)(
    'a command counts and lists the invalid leg, and all other lines of its output stay the same',
    async (...command) => {
      const [clean, dirty] = [await books(GOOD), await books([...GOOD, bad(more)])];
      const before = await answer([...command, '--file', clean]);
      const after = await answer([...command, '--file', dirty]);
      expect(before).toMatchObject({ error: undefined, said: undefined });
      expect(after).toEqual({ error: undefined, others: before.others, said: sentence(says) });
    },
  );

  test('sums, journals and comparisons count and list the invalid leg', async () => {
    const { env } = await stubLedgers([...GOOD, bad(more)].map((one) => JSON.stringify(one)));
    const sums = await answer(['ledgers', 'list', '--sum-by', 'asset'], env);
    const clean = await stubLedgers(GOOD.map((one) => JSON.stringify(one)));
    const { others } = await answer(['ledgers', 'list', '--sum-by', 'asset'], clean.env);
    expect(sums).toMatchObject({ error: undefined, others, said: sentence(says) });
    const out = join(directory, `${files++}.journal`);
    const written = await answer(['ledgers', 'export', '--format', 'hledger', '--out', out], env);
    expect(written.said).toBe(sentence(says));
    expect(readFileSync(out, 'utf8')).toContain('l4');
    const [old, now] = [await books(GOOD), await books([...GOOD, bad(more)])];
    const compared = await answer(['ledgers', 'diff', old, now]);
    expect([compared.error, compared.said]).toEqual([undefined, sentence(says)]);
  });
});
