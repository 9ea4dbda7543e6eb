import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairKey } from '../../src/books/asset.ts';
import type { Finding } from '../../src/books/audit/findings.ts';
import { auditLegs } from '../../src/books/audit/index.ts';
import { balancesAfter } from '../../src/books/balances.ts';
import { Leg } from '../../src/books/leg.ts';
import { lowestInPeriod, negativeEpisodes } from '../../src/books/negative.ts';
import { reportFigures } from '../../src/books/report.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { Scope, type ScopeParts } from '../../src/books/scope.ts';
import type { WalkStep } from '../../src/books/step.ts';
import { walk } from '../../src/books/walk.ts';
import { type Exact, exact, ZERO } from '../../src/core/decimal.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { isInPeriod, isWithin, type OpenSpan } from '../../src/core/span.ts';
import { runs } from '../runs.ts';
import { books, HOUR, mixed, openBooks, PERIOD, timeIn } from './random-books.ts';

const audit = (legs: readonly JsonRecord[], parts: Partial<ScopeParts> = {}) =>
  auditLegs(legs, { scope: new Scope({ now: 1000 * HOUR, period: PERIOD, ...parts }) });

const report = (legs: readonly JsonRecord[], findings: readonly Finding[], period: OpenSpan) =>
  reportFigures(legs, {
    ...{ period, findings, fromStart: true, isOwn: () => true, mostHistories: 9 },
    dateOf: (time) => new Date(time).toISOString(),
  });

/** The gaps and arithmetic errors of a period, by pair. */
async function explained(legs: readonly JsonRecord[]): Promise<Map<string, Exact>> {
  const sums = new Map<string, Exact>();
  const openings = new Map<string, Exact | null>();
  const add = (pair: string, value: Exact | null) =>
    sums.set(pair, (sums.get(pair) ?? ZERO).plus(value ?? ZERO));
  const started = new Set<string>();
  await walk(legs, {
    step({ leg, pair, gap, error, balance }: WalkStep) {
      if (!isWithin(leg.time, PERIOD)) {
        if (!started.has(pair)) openings.set(pair, balance);
        return;
      }
      // If the balance before the period is unknown, the balance before the first leg is the opening balance, so there is no
      // gap at this leg.
      if (started.has(pair) || openings.get(pair)) add(pair, gap);
      started.add(pair);
      add(pair, error);
    },
  });
  return sums;
}

