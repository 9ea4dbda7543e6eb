import { describe, expect, test } from 'vitest';
import type { Check } from '../../../src/books/audit/check.ts';
import { CHECKS, checkNamed } from '../../../src/books/audit/checks/index.ts';
import type { JsonRecord } from '../../../src/core/json.ts';
import { cleanBooks, decimalText, randomOf, shuffled, unitsOf } from './books.ts';
import { audit, leg, type Options, payments, resultOf } from './support.ts';

type Leg = Record<string, unknown>;

const short = (legs: readonly JsonRecord[], options?: Options) =>
  audit(legs, options).then(({ findings }) => findings.map(({ check, ledgerId }) => `${check} ${ledgerId}`));

/** Adds `units` to the balances of some legs: the legs at the indexes in `pair` that are `from` or greater. */
function shift(legs: Leg[], pair: readonly number[], from: number, units: bigint): void {
  for (const index of pair) {
    if (index < from) continue;
    const leg = legs[index] as Leg;
    for (const name of ['beforeBalance', 'afterBalance'])
      leg[name] = decimalText(unitsOf(String(leg[name])) + units);
  }
}

describe('clean books', () => {
  test.each([1, 2, 3])(
    'an audit of clean books has no findings, and every check passes (seed %i)',
    async (seed) => {
      const { legs } = cleanBooks(seed, 5000);
      const { findings, setAside, checks, matched } = await audit(legs);
      expect({ findings, setAside }).toEqual({ findings: [], setAside: [] });
      expect(matched.low).toBe(0);
      expect(matched.medium).toBeGreaterThan(0);
      expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['passed']));
    },
  );
});

/** Faults by name. Each function plants one fault near `at` and returns the expected findings. */
const FAULTS: Record<
  string,
  (legs: Leg[], pairs: ReadonlyMap<string, readonly number[]>, at: number) => string[]
> = {
  'missing price'(legs, _pairs, at) {
    const leg = legs[at] as Leg;
    const { assetId } = leg;
    const first = legs.findIndex((other) => other['assetId'] === assetId);
    (legs[first] as Leg)['price'] = null;
    return [`missing-price ${legs[first]?.['id']}`];
  },
  'wrong profit'(legs, _pairs, at) {
    (legs[at] as Leg)['profit'] = '1.250000000000000001';
    return [`profit ${legs[at]?.['id']}`];
  },
  'half-posted leg'(legs, _pairs, at) {
    (legs[at] as Leg)['creditCoaCode'] = null;
    return [`half-posted ${legs[at]?.['id']}`];
  },
  'null cost basis'(legs, _pairs, at) {
    (legs[at] as Leg)['costbasis'] = null;
    return [`unfinished-accounting ${legs[at]?.['id']}`];
  },
  'unknown balance'(legs, pairs, at) {
    // Use the last leg of the wallet and asset, because no other leg depends on its balance.
    const pair = [...pairs.values()].find((indexes) => indexes.includes(at)) ?? [];
    const leg = legs[pair.at(-1) ?? at] as Leg;
    leg['beforeBalance'] = null;
    leg['afterBalance'] = null;
    return [`unknown-balance ${leg['id']}`];
  },
  'wrong arithmetic'(legs, pairs, at) {
    const pair = [...pairs.values()].find((indexes) => indexes.includes(at)) ?? [];
    const last = legs[pair.at(-1) ?? at] as Leg;
    last['afterBalance'] = decimalText(unitsOf(String(last['afterBalance'])) + 1n);
    return [`arithmetic ${last['id']}`];
  },
  'broken chain'(legs, pairs, at) {
    const pair = [...pairs.values()].find((indexes) => indexes.includes(at)) ?? [];
    const from = pair[Math.floor(pair.length / 2)] ?? at;
    // The audit may reorder legs with equal times, so break the chain between legs with different times.
    const broken = pair.find(
      (index, position) =>
        index >= from && legs[pair[position - 1] ?? -1]?.['timestamp'] !== legs[index]?.['timestamp'],
    );
    if (broken === undefined || broken === pair[0]) return [];
    shift(legs, pair, broken, 1n);
    return [`broken-chain ${legs[broken]?.['id']}`];
  },
};

