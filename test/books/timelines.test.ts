import { expect, test } from 'vitest';
import { pairKey } from '../../src/books/asset.ts';
import { figureOf } from '../../src/books/figure.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { timelineParts, timelines } from '../../src/books/timelines.ts';
import { ZERO } from '../../src/core/decimal.ts';
import { legOf } from '../formats/report/page.ts';
import { cleanBooks, START } from './audit/books.ts';

const DAY = 86_400_000;

test('a timeline has the same opening and closing balances as the roll-forward by asset', async () => {
  const { legs } = cleanBooks(11, 3000);
  const period = { from: START + 100 * DAY, to: START + 200 * DAY };
  const upTo = legs.filter(({ timestamp }) => Number(timestamp) <= period.to);
  const books = await rollForward(upTo, period);
  const pairs = books.lines().map((line) => {
    const opening = figureOf(line.opening);
    return [pairKey(line), { group: String(line.assetId), opening }] as const;
  });
  const found = await timelines(upTo, period, new Map(pairs));
  const totals = books.linesByAsset();
  expect(totals.length).toBeGreaterThan(5);
  for (const { assetId, opening, closing } of totals) {
    const timeline = found.get(String(assetId));
    expect(timeline?.opening?.toFixed()).toBe(opening);
    const parts = timeline ? timelineParts(timeline, period, 70) : [];
    expect(parts).toHaveLength(70);
    expect(parts.at(-1)?.balance?.toFixed()).toBe(closing);
  }
});

const transfer = [
  legOf(0, { quantity: '5', afterBalance: '5' }),
  legOf(1, { type: 'outgoing', quantity: '5', beforeBalance: '5', afterBalance: '0' }),
  legOf(1, { id: 'led_in', walletId: 'wal_2', quantity: '5', afterBalance: '5' }),
];
const OWN = new Map(
  ['wal_1', 'wal_2'].map((walletId) => [
    pairKey({ walletId, assetId: 'ast_1', symbol: 'BTC' }),
    { group: 'BTC', opening: ZERO },
  ]),
);

test('a transfer between wallets does not lower the timeline if both legs have the same timestamp', async () => {
  const found = await timelines(transfer, {}, OWN);
  expect(found.get('BTC')?.lowest?.balance.toFixed()).toBe('5');
});

test('a timeline is unknown as long as the balance of any of its wallets is unknown', async () => {
  const legs = [
    ...transfer,
    legOf(2, { id: 'led_u', walletId: 'wal_2', beforeBalance: '5', afterBalance: null }),
    legOf(8, { id: 'led_k', walletId: 'wal_2', beforeBalance: '5', afterBalance: '-1' }),
  ];
  const timeline = (await timelines(legs, {}, OWN)).get('BTC');
  const span = { from: START, to: START + 9 * DAY };
  const parts = timeline ? timelineParts(timeline, span, 9) : [];
  expect(parts.map(({ balance }) => balance?.toFixed() ?? null)).toEqual([
    ...['5', '5'],
    ...[null, null, null, null, null, null],
    '-1',
  ]);
  expect(parts.map(({ isNegative }) => isNegative).lastIndexOf(true)).toBe(8);
  expect(parts.filter(({ isNegative }) => isNegative)).toHaveLength(1);
});

test('a leg without a time makes the whole timeline unknown, as in the roll-forward', async () => {
  const legs = [...transfer, { ...legOf(1, { id: 'led_untimed' }), timestamp: null }];
  const timeline = (await timelines(legs, {}, OWN)).get('BTC');
  expect(timeline).toMatchObject({ opening: null, lowest: undefined });
  const parts = timeline ? timelineParts(timeline, { from: START, to: START + 2 * DAY }, 2) : [];
  expect(parts).toEqual([0, 1].map(() => ({ balance: null, isNegative: false })));
});

test('if the first leg of a wallet is in the period, the wallet starts with the balance before this leg', async () => {
  const legs = [legOf(1, { beforeBalance: '7', afterBalance: '8' })];
  const pairs = (opening: string | null) =>
    new Map([
      [
        pairKey({ walletId: 'wal_1', assetId: 'ast_1', symbol: 'BTC' }),
        { group: 'BTC', opening: figureOf(opening) },
      ],
    ]);
  const timeline = async (opening: string | null) => (await timelines(legs, {}, pairs(opening))).get('BTC');
  expect((await timeline('7'))?.opening?.toFixed()).toBe('7');
  expect((await timeline(null))?.opening).toBeNull();
});

test('the lowest balance can be between two legs of one millisecond', async () => {
  const legs = [
    legOf(0, { quantity: '5', afterBalance: '5' }),
    legOf(1, { id: 'led_in', quantity: '4', beforeBalance: '-3', afterBalance: '1' }),
    legOf(1, { id: 'led_out', type: 'outgoing', quantity: '8', beforeBalance: '5', afterBalance: '-3' }),
  ];
  const timeline = (await timelines(legs, {}, OWN)).get('BTC');
  expect(timeline?.lowest?.balance.toFixed()).toBe('-3');
  const parts = timeline ? timelineParts(timeline, { from: START, to: START + 3 * DAY }, 3) : [];
  expect(parts.map(({ balance, isNegative }) => [balance?.toFixed(), isNegative])).toEqual([
    ['5', false],
    ['1', true],
    ['1', false],
  ]);
});
