import { expect, test } from 'vitest';
import { ZERO } from '../../src/books/figure.ts';
import type { Account, Posting } from '../../src/books/journal/entry.ts';
import { roundEntry } from '../../src/books/journal/rounding.ts';
import { exact } from '../../src/core/decimal.ts';

const account = (...segments: readonly string[]): Account => ({ segments, origin: 'default' });

function posting(
  name: string,
  amount: string,
  more: { symbol?: string; quantity?: string; kind?: Posting['kind'] } = {},
): Posting {
  const { symbol = 'USD', quantity, kind = 'value' } = more;
  return {
    ...{ kind, account: account(name), amount: exact(amount) ?? ZERO, legs: [] },
    commodity: { key: `currency:${symbol}`, symbol, assetId: null },
    facts: quantity === undefined ? {} : { quantity },
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

test('if a line combines several postings, it lists equal quantities only once', () => {
  const of = (quantity: string) => posting('a', '1', { quantity });
  expect(rounded(of('1 ETH'), of('1 ETH'), posting('a', '1'), of('2 ETH'))[0]?.[1]).toBe('a 4 1 ETH 2 ETH');
});
