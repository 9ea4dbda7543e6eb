import fc from 'fast-check';
import { Chart, NO_TEMPLATE, type Template } from '../../src/books/journal/chart.ts';
import type { Item, JournalEntry, JournalProblem } from '../../src/books/journal/entry.ts';
import { Journal, type JournalOptions } from '../../src/books/journal/journal.ts';
import type { RollUpBy } from '../../src/books/journal/roll-up.ts';
import type { JsonRecord } from '../../src/core/json.ts';

/** Number of decimal places of scaled amounts. No amount in these tests has more decimal places. */
const PLACES = 60;

/** Converts a decimal to a whole number of units of 10^-60. Does not use the code under test. */
export function scaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`not a decimal: ${text}`);
  const places = PLACES - fraction.length + Number(exponent);
  if (places < 0) throw new Error(`more than ${PLACES} decimals: ${text}`);
  const size = BigInt(whole + fraction) * 10n ** BigInt(places);
  return sign === '' ? size : -size;
}

export function addScaled<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

/** Removes zero sums, because accounting programs do not print them. */
export function withoutZeros<Key>(sums: ReadonlyMap<Key, bigint>): Map<Key, bigint> {
  return new Map([...sums].filter(([, sum]) => sum !== 0n));
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{1,${length}}$`));
/** At most 6 digits before the point and 18 after it, so that sums do not exceed the 28 digits of Beancount. */
const amount = fc.tuple(digits(6), digits(18)).map(([whole, fraction]) => `${BigInt(whole)}.${fraction}`);
const signed = fc.tuple(fc.constantFrom('', '', '-'), amount).map(([sign, size]) => sign + size);
const sometimes = <T, Odd>(value: fc.Arbitrary<T>, odd: fc.Arbitrary<Odd>): fc.Arbitrary<T | Odd> =>
  fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: odd });

/** Names that a journal must escape, such as `a;b`, and names that must stay different, such as `A` and `a`. */
export const HOSTILE = [
  'A',
  'a',
  'a ',
  'A  B',
  'A:B',
  'A B',
  'A-B',
  'a;b',
  '"quoted"',
  '; comment',
  '(virtual)',
  '[1/3]',
  '[=2020-01-01]',
  'PT-ETH[2023-12-28]',
  'date:2020-01-01, date2:2020-01-02',
  "it's \\ a %",
  ':tag: :',
  '[balanced]',
  '=1+1',
  '@SUM',
  '2025-01-01 * x',
  'LINE\nBREAK',
  'TAB\tBED',
  '\u001b[31mRED',
  '\u202eCDSU',
  '{a}',
  '🎁💰',
  'NULL',
  'TRUE',
  '1INCH',
  'ä',
  '€',
  '\ud800',
  `${'x'.repeat(300)}`,
  `${'x'.repeat(300)}y`,
];

const ASSETS = HOSTILE.map((symbol, index) => ({ id: `ast_${index}`, symbol }))
  // In each pair, the symbols are equal or differ only in case. USD is also a base currency.
  .concat([
    { id: 'ast_usdc', symbol: 'USDC' },
    { id: 'ast_usdc2', symbol: 'USDC' },
    { id: 'ast_usd', symbol: 'USD' },
    { id: 'ast_usd2', symbol: 'USD' },
    { id: 'ast_steth', symbol: 'stETH' },
    { id: 'ast_steth2', symbol: 'STETH' },
  ]);

const asset = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ASSETS.slice(-6)) },
  { weight: 2, arbitrary: fc.constantFrom(...ASSETS) },
);

const figures = fc.record({ costbasis: signed, proceeds: signed }).chain(({ costbasis, proceeds }) => {
  const profit = scaled(proceeds) - scaled(costbasis);
  const size = (profit < 0n ? -profit : profit).toString().padStart(PLACES + 1, '0');
  const text = `${profit < 0n ? '-' : ''}${size.slice(0, -PLACES)}.${size.slice(-PLACES, -PLACES + 18)}`;
  return fc.record({
    costbasis: sometimes(fc.constant(costbasis), fc.constant(null)),
    proceeds: sometimes(fc.constant(proceeds), fc.constant(null)),
    profit: sometimes(fc.constant(text), fc.constantFrom(null, '1', 'x')),
  });
});

const leg: fc.Arbitrary<JsonRecord> = fc
  .record({
    type: sometimes(fc.constantFrom('incoming', 'outgoing', 'fee'), fc.constantFrom('staked', null, 7)),
    asset: sometimes(asset, fc.constant(null)),
    isResolved: sometimes(fc.constant(true), fc.constant(false)),
    quantity: sometimes(amount, fc.constantFrom(null, 'lots', '-1', '1e999999999', '0')),
    baseCurrency: sometimes(fc.constantFrom('USD', 'EUR'), fc.constantFrom(null, '', 'U;S"D')),
    value: sometimes(
      fc.integer({ min: 0, max: 1e9 }).map((number) => number / 1024),
      fc.constant(null),
    ),
    walletId: sometimes(fc.constantFrom('wal_1', 'wal_2', 'wal_3'), fc.constantFrom(null, ...HOSTILE)),
    label: sometimes(fc.constantFrom('Trade', 'Staking', null), fc.constantFrom(...HOSTILE)),
    description: fc.constantFrom(null, null, ...HOSTILE),
    toAccount: sometimes(fc.constant(null), fc.constant({ provider: 'kraken', walletId: 'wal_2' })),
    /** Milliseconds between the transaction and the leg. */
    later: sometimes(fc.constant(0), fc.constantFrom(5, 60_000, 86_400_000)),
    /** A suffix for the id, because ids can contain any text from the service. */
    suffix: sometimes(fc.constant(''), fc.constantFrom(...HOSTILE)),
    codes: fc.oneof(
      { weight: 8, arbitrary: fc.constant([null, null]) },
      { weight: 1, arbitrary: fc.constantFrom(['1510', '4000'], ['1510', null], [null, '15;10']) },
    ),
  })
  .chain(({ asset, isResolved, codes: [debitCoaCode, creditCoaCode], ...rest }) =>
    (rest.type === 'incoming'
      ? fc.constantFrom<JsonRecord>({ costbasis: '0', proceeds: '0', profit: '0' }, { profit: '3' })
      : fc.oneof({ weight: 6, arbitrary: figures }, { weight: 1, arbitrary: fc.constant<JsonRecord>({}) })
    ).map((accounting) => ({
      ...rest,
      ...accounting,
      ...{ debitCoaCode, creditCoaCode },
      assetId: asset && isResolved ? asset.id : null,
      assetRaw: asset ? { symbol: asset.symbol } : {},
      asset:
        asset && isResolved
          ? { symbol: asset.symbol, type: asset.symbol === 'USD' ? 'fiat' : 'crypto' }
          : null,
      price: null,
    })),
  );

const START = Date.UTC(2025, 0, 1);

/**
 * Generates legs. If two transactions have the same time, their legs may alternate. The times of the legs of a transaction may
 * differ by up to a day.
 */
export const hostileLegs: fc.Arbitrary<JsonRecord[]> = fc
  .array(
    fc.record({
      day: fc.integer({ min: 0, max: 70 }),
      transactions: fc.array(fc.array(leg, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      hasTime: sometimes(fc.constant(true), fc.constant(false)),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((moments) =>
    moments
      .sort((left, right) => left.day - right.day)
      .flatMap(({ day, transactions, hasTime }, moment) => {
        const legs = transactions.flatMap((transaction, number) =>
          transaction.map((record, place) => ({ record, number, place })),
        );
        return legs
          .sort((left, right) => left.place - right.place)
          .map(({ record: { later, suffix, ...record }, number, place }) => ({
            ...record,
            id: `led_${moment}_${number}_${place}${suffix}`,
            transactionId: `txn_${moment}_${number}${transactions[number]?.[0]?.['suffix']}`,
            timestamp: hasTime ? START + day * 86_400_000 + moment + Number(later) : null,
          }));
      }),
  );

/** Creates a journal whose wallets have similar names. */
export function newJournal({
  template = NO_TEMPLATE,
  rollUp,
  code,
  opening,
  chart = new Chart(template, code === undefined ? {} : { code }),
}: {
  readonly chart?: Chart;
  readonly opening?: JournalOptions['opening'];
  readonly template?: Template;
  readonly rollUp?: RollUpBy | undefined;
  /** Template for the names of accounts that have a code, such as `coa:{code}`. */
  readonly code?: string | undefined;
} = {}): Journal {
  const names = new Map([
    ['wal_1', 'Kraken main'],
    ['wal_2', 'Kraken-main'],
    ['wal_3', 'kraken: main'],
  ]);
  return new Journal({
    chart,
    walletName: (id) => names.get(id) ?? id,
    dayOf: (time) => new Date(time).toISOString().slice(0, 10),
    ...{ rollUp, opening },
  });
}

/** @param around legs outside the period of the journal */
export function itemsOf(
  journal: Journal,
  legs: Iterable<JsonRecord>,
  around: Iterable<JsonRecord> = [],
): Item[] {
  const sorted = [
    ...[...legs].map((one) => journal.sorted(one)),
    ...[...around].map((one) => journal.sorted(one, true)),
  ];
  const time = (one: { readonly time: number | null }) => one.time ?? Number.MAX_VALUE;
  const compare = (left: string, right: string) => Number(left > right) - Number(left < right);
  sorted.sort((left, right) => time(left) - time(right) || compare(left.id, right.id));
  const keys = [...new Set(sorted.map(({ key }) => key))];
  const parts = keys.flatMap((key) => journal.parts(sorted.filter((one) => one.key === key)));
  parts.sort((left, right) => time(left) - time(right) || compare(left.key, right.key));
  return [...parts.flatMap((part) => journal.items(part)), ...journal.finish()];
}

export function entriesOf(items: readonly Item[]): JournalEntry[] {
  return items.flatMap(({ entry }) => entry ?? []);
}

export function problemsOf(items: readonly Item[]): JournalProblem[] {
  return items.flatMap(({ problem }) => problem ?? []);
}

/**
 * Adds up the quantities of each asset, independently of the code under test. A key is an asset id, or the symbol of an asset
 * without an id.
 */
export function quantitiesOf(legs: readonly JsonRecord[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { type, quantity, timestamp, assetId, assetRaw } of legs) {
    const symbol = Object(assetRaw)['symbol'];
    const key = typeof assetId === 'string' ? assetId : symbol === undefined ? undefined : `symbol ${symbol}`;
    if (key === undefined || typeof timestamp !== 'number' || typeof quantity !== 'string') continue;
    if (!/^-?\d+(\.\d+)?$/.test(quantity)) continue;
    if (type === 'incoming') addScaled(sums, key, scaled(quantity));
    else if (type === 'outgoing' || type === 'fee') addScaled(sums, key, -scaled(quantity));
  }
  return sums;
}