describe('planted faults', () => {
  test.each(Object.keys(FAULTS))('finds a planted %s among 5,000 legs, and nothing else', async (name) => {
    for (const seed of [11, 12, 13]) {
      const { legs, pairs } = cleanBooks(seed, 5000);
      const at = 500 + randomOf(seed)(4000);
      const expected = FAULTS[name]?.(legs as Leg[], pairs, at) ?? [];
      expect(await short(legs), `seed ${seed}`).toEqual(expected);
    }
  });

  test('an audit reports an outgoing transfer as unmatched if the incoming leg is missing', async () => {
    const { legs, pairs } = cleanBooks(21, 5000);
    const arrived = legs.findIndex(
      ({ label, type }, index) => index > 2500 && label === 'Deposit' && type === 'incoming',
    );
    const [lost] = legs.splice(arrived, 1);
    const pair = [...pairs.values()].find((indexes) => indexes.includes(arrived)) ?? [];
    const later = pair.filter((index) => index > arrived).map((index) => index - 1);
    shift(legs as Leg[], later, 0, -unitsOf(String(lost?.['quantity'])));
    const { findings } = await audit(legs);
    const transfers = findings.filter(({ check }) => check === 'unmatched-transfer');
    expect(transfers.map(({ ledgerId, amount }) => [ledgerId, amount])).toHaveLength(1);
    const out = legs.find(({ id }) => id === transfers[0]?.ledgerId);
    expect(out?.['label']).toBe('Withdrawal');
    // If the missing quantity makes the balance negative, the finding "negative-balance" lists the transfer as a cause.
    for (const { check, assetId, walletId, causes } of findings) {
      if (check !== 'negative-balance' || assetId !== lost?.['assetId'] || walletId !== lost?.['walletId'])
        continue;
      expect(causes.map(({ cause }) => cause)).toContain('transfer that did not arrive');
    }
  });

  test('reports a duplicate leg, and lists the duplicate as the cause of a negative balance', async () => {
    const base = {
      walletId: 'wal_a',
      assetId: 'ast_x',
      asset: { symbol: 'X' },
      price: { price: 2 },
      label: 'Payment',
    };
    const figures = { costbasis: '1', proceeds: '2', profit: '1', debitCoaCode: '1', creditCoaCode: '2' };
    const leg = (
      id: string,
      type: string,
      quantity: string,
      before: string,
      after: string,
      timestamp: number,
      syncId: string,
    ) => ({
      ...base,
      ...figures,
      id,
      type,
      quantity,
      timestamp,
      syncId,
      transactionId: `t_${id}`,
      beforeBalance: before,
      afterBalance: after,
    });
    const legs = [
      leg('1', 'incoming', '10', '0', '10', 1000, 's1'),
      leg('2', 'outgoing', '8', '10', '2', 50_000, 's1'),
      leg('3', 'outgoing', '8.0', '2', '-6', 52_000, 's2'),
    ];
    const { findings } = await audit(legs);
    expect(findings.map(({ check, ledgerId, amount }) => [check, ledgerId, amount])).toEqual([
      ['negative-balance', '3', '6'],
      ['duplicate', '3', '8.0'],
    ]);
    expect(findings[0]?.causes).toEqual([
      expect.objectContaining({ cause: 'duplicate outgoing leg', confidence: 'low' }),
    ]);
  });
});

