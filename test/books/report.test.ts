import { expect, test } from 'vitest';
import { auditLegs } from '../../src/books/audit/index.ts';
import { reportFigures } from '../../src/books/report.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { Scope } from '../../src/books/scope.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { legOf } from '../formats/report/page.ts';
import { cleanBooks, START } from './audit/books.ts';

const DAY = 86_400_000;

async function figuresOf(
  legs: readonly JsonRecord[],
  period = {},
  limits = { fromStart: true, mostHistories: 40 },
) {
  const { findings } = await auditLegs(legs, { scope: new Scope({ period, now: Date.now() }) });
  const dateOf = (timestamp: number) => new Date(timestamp).toISOString();
  return {
    findings,
    figures: await reportFigures(legs, { period, dateOf, findings, isOwn: () => true, ...limits }),
  };
}

test('a report about clean books contains a roll-forward and sums, but no balance history', async () => {
  const { legs } = cleanBooks(3, 2000);
  const period = { from: START + 90 * DAY, to: START + 180 * DAY };
  const upTo = legs.filter(({ timestamp }) => Number(timestamp) <= period.to);
  const { figures } = await figuresOf(upTo, period);
  expect(figures.histories).toEqual([]);
  const books = await rollForward(upTo, period);
  expect(figures.rollForward).toEqual(books.lines());
  expect(figures.byAsset).toEqual(books.linesByAsset());
  const inPeriod = upTo.filter(({ timestamp }) => Number(timestamp) >= period.from).length;
  for (const rows of [figures.byMonth, figures.totals]) {
    expect(rows.reduce((sum, { legs }) => sum + Number(legs), 0)).toBe(inPeriod);
  }
});

const NEGATIVE = [
  legOf(-10),
  legOf(1, { type: 'outgoing', quantity: '3', beforeBalance: '1', afterBalance: '-2' }),
  legOf(35, { type: 'outgoing', quantity: '0.5', beforeBalance: '-2', afterBalance: '-2.5' }),
  legOf(40, { quantity: '3', beforeBalance: '-2.5', afterBalance: '0.5' }),
  legOf(41, { quantity: '1', beforeBalance: '0.5', afterBalance: null }),
];

test('adds up the profit of disposals that may be transfers, whether or not the other side was found', async () => {
  const money = { proceeds: '5', costbasis: '3', profit: '2' };
  const out = { type: 'outgoing', quantity: '1', label: null, beforeBalance: null, afterBalance: null };
  const legs = [
    legOf(1, { ...out, ...money }),
    legOf(1.01, { quantity: '1', label: null, walletId: 'wal_2', beforeBalance: null, afterBalance: null }),
    legOf(3, { ...out, ...money }),
    legOf(4, { ...out, ...money, profit: null }),
    legOf(5, { ...out, ...money, label: 'Trade' }),
    legOf(7, { ...out, ...money, asset: { symbol: 'EUR', type: 'fiat' }, assetId: 'ast_eur' }),
  ];
  const { figures, findings } = await figuresOf(legs);
  const found = findings.filter(({ check }) => check === 'unmatched-transfer');
  expect(found.map(({ ledgerId }) => ledgerId)).not.toContain(legs[0]?.['id']);
  const [all, ...others] = figures.disposals;
  expect([others, all?.disposals, all?.uncategorised.legs]).toEqual([[], 4, 3]);
  expect(all?.uncategorised.profit).toMatchObject({ unknown: 1 });
  expect(all?.uncategorised.profit.part?.toFixed()).toBe('4');
});

test('if a balance became negative before the period, the balance history starts shortly before that moment', async () => {
  const period = { from: START + 30 * DAY, to: START + 60 * DAY };
  const { figures, findings } = await figuresOf(NEGATIVE, period);
  expect(findings.map(({ check }) => check)).toContain('negative-balance');
  const [history] = figures.histories;
  expect(history).toMatchObject({ walletId: 'wal_1', symbol: 'BTC', unknown: 1, closing: null });
  expect(Number(history?.from)).toBeLessThan(START + DAY);
  expect([history?.opening, history?.lowest?.balance, history?.highest?.balance].map(String)).toEqual([
    '1',
    '-2.5',
    '1',
  ]);
  expect(history?.steps.map(({ balance }) => balance?.toFixed() ?? null)).toEqual([
    '-2',
    '-2.5',
    '0.5',
    null,
  ]);
  expect(history?.breaks.map(({ time }) => time)).toContain(START + DAY);
});

test('without a period, a balance history opens with the balance before the first leg', async () => {
  const { figures } = await figuresOf([legOf(0, { beforeBalance: '7', afterBalance: '8' })]);
  expect(figures.histories[0]).toMatchObject({ from: undefined, legs: 1 });
  expect(String(figures.histories[0]?.opening)).toBe('7');
});

test('limits the number of histories, but counts all affected wallet/asset pairs', async () => {
  const legs = [...Array(30).keys()].map((at) =>
    legOf(at, { walletId: `wal_${at}`, type: 'outgoing', beforeBalance: '0', afterBalance: '-1' }),
  );
  const { figures } = await figuresOf(legs, {}, { fromStart: true, mostHistories: 3 });
  expect(figures.histories).toHaveLength(3);
  expect(figures.affectedPairs).toBe(30);
});
