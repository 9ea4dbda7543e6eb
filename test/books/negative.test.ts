import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { negativeEpisodes } from '../../src/books/negative.ts';
import { rollForward } from '../../src/books/rollforward.ts';

const leg = (
  id: string,
  timestamp: number,
  before: string | null,
  after: string | null,
  more: object = {},
) => ({
  id,
  transactionId: `t-${id}`,
  type: 'outgoing',
  quantity: '1',
  walletId: 'w1',
  assetId: 'a1',
  asset: { symbol: 'ETH' },
  timestamp,
  beforeBalance: before,
  afterBalance: after,
  ...more,
});
const IN = { type: 'incoming' };

/** Returns the episodes with leg ids instead of legs. */
async function told(legs: readonly Readonly<Record<string, unknown>>[], from?: number) {
  const { episodes } = await negativeEpisodes(legs, { period: from === undefined ? {} : { from } });
  return episodes.map(({ first, deepest, end, began, ...rest }) => ({
    ...rest,
    ...{ first: first?.id, deepest: deepest?.id, end: end?.id, began: began?.id },
  }));
}

describe('negativeEpisodes', () => {
  test('an episode that began before the period counts its legs with unknown balances, but a later episode does not', async () => {
    const episodes = await told(
      [
        leg('carried', 30, '-1', null),
        leg('lost', 35, null, null),
        leg('more', 40, null, '-4'),
        leg('refill', 50, '-4', '5', IN),
        leg('again', 60, '5', '-2'),
      ],
      25,
    );
    expect(episodes.map(({ first, sinceBefore, unknownLegs }) => [first, sinceBefore, unknownLegs])).toEqual([
      ['more', true, 2],
      ['again', undefined, undefined],
    ]);
  });

  test('a balance that becomes negative twice has two negative episodes', async () => {
    const episodes = await told([
      leg('buy', 10, '0', '1', IN),
      leg('sell', 20, '1', '-0.000000000000000001'),
      leg('refill', 30, '-0.000000000000000001', '5', IN),
      leg('again', 40, '5', '-4'),
      leg('deeper', 50, '-4', '-7.5'),
    ]);
    expect(episodes).toEqual([
      expect.objectContaining({
        legs: 1,
        first: 'sell',
        deepest: 'sell',
        began: 'sell',
        end: 'refill',
        before: '1',
      }),
      expect.objectContaining({ legs: 2, first: 'again', deepest: 'deeper', began: 'again', before: '5' }),
    ]);
    expect(episodes[1]?.end).toBeUndefined();
    expect(episodes[0]).not.toHaveProperty('sinceBefore');
  });

  test('the result for an episode that began before the period contains the leg that made the balance negative', async () => {
    const history = [
      leg('buy', 10, '0', '1', IN),
      leg('cause', 20, '1', '-10'),
      leg('first', 110, '-10', '-6', IN),
      leg('more', 120, '-6', '-8'),
    ];
    expect(await told(history, 100)).toEqual([
      expect.objectContaining({
        ...{ sinceBefore: true, openingBalance: '-10', before: '-10', legs: 2 },
        ...{ first: 'first', deepest: 'more', began: 'cause' },
      }),
    ]);
  });

  test('a negative episode that continues through a period without legs is returned with 0 legs', async () => {
    expect(await told([leg('cause', 20, '1', '-10')], 100)).toEqual([
      expect.objectContaining({
        sinceBefore: true,
        openingBalance: '-10',
        legs: 0,
        began: 'cause',
        before: null,
      }),
    ]);
    const ended = await told([leg('cause', 20, '1', '-10'), leg('refill', 90, '-10', '0', IN)], 100);
    expect(ended).toEqual([]);
  });

  test('an incoming leg, or a leg that starts from a negative balance, is never the cause of a negative episode', async () => {
    expect(await told([leg('a', 10, '-9', '-5', IN)])).toEqual([
      expect.objectContaining({ first: 'a', began: undefined, before: '-9' }),
    ]);
    expect(await told([leg('a', 10, '-9', '-12')])).toEqual([expect.objectContaining({ began: undefined })]);
    expect(await told([leg('a', 110, '-9', '-5', IN)], 100)).toEqual([
      expect.objectContaining({ began: undefined, sinceBefore: true, openingBalance: '-9' }),
    ]);
  });

  test('only episodes that began before the period have "sinceBefore"', async () => {
    const episodes = await told(
      [leg('a', 10, '0', '-1'), leg('b', 110, '-1', '1', IN), leg('c', 120, '1', '-2')],
      100,
    );
    expect(episodes.map(({ sinceBefore, began, end }) => [sinceBefore, began, end])).toEqual([
      [true, 'a', 'b'],
      [undefined, 'c', undefined],
    ]);
  });

  test('a negative episode continues across legs with an unknown balance, and "unknownLegs" counts these legs', async () => {
    const episodes = await told([
      leg('a', 10, '0', '-1'),
      leg('b', 20, null, null),
      leg('c', 30, null, 'n/a'),
      leg('d', 40, '-1', '-2'),
      leg('e', 50, '-2', '0', IN),
    ]);
    expect(episodes).toEqual([
      expect.objectContaining({ first: 'a', deepest: 'd', end: 'e', legs: 2, unknownLegs: 2 }),
    ]);
    const { unreadable } = await negativeEpisodes([leg('c', 30, null, 'n/a'), leg('b', 20, null, null)]);
    expect(unreadable).toBe(1);
  });

  test('negative episodes do not depend on the order of legs with the same time', async () => {
    const chain = [
      leg('1', 10, '3', '-1'),
      leg('2', 10, '-1.0', '4', IN),
      leg('3', 10, '4', '-2'),
      leg('4', 10, '-2', '-5'),
    ];
    const expected = await told(chain);
    expect(expected.map(({ first, end, legs }) => [first, end, legs])).toEqual([
      ['1', '2', 1],
      ['3', undefined, 2],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(chain, { minLength: 4 }), async (legs) => {
        expect(await told(legs)).toEqual(expected);
      }),
    );
  });

  test('the opening balance of an episode stays unknown when later balances are known', async () => {
    const episodes = await told(
      [leg('a', 10, '1', null), leg('b', 110, null, '-5'), leg('c', 120, '-5', '-6')],
      100,
    );
    expect(episodes).toEqual([expect.objectContaining({ openingBalance: null, first: 'b', before: null })]);
  });

  test('a leg began an episode only if the balance before it was zero or above', async () => {
    const began = async (...legs: Parameters<typeof told>[0]) => (await told(legs))[0]?.began;
    expect(await began(leg('a', 10, null, '-1', { quantity: '1' }))).toBe('a');
    expect(await began(leg('a', 10, null, '-2', { quantity: '1' }))).toBeUndefined();
    expect(await began(leg('a', 10, null, '-2', { quantity: null }))).toBeUndefined();
    expect(await began(leg('z', 5, '0', '1', IN), leg('a', 10, null, '-2', { quantity: null }))).toBe('a');
  });

  test('the balance before a leg is unknown if the order of the legs before it is unknown', async () => {
    const moment = [leg('a', 10, null, '8', IN), leg('b', 10, null, '5', IN)];
    const next = leg('c', 20, null, '-2', { quantity: null });
    for (const legs of [moment, moment.toReversed()]) {
      expect(await told([...legs, next])).toEqual([
        expect.objectContaining({ first: 'c', before: null, began: undefined }),
      ]);
      expect(await told([...legs, next], 15)).toEqual([expect.objectContaining({ openingBalance: null })]);
    }
  });

  test('an episode and the roll-forward have the same opening balance if the order of the first legs is unknown', async () => {
    const legs = [
      { ...leg('a', 10, '0', null, IN), quantity: '0' },
      leg('b', 110, '0', '-1'),
      { ...leg('c', 110, '0', '0', IN), quantity: '0' },
      leg('d', 110, '5', '10', { type: 'reward', quantity: '5' }),
    ];
    const [line] = (await rollForward(legs, { from: 100 })).lines();
    expect([line?.opening, line?.closing]).toEqual(['0', null]);
    expect(await told(legs, 100)).toEqual([expect.objectContaining({ openingBalance: '0' })]);
  });

  test('a negative episode continues if the balance after legs with the same time is possibly below zero', async () => {
    const moment = [leg('a', 10, null, '-1'), leg('b', 10, null, '5', IN)];
    for (const legs of [moment, moment.toReversed()]) {
      expect(await told(legs)).toEqual([
        expect.objectContaining({ legs: 1, first: 'a', deepest: 'a', end: undefined, unknownLegs: 1 }),
      ]);
    }
  });

  test('a leg without a time is not part of an episode, and makes the opening balance unknown', async () => {
    const legs = [
      leg('a', 10, '1', '-3'),
      leg('b', 20, '-3', '-5'),
      { ...leg('c', 0, '1', '-9'), timestamp: null },
    ];
    for (const from of [undefined, 15]) {
      const period = from === undefined ? {} : { from };
      const { episodes, untimed } = await negativeEpisodes(legs, { period });
      expect(untimed).toBe(1);
      expect(episodes).toEqual([
        expect.objectContaining({ openingBalance: null, deepestOfAll: expect.objectContaining({ id: 'b' }) }),
      ]);
    }
    const { negativeIds } = await negativeEpisodes(legs, { wanted: () => true });
    expect([...negativeIds]).toEqual(['a', 'b', 'c']);
  });

  test('a balance of zero in any notation does not start a negative episode', async () => {
    const rows = ['0', '-0', '-0.000', '0.0'].map((balance, at) => leg(String(at), at, null, balance));
    expect(await told(rows)).toEqual([]);
  });

  test('an unresolved asset with the symbol XYZ and an asset with the id XYZ have separate negative episodes', async () => {
    const raw = (symbol: string) => ({ assetId: null, asset: null, assetRaw: { symbol } });
    const episodes = await told([
      leg('1', 1, '0', '-1', raw('XYZ')),
      leg('2', 2, '0', '-1', raw('ABC')),
      leg('3', 3, '0', '-1', { assetId: 'XYZ', asset: { symbol: 'XYZ' } }),
    ]);
    expect(episodes.map(({ assetId, symbol }) => [assetId, symbol])).toEqual([
      [null, 'XYZ'],
      [null, 'ABC'],
      ['XYZ', 'XYZ'],
    ]);
  });

  test('for random histories and periods, the negative episodes match those of a simple model', async () => {
    const Exact = Decimal.clone({ precision: 100, toExpNeg: -1000, toExpPos: 1000 });
    const text = (units: bigint) => new Exact(units.toString()).div('1e18').toFixed();
    const step = fc.record({
      pair: fc.constantFrom('w1 a', 'w1 b', 'w2 a'),
      change: fc.oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })),
      unknown: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.option(fc.nat(60)), async (steps, from) => {
        const balances = new Map<string, bigint>();
        const legs = steps.map(({ pair, change, unknown }, at) => {
          const before = balances.get(pair) ?? 0n;
          const after = before + change;
          balances.set(pair, after);
          const [walletId, assetId] = pair.split(' ');
          const row = leg(String(at), at, unknown ? null : text(before), unknown ? null : text(after));
          return {
            row: { ...row, walletId, assetId, ...(change >= 0n ? IN : {}) },
            pair,
            at,
            before,
            after,
            unknown,
          };
        });
        const naive: object[] = [];
        for (const pair of new Set(legs.map(({ pair }) => pair))) {
          const known = legs.filter((leg) => leg.pair === pair && !leg.unknown);
          for (let start = 0; start < known.length; ) {
            if ((known[start]?.after ?? 0n) >= 0n) {
              start += 1;
              continue;
            }
            let stop = start + 1;
            while ((known[stop]?.after ?? 0n) < 0n && (known[stop]?.before ?? 0n) < 0n) stop += 1;
            const inside = known.slice(start, stop).filter(({ at }) => at >= (from ?? 0));
            const next = known[stop];
            // If the balance before `next` is not negative, the last leg before `next` ended the episode. The balance of that
            // leg is unknown.
            const hidden = legs.findLast((leg) => leg.pair === pair && leg.at < (next?.at ?? 0));
            const end = next === undefined || next.before < 0n ? next : hidden;
            if (end === undefined || end.at >= (from ?? 0)) {
              const deepest = inside.reduce((low, leg) => (leg.after < low ? leg.after : low), 0n);
              const cause = known[start];
              const explains = cause !== undefined && cause.row.type !== 'incoming' && cause.before >= 0n;
              naive.push({
                ...{ pair, legs: inside.length, first: inside[0]?.row.id, end: end?.row.id },
                deepest: inside.length === 0 ? undefined : text(deepest),
                before: inside[0] === undefined ? null : text(inside[0].before),
                began: explains ? cause.row.id : undefined,
              });
            }
            start = stop;
          }
        }
        const { episodes } = await negativeEpisodes(
          legs.map(({ row }) => row),
          { period: from === null ? {} : { from } },
        );
        const found = episodes.map(({ walletId, assetId, ...rest }) => ({
          pair: `${walletId} ${assetId}`,
          legs: rest.legs,
          first: rest.first?.id,
          end: rest.end?.id,
          deepest: rest.deepest?.afterBalance,
          before: rest.before,
          began: rest.began?.id,
        }));
        const sorted = (list: readonly object[]) =>
          list.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort();
        expect(sorted(found)).toEqual(sorted(naive));
        for (const { sinceBefore, openingBalance } of episodes) {
          if (from === null) expect([sinceBefore, openingBalance]).toEqual([undefined, null]);
          // The opening balance is null if the last leg before the period has no balance.
          if (sinceBefore) expect(new Exact(openingBalance ?? -1).isNegative()).toBe(true);
        }
      }),
    );
  });
});