describe('the audit result', () => {
  test('audit findings do not depend on the order of legs with the same time', async () => {
    const { legs, pairs } = cleanBooks(31, 3000);
    for (const [index, name] of Object.keys(FAULTS).entries())
      FAULTS[name]?.(legs as Leg[], pairs, 300 + index * 300);
    const first = await audit(legs);
    expect(first.findings.length).toBeGreaterThan(4);
    for (const seed of [1, 2]) {
      const { findings } = await audit(shuffled(legs, seed));
      expect(findings).toEqual(first.findings);
    }
  });

  test('an audit explains why a check was not possible, and does not mark the check as passed', async () => {
    const { legs } = cleanBooks(41, 200);
    const bare = legs.map((leg) => ({
      ...leg,
      ...{ beforeBalance: null, afterBalance: null, costbasis: null, proceeds: null, profit: null },
      ...{ debitCoaCode: null, creditCoaCode: null },
    }));
    const { checks } = await audit(bare);
    const status = Object.fromEntries(
      checks.map(({ check, status, why }) => [check, [status, why !== null]]),
    );
    expect(status).toMatchObject({
      'negative-balance': ['not-possible', true],
      'broken-chain': ['not-possible', true],
      arithmetic: ['not-possible', true],
      'unfinished-accounting': ['not-possible', true],
      profit: ['not-possible', true],
      'half-posted': ['not-possible', true],
      'unknown-balance': ['failed', false],
    });
  });

  test('the check "opening-balance" is not possible if the legs before the period were not read', async () => {
    const [first] = cleanBooks(41, 1).legs;
    const { checks, findings } = await audit([{ ...first, beforeBalance: '5' }], { readFrom: 0 });
    expect(checks.find(({ check }) => check === 'opening-balance')).toMatchObject({
      ...{ status: 'not-possible', findings: 0, why: 'The legs before the period are not in the file.' },
    });
    expect(findings.map(({ check }) => check)).toEqual(['arithmetic']);
  });

  test('the balance and profit checks pass for a single complete leg', async () => {
    const [first] = cleanBooks(41, 1).legs;
    const { checks, legs, pairs } = await audit([{ ...first, proceeds: null, profit: null }]);
    expect([legs, pairs.length]).toEqual([1, 1]);
    const passed = checks.filter(({ status }) => status === 'passed').map(({ check }) => check);
    expect(passed).toEqual(expect.arrayContaining(['negative-balance', 'opening-balance', 'profit']));
  });

  test('explains why a leg with null balances, cost basis, proceeds and profit cannot be checked', async () => {
    const [first] = cleanBooks(41, 1).legs;
    const unknown = {
      beforeBalance: null,
      afterBalance: null,
      costbasis: null,
      proceeds: null,
      profit: null,
    };
    const { checks } = await audit([{ ...first, ...unknown }]);
    const why = (name: string) => checks.find(({ check }) => check === name)?.why;
    expect(why('broken-chain')).toBe('No leg in the period has a running balance.');
    expect(why('profit')).toMatch(/^No leg in the period has a cost basis, proceeds or profit/);
  });

  test('an audit lists every wallet/asset pair of the books, but counts only the legs in the period', async () => {
    const { legs, pairs } = cleanBooks(41, 200);
    const from = Number(legs[150]?.['timestamp']);
    const result = await audit(legs, { period: { from } });
    expect(result.legs).toBe(legs.filter(({ timestamp }) => Number(timestamp) >= from).length);
    expect(result.pairs.map(({ walletId, symbol }) => `${walletId.slice(4)} ${symbol}`).sort()).toEqual(
      [...pairs.keys()].sort(),
    );
  });

  test('the check "broken-chain" does not pass if a leg has no time', async () => {
    const { legs } = cleanBooks(42, 200);
    const { checks } = await audit([
      ...legs,
      { ...legs[5], id: 'led_x', transactionId: 'txn_x', timestamp: null },
    ]);
    const chain = checks.find(({ check }) => check === 'broken-chain');
    expect(chain).toMatchObject({
      status: 'partial',
      why: '1 leg has no time, so its place in the order is unknown.',
    });
  });

  test('an audit reports only findings in the period, but can list an earlier finding as a cause', async () => {
    const leg = (id: string, type: string, before: string, after: string, timestamp: number) => ({
      ...{ id, type, timestamp, quantity: '5', walletId: 'w', assetId: 'a', asset: { symbol: 'X' } },
      ...{
        transactionId: `t${id}`,
        beforeBalance: before,
        afterBalance: after,
        label: 'Payment',
        price: { price: 1 },
      },
    });
    const legs = [leg('1', 'outgoing', '20', '15', 1000), leg('2', 'outgoing', '15', '-5', 900_000)];
    const { findings } = await audit(legs, { period: { from: 500_000, to: 1_000_000 } });
    expect(findings.map(({ check, ledgerId }) => [check, ledgerId])).toEqual([
      ['negative-balance', '2'],
      ['arithmetic', '2'],
    ]);
    expect(findings[0]?.causes[0]).toMatchObject({ cause: 'missing history', confidence: 'high' });
  });
});