test('the difference in a roll-forward is the sum of the gaps and the arithmetic errors of its legs', async () => {
  let [known, wrong] = [0, 0];
  await fc.assert(
    fc.asyncProperty(openBooks, async (legs) => {
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
    { numRuns: runs(800, 200) },
  );
  expect(known).toBeGreaterThan(10);
  expect(wrong).toBeGreaterThan(0);
});

test('no calculation depends on the order in which legs with the same time arrive', async () => {
  await fc.assert(
    fc.asyncProperty(openBooks, fc.integer({ min: 1, max: 100 }), async (legs, seed) => {
      const answers = async (given: readonly JsonRecord[]) => {
        const { findings, ...audited } = await audit(given);
        return {
          ...{ findings, audited },
          balances: await balancesAfter(given),
          lines: (await rollForward(given, PERIOD)).lines(),
          episodes: await negativeEpisodes(given, { period: { from: PERIOD.from } }),
          report: await report(given, findings, PERIOD),
        };
      };
      expect(await answers(mixed(legs, seed))).toEqual(await answers(legs));
    }),
    { numRuns: runs(500) },
  );
});

const PERIODS: readonly OpenSpan[] = [PERIOD, { from: PERIOD.from }, { to: PERIOD.to }, {}];
const same = (decimal: string | null | undefined) => exact(decimal ?? null)?.toFixed() ?? null;

test('all calculations return the same balances and the same numbers of legs', async () => {
  const seen = { known: 0, unknown: 0, open: 0, episodes: 0, untimed: 0, charts: 0 };
  await fc.assert(
    fc.asyncProperty(openBooks, fc.constantFrom(...PERIODS), async (legs, period) => {
      const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = period;
      const isUntimed = ({ timestamp }: JsonRecord) => timestamp === null;
      const upTo = (end: number) => legs.filter((leg) => isUntimed(leg) || timeIn(leg) <= end);
      const balances = async (end: number) =>
        new Map((await balancesAfter(upTo(end))).map((balance) => [pairKey(balance), balance]));
      const [before, after] = [await balances(from - 1), await balances(to)];
      const books = await rollForward(legs, period);
      const lines = books.lines();
      const { episodes, openings, untimed } = await negativeEpisodes(upTo(to), { period });
      const audited = await audit(legs, { period });
      const { totals, histories } = await report(upTo(to), audited.findings, period);

      // All calculations count the same legs in the period, and the same legs without a time.
      const counted = legs.filter((leg) => isInPeriod(isUntimed(leg) ? undefined : timeIn(leg), period));
      const sum = (numbers: readonly unknown[]) => numbers.reduce<number>((all, one) => all + Number(one), 0);
      expect(audited.legs).toBe(counted.length);
      expect(sum(lines.map((line) => line.legs))).toBe(counted.length);
      expect(sum(totals.map((row) => row['legs']))).toBe(counted.length);
      const without = legs.filter(isUntimed).length;
      seen.untimed += without;
      expect([untimed, books.untimed()]).toEqual([without, without]);
      expect(sum([...after.values()].map((balance) => balance.untimed))).toBe(without);
      const chain = audited.checks.find(({ check }) => check === 'broken-chain');
      expect(/legs? ha(?:s|ve) no time/.test(chain?.why ?? '')).toBe(without > 0);

      for (const line of lines) {
        const key = pairKey(line);
        const balance = after.get(key);
        expect(line.closing).toBe(same(balance?.balance));
        if (balance?.balance !== null) expect(balance?.lastKnown).toBe(balance?.balance);
        // Legs without an asset may be of different assets, so they have no common opening balance, episode or chart.
        if (line.assetId === null && line.symbol === '') continue;
        const opening = same(before.get(key)?.balance);
        // The balances before the first legs of the period.
        const starts = counted
          .filter((leg) => pairKey(new Leg(leg).pair) === key && !isUntimed(leg))
          .filter((leg, _, [first]) => timeIn(leg) === timeIn(first ?? {}))
          .map((leg) => same(leg['beforeBalance'] as string | null));
        if (opening !== null) expect(line.opening).toBe(opening);
        else if (line.opening !== null) expect(starts).toContain(line.opening);
        seen[line.closing === null ? 'unknown' : 'known'] += 1;
        if ((balance?.openLegs ?? 0) > 0) seen.open += 1;

        // The audit reports a closing balance as unknown if, and only if, the roll-forward does. The episodes match the closing
        // balance.
        const isNamed = audited.findings.some(
          (finding) =>
            finding.check === 'unknown-balance' &&
            pairKey({ ...finding, walletId: finding.walletId ?? '', symbol: finding.symbol ?? '' }) === key &&
            /closing balance.* is unknown/i.test(finding.message),
        );
        expect([key, isNamed]).toEqual([key, line.closing === null]);
        const own = episodes.filter((episode) => pairKey(episode) === key);
        const isBelow = exact(line.closing)?.lessThan(0);
        if (isBelow !== undefined) expect(own.some(({ end }) => end === null)).toBe(isBelow);
        for (const episode of own) {
          const { openingBalance, first, deepest, deepestOfAll, began } = episode;
          seen.episodes += 1;
          const carried = episode.sinceBefore && openingBalance !== null ? [Number(openingBalance)] : [];
          const lowest = Math.min(...carried, ...(deepest ? [Number(deepest.afterBalance)] : []));
          expect(lowestInPeriod(episode)).toBe(Number.isFinite(lowest) ? String(lowest) : null);
          if (period.from !== undefined) expect(same(openingBalance)).toBe(line.opening);
          if (first) expect(Number(deepest?.afterBalance)).toBeLessThanOrEqual(Number(first.afterBalance));
          for (const leg of [first, deepest, deepestOfAll, began]) {
            if (leg) expect(leg.afterBalance).toBe(legs.find(({ id }) => id === leg.id)?.['afterBalance']);
            if (leg) expect(Number(leg.afterBalance)).toBeLessThan(0);
          }
        }
        for (const { balance } of openings.filter(({ leg }) => pairKey(leg.pair) === key)) {
          if (line.opening !== null) expect(same(balance)).toBe(line.opening);
          // No episode contains this negative opening balance.
          expect(own.some(({ sinceBefore }) => sinceBefore)).toBe(false);
          expect(same(balance)).toMatch(/^-/);
          expect(starts).toContain(same(balance));
        }
        const history = histories.find((one) => pairKey(one) === key);
        if (!history) continue;
        seen.charts += 1;
        expect(history.closing?.toFixed() ?? null).toBe(line.closing);
        if (history.from === period.from) expect(history.opening?.toFixed() ?? null).toBe(line.opening);
      }
      const found = audited.findings.filter(({ check }) => check === 'negative-balance');
      expect(found.length).toBe(episodes.length + openings.length);
    }),
    { numRuns: runs(800, 200) },
  );
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(3);
});

const withoutCauses = (findings: readonly Finding[]) => findings.map(({ causes: _, ...finding }) => finding);

test('an audit of one wallet has the same findings about this wallet as an audit of all wallets', async () => {
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

test('earlier legs do not change the findings about single legs in a period', async () => {
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
      // Legs after the period do not influence the order of legs in the period.
      const all = await about({ to: PERIOD.to });
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
      expect(counted('missing-price')).toBe(inside.filter((leg) => leg['price'] === null).length);
    }),
    { numRuns: runs(500) },
  );
});

test('a sum of money never mixes currencies', async () => {
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
