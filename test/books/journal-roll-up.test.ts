import { expect, test } from 'vitest';
import type { JournalEntry, Posting } from '../../src/books/journal/entry.ts';
import { RollUp, type RollUpBy } from '../../src/books/journal/roll-up.ts';
import { exact } from '../../src/core/decimal.ts';

function posting(account: string, amount: string, symbol = 'USD'): Posting {
  return {
    kind: 'value',
    account: { segments: [account], origin: 'default', entries: [], replaced: [] },
    commodity: { key: `currency:${symbol}`, symbol },
    amount:
      exact(amount) ??
      (() => {
        throw new Error(amount);
      })(),
    legs: ['l'],
    facts: { note: 'x' },
  } as unknown as Posting;
}

const entry = (date: string, postings: readonly Posting[], more: Partial<JournalEntry> = {}) =>
  ({ date, id: date, description: '', postings, legs: 2, reasons: [], ...more }) as JournalEntry;

/** Returns the entries of a roll-up, with their postings as text. */
function rolledUp(by: RollUpBy, ...entries: readonly JournalEntry[]) {
  const rollUp = new RollUp(by);
  return [...entries.map((one) => rollUp.add(one)), rollUp.finish(), rollUp.finish()].flatMap((found) =>
    found ? [{ ...found, postings: found.postings.map(textOf) }] : [],
  );
}
const textOf = ({ account, commodity, amount, legs, facts }: Posting) =>
  [...account.segments, amount.toFixed(), commodity.symbol, ...legs, ...Object.keys(facts)].join(' ');

const JANUARY = [
  entry('2025-01-02', [posting('b', '1.5'), posting('a', '-1.5')], { reasons: ['no-price'] as never }),
  entry('2025-01-02', [posting('a', '2'), posting('b', '-2')], {
    reasons: ['no-asset', 'no-price'] as never,
  }),
  entry('2025-01-09', [posting('a', '1'), posting('a', '3', 'EUR')]),
];

test('a roll-up by month sums the entries of each month by account and commodity', () => {
  expect(rolledUp('month', ...JANUARY, entry('2025-02-01', [posting('a', '4')]))).toEqual([
    {
      ...{ date: '2025-01-09', id: '2025-01', description: '3 entries of 2025-01', isPart: false, legs: 6 },
      postings: ['a 3 EUR', 'a 1.5 USD', 'b -0.5 USD'],
      reasons: ['no-asset', 'no-price'],
    },
    {
      ...{ date: '2025-02-01', id: '2025-02', description: '1 entry of 2025-02', isPart: false, legs: 2 },
      postings: ['a 4 USD'],
      reasons: [],
    },
  ]);
});

test('a roll-up by day has one entry for each day with transactions', () => {
  expect(rolledUp('day', ...JANUARY).map(({ date, description }) => [date, description])).toEqual([
    ['2025-01-02', '2 entries of 2025-01-02'],
    ['2025-01-09', '1 entry of 2025-01-09'],
  ]);
});

test('a roll-up without transactions has no entries', () => {
  expect(rolledUp('month')).toEqual([]);
});
