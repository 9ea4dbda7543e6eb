import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairKey } from '../../src/books/asset.ts';
import type { Finding } from '../../src/books/audit/findings.ts';
import { auditLegs } from '../../src/books/audit/index.ts';
import { balancesAfter } from '../../src/books/balances.ts';
import { ZERO } from '../../src/books/figure.ts';
import { negativeEpisodes } from '../../src/books/negative.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { Scope, type ScopeParts } from '../../src/books/scope.ts';
import { type Step, walk } from '../../src/books/walk.ts';
import { type Exact, exact } from '../../src/core/decimal.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { isWithin } from '../../src/core/span.ts';
import { runs } from '../runs.ts';
import { books, HOUR, mixed, PERIOD } from './random-books.ts';

const audit = (legs: readonly JsonRecord[], parts: Partial<ScopeParts> = {}) =>
  auditLegs(legs, { scope: new Scope({ now: 1000 * HOUR, period: PERIOD, ...parts }) });

/** The gaps and arithmetic errors of a period, by pair. */
async function explained(legs: readonly JsonRecord[]): Promise<Map<string, Exact>> {
  const sums = new Map<string, Exact>();
  const openings = new Map<string, Exact | null>();
  const add = (pair: string, value: Exact | null) =>
    sums.set(pair, (sums.get(pair) ?? ZERO).plus(value ?? ZERO));
  const started = new Set<string>();
  await walk(legs, {
    step({ leg, pair, gap, error, balance }: Step) {
      if (!isWithin(leg.time, PERIOD)) {
        if (!started.has(pair)) openings.set(pair, balance);
        return;
      }
      // If the balance before the period is unknown, the opening is the balance before the first leg, so it has no gap.
      if (started.has(pair) || openings.get(pair)) add(pair, gap);
      started.add(pair);
      add(pair, error);
    },
  });
  return sums;
}

test('a roll-forward differs by exactly the gaps and the arithmetic errors of its legs', async () => {
  let [known, wrong] = [0, 0];
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const upTo = legs.filter(({ timestamp }) => Number(timestamp) <= PERIOD.to);
      const sums = await explained(upTo);
      const { findings } = await audit(legs);
      for (const line of (await rollForward(legs, PERIOD)).lines()) {
        if (line.difference === null) continue;
        known += 1;
        if (line.assetId !== null || line.symbol !== '') {
          expect(line.difference).toBe((sums.get(pairKey(line)) ?? ZERO).toFixed());
        }
        if (line.tiesOut || line.symbol === '') continue;
        wrong += 1;
        const named = findings.filter(
          ({ check, walletId, assetId }) =>
            ['broken-chain', 'arithmetic'].includes(check) &&
            walletId === line.walletId &&
            assetId === line.assetId,
        );
        expect(named).not.toEqual([]);
      }
    }),
    { numRuns: runs(800) },
  );
  expect(known).toBeGreaterThan(10);
  expect(wrong).toBeGreaterThan(0);
});

test('no answer depends on the order in which legs of one millisecond arrive', async () => {
  await fc.assert(
    fc.asyncProperty(books, fc.integer({ min: 1, max: 100 }), async (legs, seed) => {
      const answers = async (given: readonly JsonRecord[]) => ({
        audit: await audit(given),
        balances: await balancesAfter(given),
        lines: (await rollForward(given, PERIOD)).lines(),
        episodes: await negativeEpisodes(given, { period: { from: PERIOD.from } }),
      });
      expect(await answers(mixed(legs, seed))).toEqual(await answers(legs));
    }),
    { numRuns: runs(500) },
  );
});

const withoutCauses = (findings: readonly Finding[]) => findings.map(({ causes: _, ...finding }) => finding);

test('an audit of one wallet finds what the whole audit finds about that wallet', async () => {
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const isChosen = ({ walletId }: { readonly walletId: string | null }) =>
        walletId === null || walletId === 'w1';
      const [all, own] = [await audit(legs), await audit(legs, { isChosen })];
      expect(own.findings).toEqual(all.findings.filter(isChosen));
      for (const { check, status, counts, why } of own.checks) {
        const open = all.findings.filter((finding) => finding.check === check && isChosen(finding)).length;
        expect([check, counts.open]).toEqual([check, open]);
        if (open > 0) expect(status).toBe('failed');
        else if (why === null) expect(status).toBe('passed');
      }
    }),
    { numRuns: runs(500) },
  );
});

test('the findings of a period about one leg are all findings about one leg, cut to the period', async () => {
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const about = async (period: ScopeParts['period']) => {
        const { findings } = await audit(legs, { period: period ?? {} });
        return withoutCauses(
          findings.filter(
            ({ check, legs }) =>
              legs === 1 && /arithmetic|chain|opening|profit|transfer|duplicate/.test(check),
          ),
        );
      };
      const all = await about({});
      expect(await about(PERIOD)).toEqual(
        all.filter(({ timestamp }) => isWithin(timestamp ?? undefined, PERIOD)),
      );
    }),
    { numRuns: runs(500) },
  );
});

test('every leg without a balance, price or asset is counted once', async () => {
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const { findings } = await audit(legs);
      const inside = legs.filter(({ timestamp }) => isWithin(Number(timestamp), PERIOD));
      const counted = (name: string) =>
        findings.reduce((sum, { check, legs }) => sum + (check === name ? (legs ?? 0) : 0), 0);
      expect(counted('unknown-balance')).toBe(inside.filter((leg) => leg['afterBalance'] === null).length);
      expect(counted('missing-asset')).toBe(inside.filter((leg) => leg['assetId'] === null).length);
      expect(counted('missing-price')).toBe(
        inside.filter((leg) => leg['assetId'] !== null && leg['price'] === null).length,
      );
    }),
    { numRuns: runs(500) },
  );
});

test('an exact amount of money never mixes currencies', async () => {
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      for (const line of (await rollForward(legs, PERIOD)).linesByAsset()) {
        const own = legs.filter(
          (leg) =>
            isWithin(Number(leg['timestamp']), PERIOD) &&
            leg['assetId'] === line.assetId &&
            (leg['assetRaw'] as { symbol: string }).symbol === line.symbol,
        );
        const sumOf = (currency: string) =>
          own
            .filter((leg) => leg['baseCurrency'] === currency)
            .reduce((sum, leg) => sum.plus(exact(leg['costbasis']) ?? ZERO), ZERO)
            .toFixed();
        for (const { baseCurrency, figures } of line.byCurrency) {
          if (figures.costbasis.sum !== null) expect(figures.costbasis.sum).toBe(sumOf(baseCurrency));
        }
        if (line.baseCurrency !== null && line.figures.costbasis.sum !== null) {
          expect(line.figures.costbasis.sum).toBe(sumOf(line.baseCurrency));
        }
      }
    }),
    { numRuns: runs(300) },
  );
});
