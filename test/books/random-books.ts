import fc from 'fast-check';
import type { JsonRecord } from '../../src/core/json.ts';

export const HOUR = 3_600_000;
export const PERIOD = { from: 100 * HOUR, to: 200 * HOUR };
/**
 * Times before, in and after the period, and at its start and end. There are few of them, so that several legs share a time.
 */
const MOMENTS = [1, 99, 100, 101, 150, 199, 200, 201, 230].map((hour) => hour * HOUR);

interface Drawn {
  readonly moment: number;
  readonly wallet: string;
  readonly asset: readonly [id: string | null, symbol: string];
  readonly type: string;
  readonly quantity: number | null;
  readonly shift: number;
  readonly hides: 'before' | 'after' | 'both' | 'none';
  readonly money: number | null;
  readonly currency: string | null;
  readonly transaction: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  moment: fc.constantFrom(...MOMENTS),
  wallet: fc.constantFrom('w1', 'w2'),
  asset: fc.constantFrom(
    ...([
      ['a1', 'X'],
      [null, 'X'],
      [null, ''],
    ] as const),
  ),
  type: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('incoming', 'outgoing', 'fee') },
    { weight: 1, arbitrary: fc.constant('reward') },
  ),
  quantity: fc.oneof({ weight: 15, arbitrary: fc.integer({ min: 0, max: 5 }) }, fc.constant(null)),
  shift: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 2 })),
  hides: fc.oneof(
    { weight: 8, arbitrary: fc.constant('none' as const) },
    fc.constantFrom('before', 'after', 'both'),
  ),
  money: fc.option(fc.integer({ min: 0, max: 3 })),
  currency: fc.oneof({ weight: 8, arbitrary: fc.constant('EUR') }, fc.constantFrom('USD', null)),
  transaction: fc.integer({ min: 0, max: 6 }),
});

/** Small books, ordered by time, with gaps, wrong and missing balances, unknown types, and nameless assets. */
export const books: fc.Arbitrary<JsonRecord[]> = fc
  .array(drawn, { minLength: 1, maxLength: 12 })
  .map((legs) => {
    const balances = new Map<string, number>();
    return legs
      .sort((left, right) => left.moment - right.moment)
      .map((leg, at) => {
        const { wallet, asset, type, quantity, shift, hides, money, currency } = leg;
        const pair = `${wallet} ${asset}`;
        const before = (balances.get(pair) ?? 0) + shift;
        const after = before + (quantity ?? 1) * (type === 'incoming' || type === 'reward' ? 1 : -1);
        balances.set(pair, after);
        const shown = (name: 'before' | 'after', value: number) =>
          hides === name || hides === 'both' ? null : String(value);
        const figure = money === null ? null : String(money);
        return {
          ...{ id: `l${String(at).padStart(2, '0')}`, transactionId: `t${leg.transaction}` },
          ...{ timestamp: leg.moment, walletId: wallet, type, label: at % 2 === 0 ? 'Payment' : null },
          ...{
            assetId: asset[0],
            assetRaw: { symbol: asset[1] },
            quantity: quantity === null ? null : String(quantity),
          },
          ...{ beforeBalance: shown('before', before), afterBalance: shown('after', after) },
          ...{ baseCurrency: currency, price: money === null ? null : { price: money } },
          ...{ value: money, costbasis: figure, proceeds: figure, profit: figure && '1' },
          ...{ debitCoaCode: figure, creditCoaCode: at % 3 === 0 ? null : figure },
        };
      });
  });

/** Books with few moments and many missing balances, in which some legs have no time. Legs without a time come last. */
export const openBooks: fc.Arbitrary<JsonRecord[]> = fc
  .tuple(
    books,
    fc.array(fc.tuple(fc.nat(11), fc.constantFrom('before', 'after', 'time', 'moment', 'pair')), {
      maxLength: 20,
    }),
  )
  .map(([legs, changes]) => {
    const changed = [...legs];
    for (const [at, what] of changes) {
      const [previous, leg] = [changed[at - 1] ?? {}, changed[at]];
      if (!leg) continue;
      const { timestamp = leg['timestamp'], walletId = leg['walletId'], assetId, assetRaw } = previous;
      const moment = { timestamp: timestamp ?? leg['timestamp'] };
      const pair = assetRaw === undefined ? {} : { walletId, assetId, assetRaw };
      changed[at] = {
        ...leg,
        ...(what === 'before' ? { beforeBalance: null } : what === 'after' ? { afterBalance: null } : {}),
        ...(what === 'time' && at % 3 === 0
          ? { timestamp: null }
          : what === 'moment'
            ? moment
            : what === 'pair'
              ? { ...moment, ...pair }
              : {}),
      };
    }
    return mixed(changed, 0);
  });

/** Changes the order of the legs within each moment, and the order of the legs without a time. */
export function mixed(legs: readonly JsonRecord[], seed: number): JsonRecord[] {
  const place = ({ id }: JsonRecord) => (Number(String(id).slice(1)) * 7919 + seed) % 101;
  return [...legs].sort((left, right) => timeIn(left) - timeIn(right) || place(left) - place(right));
}

/** The time of a leg. Legs without a time come last. */
export function timeIn({ timestamp }: JsonRecord): number {
  return typeof timestamp === 'number' ? timestamp : Number.MAX_SAFE_INTEGER;
}
