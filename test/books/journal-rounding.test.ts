import { expect, test } from 'vitest';
import type { JournalAccount, Moved, Posting } from '../../src/books/journal/entry.ts';
import { roundEntry } from '../../src/books/journal/rounding.ts';
import { exact, ZERO } from '../../src/core/decimal.ts';

const account = (...segments: readonly string[]): JournalAccount => ({
  role: 'book',
  segments,
  origin: 'default',
  ...{ entries: ['book'], replaced: [] },
});

function posting(
  name: string,
  amount: string,
  more: { symbol?: string; moved?: Moved; kind?: Posting['kind'] } = {},
): Posting {
  const { symbol = 'USD', moved, kind = 'value' } = more;
  return {
    ...{ kind, account: account(name), amount: exact(amount) ?? ZERO, legs: [] },
    commodity: { key: `currency:${symbol}`, symbol, assetId: null },
    ...{ moved, facts: {} },
  };
}

/**
 * Returns a list for each currency. The first item contains the currency and the rounding amount. Every following item contains
 * the account, the amount and the quantities of a line.
 */
function rounded(...postings: readonly Posting[]) {
  return roundEntry({ postings }, (currency) => account('rounding', currency)).map(
    ({ currency, lines, rounding }) => [
      `${currency} ${rounding.toFixed()}`,
      ...lines.map((line) =>
        [line.account.segments.join(':'), line.amount.toFixed(), ...line.quantities].join(' '),
      ),
    ],
  );
}

test('adds no rounding line if an entry balances after rounding', () => {
  expect(rounded(posting('a', '1.50'), posting('b', '-1.5'))).toEqual([['USD 0', 'a 1.5', 'b -1.5']]);
});

test('posts the rounding remainder to the rounding account of the currency', () => {
  const thirds = ['a', 'b', 'c'].map((name) => posting(name, '0.333'));
  expect(rounded(...thirds, posting('d', '-0.999'))).toEqual([
    ['USD 0.01', 'a 0.33', 'b 0.33', 'c 0.33', 'd -1', 'rounding:USD 0.01'],
  ]);
});

test('adds up the values of each account before rounding, and omits lines with an amount of 0', () => {
  const postings = [
    posting('a', '0.004'),
    posting('b', '-0.012'),
    posting('a', '0.004'),
    posting('c', '0.004'),
  ];
  expect(rounded(...postings)).toEqual([['USD 0', 'a 0.01', 'b -0.01']]);
});

test('rounds each currency separately, and ignores quantity postings', () => {
  const eur = { symbol: 'EUR' };
  expect(
    rounded(
      posting('a', '1'),
      posting('a', '7.5', eur),
      posting('b', '-1'),
      posting('b', '-7.5', eur),
      posting('a', '9', { kind: 'quantity' }),
    ),
  ).toEqual([
    ['USD 0', 'a 1', 'b -1'],
    ['EUR 0', 'a 7.5', 'b -7.5'],
  ]);
});

const moved = (quantity: string, symbol: string, isIncoming = true): Moved => ({
  asset: { key: `asset:${symbol}`, symbol, assetId: symbol },
  quantity: exact(quantity) ?? ZERO,
  isIncoming,
});
const worth = (one: Moved) => posting('a', '1', { moved: one });

test('a line adds up the quantities of its legs by asset', () => {
  const legs = [moved('1', 'ETH'), moved('1', 'ETH'), moved('2', 'BTC')];
  expect(rounded(...legs.map(worth), posting('a', '1'))[0]?.[1]).toBe('a 4 2 ETH 2 BTC');
});

test('a leg with several postings to an account counts once in the quantity of the line', () => {
  const leg = moved('1', 'ETH');
  expect(rounded(worth(leg), worth(leg))[0]?.[1]).toBe('a 2 1 ETH');
});

test('a line shows the quantities of incoming and outgoing legs separately', () => {
  expect(rounded(worth(moved('3', 'ETH')), worth(moved('1', 'ETH', false)))[0]?.[1]).toBe(
    'a 2 3 ETH in 1 ETH out',
  );
});

test.each([
  ['JPY', '105', '-105'],
  ['KWD', '105.205', '-105.205'],
  ['CLF', '105.2046', '-105.2046'],
  ['EUR', '105.2', '-105.2'],
  ['BTC', '105.2046', '-105.2046'],
])('rounds amounts in %s to the minor unit of the currency', (symbol, debit, credit) => {
  const postings = [posting('a', '105.2046', { symbol }), posting('b', '-105.2046', { symbol })];
  expect(rounded(...postings)).toEqual([[`${symbol} 0`, `a ${debit}`, `b ${credit}`]]);
});

test('the debits before rounding include amounts that round to 0, but not amounts that cancel out on one account', () => {
  const debits = (...postings: readonly Posting[]) =>
    roundEntry({ postings }, () => account('rounding')).map((one) => [
      one.lines.length,
      one.debits.toFixed(),
    ]);
  expect(debits(posting('a', '0.004'), posting('b', '-0.004'))).toEqual([[0, '0.004']]);
  expect(debits(posting('a', '5'), posting('a', '-5'))).toEqual([[0, '0']]);
});
