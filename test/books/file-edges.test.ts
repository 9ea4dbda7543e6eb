// Compares results that are calculated from the legs of one period, as in a file, with results from all legs.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Check } from '../../src/books/audit/check.ts';
import { CHECKS } from '../../src/books/audit/checks/index.ts';
import { auditLegs } from '../../src/books/audit/index.ts';
import { balancesAfter, balancesByAsset } from '../../src/books/balances.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { Scope } from '../../src/books/scope.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { isWithin } from '../../src/core/span.ts';
import { runs } from '../runs.ts';
import { books, HOUR, PERIOD, timeIn } from './random-books.ts';

const inPeriod = (legs: readonly JsonRecord[]) => legs.filter((leg) => isWithin(timeIn(leg), PERIOD));
const upToEnd = (legs: readonly JsonRecord[]) => legs.filter((leg) => timeIn(leg) <= PERIOD.to);
/** Books in which some legs refer to the other of two wallets, `w1` and `w2`. Some books have no legs of the other wallet. */
const named = books.map((legs) =>
  legs.map((leg, at) => {
    const other = { walletId: leg['walletId'] === 'w1' ? 'w2' : 'w1' };
    return at % 3 < 2 ? { ...leg, label: 'Payment', fromAccount: other, toAccount: other } : leg;
  }),
);
const FILE = { now: 1000 * HOUR, period: PERIOD, readFrom: PERIOD.from, readTo: PERIOD.to };
const keyOf = ({ assetId, symbol }: { readonly assetId: string | null; readonly symbol: string }) =>
  `${assetId} ${symbol}`;

test('a check that passes for a file of one period also passes for that period in the full books', async () => {
  const carried = CHECKS.filter((check: Check) => check.judgesCarried).map(({ name }): string => name);
  expect(carried).toContain('negative-balance');
  let [passed, hidden] = [0, 0];
  await fc.assert(
    fc.asyncProperty(named, async (legs) => {
      const scope = new Scope({ now: FILE.now, period: PERIOD });
      const all = await auditLegs(legs, { scope, service: { integrations: [] } });
      const file = await auditLegs(inPeriod(legs), { scope: new Scope(FILE) });
      for (const { check, status } of file.checks) {
        const found = all.findings.filter((finding) => finding.check === check).length;
        if (status === 'passed') expect([check, found, carried.includes(check)]).toEqual([check, 0, false]);
        if (status === 'passed') passed += 1;
        else if (status === 'partial' && found > 0) hidden += 1;
      }
    }),
    { numRuns: runs(800, 200) },
  );
  expect(Math.min(passed, hidden)).toBeGreaterThan(50);
});

test('an audit of a file reports each balance that is already below zero before the first leg in the file', async () => {
  const counts = { shown: 0, recovered: 0 };
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const file = await auditLegs(inPeriod(legs), { scope: new Scope(FILE) });
      for (const { walletId, assetId, symbol, opening } of (
        await rollForward(inPeriod(legs), PERIOD)
      ).lines()) {
        if (symbol === '' || !opening?.startsWith('-')) continue;
        const found = file.findings.filter(
          (one) =>
            one.check === 'negative-balance' &&
            one.walletId === walletId &&
            (one.assetId ?? one.symbol) === (assetId ?? symbol),
        );
        const [first] = found.filter(({ message }) => /start of the period|before this leg/.test(message));
        expect([legs, first?.severity]).toEqual([legs, 'error']);
        expect(Number(first?.amount)).toBeGreaterThanOrEqual(-Number(opening));
        counts.shown += 1;
        if (first?.message.includes('before this leg')) counts.recovered += 1;
      }
    }),
    { numRuns: runs(800, 200) },
  );
  expect(counts.shown).toBeGreaterThan(10);
  expect(counts.recovered).toBeGreaterThan(0);
});

test('a file with only the legs of a period has unknown balances by asset, and the other amounts of the full books', async () => {
  let [unknown, moved] = [0, 0];
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const all = new Map(
        (await rollForward(legs, PERIOD)).linesByAsset().map((line) => [keyOf(line), line]),
      );
      for (const line of (await rollForward(inPeriod(legs), PERIOD)).linesByAsset(undefined, () => false)) {
        const { in: into, out, fees, figures } = line;
        const whole = all.get(keyOf(line));
        expect(line).toMatchObject({ opening: null, closing: null, difference: null });
        expect(line.tiesOut).not.toBe(true);
        // Legs without an asset are added up only if the file has several such legs.
        if (keyOf(line) !== 'null ')
          expect({ in: whole?.in, out: whole?.out, fees: whole?.fees }).toEqual({ in: into, out, fees });
        expect(whole?.figures).toEqual(figures);
        moved += 1;
      }
      const balances = balancesByAsset(await balancesAfter(inPeriod(legs)), () => false);
      for (const balance of balances) expect(balance).toMatchObject({ balance: null, unknownWallets: null });
      unknown += balances.length;
      const whole = balancesByAsset(await balancesAfter(upToEnd(legs)));
      for (const { balance, unknownWallets } of whole) expect(balance === null).toBe(unknownWallets !== 0);
    }),
    { numRuns: runs(300, 75) },
  );
  expect(Math.min(unknown, moved)).toBeGreaterThan(100);
});