test('an audit does not write out all digits of a quantity or balance such as 1e999999999', async () => {
  const { legs } = cleanBooks(44, 50);
  const huge = { quantity: '1e999999999', beforeBalance: '1e-999999999', afterBalance: '-1e999999999' };
  const { findings } = await audit([
    ...legs,
    { ...legs[49], ...huge, id: 'led_huge', transactionId: 'txn_huge' },
  ]);
  expect(JSON.stringify(findings).length).toBeLessThan(100_000);
});

test('in a period without legs, an audit checks only carried balances, accounts and presets', async () => {
  const about = (name: keyof Check) =>
    (CHECKS as readonly Check[]).filter((check) => check[name] !== undefined);
  const notPossible = async (legs: readonly JsonRecord[]) => {
    const { checks } = await audit(legs, { period: { from: 1e10, to: 2e10 } });
    const found = checks.filter(({ status }) => status === 'not-possible');
    expect(new Set(found.map(({ why }) => why))).toEqual(new Set(['There are no legs in the period.']));
    return checks.filter(({ status }) => status !== 'not-possible').map(({ check }) => check);
  };
  const service = about('isAboutService').map(({ name }) => name);
  expect(await notPossible([])).toEqual(service);
  const carried = about('judgesCarried').map(({ name }) => name);
  expect(carried).toEqual(['negative-balance', 'unknown-balance', 'imitated-asset']);
  const before = payments({ type: 'incoming', before: '0', after: '1' });
  expect((await notPossible(before)).sort()).toEqual([...service, ...carried].sort());
});

test('a check is not possible if its list cannot be read, but the other checks run', async () => {
  const whyNot = { 'failing-source': 'The service did not answer.' };
  const service = { whyNot, integrations: [{ walletId: 'w', status: 'FAILED', lastSyncedAt: 0 }] };
  expect(await resultOf('failing-source', [], { service })).toMatchObject({
    status: 'not-possible',
    findings: 0,
  });
  expect(await resultOf('stale-source', [], { service })).toMatchObject({ status: 'failed', findings: 1 });
});

test('the description of a check presents a likely cause as possible, not as certain', () => {
  const causes = /tax processing|recorded twice|(history|transaction|leg) is missing|two imports/i;
  for (const { name, title, means, fix } of CHECKS) {
    const sentences = [title, ...`${means} ${fix}`.split(/(?<=\.) /)].filter((text) => causes.test(text));
    for (const text of sentences) expect(text, name).toMatch(/\b(may|whether|if)\b/i);
  }
});

test('an audit of a wallet without legs passes no check of legs, and counts no legs of other wallets', async () => {
  const isChosen = ({ walletId }: { readonly walletId: string | null }) => walletId === 'other';
  const { legs, checks } = await audit([leg('l1'), leg('l2', { walletId: 'b' })], { isChosen });
  expect(legs).toBe(0);
  const passed = checks.filter(
    ({ check, status }) => status === 'passed' && checkNamed(check).isAboutService === undefined,
  );
  expect(passed).toEqual([]);
  expect(checks.find(({ check }) => check === 'profit')).toMatchObject({
    status: 'not-possible',
    why: 'The selected wallets and assets have no legs in the period.',
  });
});
