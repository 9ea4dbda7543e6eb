import { expect, test } from 'vitest';
import type { JournalAccount, JournalProblem, PostedPlace, Reason } from '../../src/books/journal/entry.ts';
import { JournalSummary, REPORTED } from '../../src/books/journal/summary.ts';
import { type Exact, exact } from '../../src/core/decimal.ts';

function amount(text: string): Exact {
  const found = exact(text);
  if (found === null) throw new Error(text);
  return found;
}

const problem = (
  legId: string,
  reasons: readonly Reason[],
  place: PostedPlace = 'suspense',
): JournalProblem => ({
  ...{ legId, transactionId: 't', date: '2025-01-01', leg: 'incoming 1 X' },
  ...{ reasons, place },
});

test('a new journal summary is empty', () => {
  const summary = new JournalSummary();
  expect(summary).toMatchObject({ legs: 0, entries: 0, lines: 0, openTransactions: 0, problemLegs: 0 });
  const { reasons, roundings, below, netTransfers: unmatched, defaultAccounts, notes } = summary;
  expect({ reasons, roundings, below, unmatched, defaultAccounts, notes }).toEqual({
    ...{ reasons: [], roundings: {}, below: {}, unmatched: [], defaultAccounts: [], notes: [] },
  });
  for (const role of REPORTED) expect(summary.held(role)).toEqual({});
});

test('counts problems by leg and by reason, and sorts the reasons by count, then by name', () => {
  const summary = new JournalSummary();
  summary.problem(problem('l1', ['no-wallet', 'no-asset']));
  summary.problem(problem('l2', ['no-wallet', 'no-date'], 'none'));
  summary.problem(problem('l3', ['no-wallet', 'no-asset', 'no-date'], 'posted'));
  expect(summary.places).toEqual(['1 in suspense', '1 posted', '1 not posted']);
  expect(summary.problemLegs).toBe(3);
  expect(summary.reasons).toEqual([
    { reason: 'no-wallet', means: 'the leg has no wallet', legs: 3, first: ['l1', 'l2', 'l3'] },
    { reason: 'no-asset', means: expect.any(String), legs: 2, first: ['l1', 'l3'] },
    { reason: 'no-date', means: expect.any(String), legs: 2, first: ['l2', 'l3'] },
  ]);
});

test('for each reason, the journal summary counts all legs and lists the first 20', () => {
  const summary = new JournalSummary();
  for (let at = 1; at <= 25; at++) summary.problem(problem(`l${at}`, ['no-wallet']));
  const [reason] = summary.reasons;
  expect([reason?.legs, reason?.first.length, reason?.first.at(-1)]).toEqual([25, 20, 'l20']);
});

test('adds up the rounding amounts and the omitted debits of each currency', () => {
  const summary = new JournalSummary();
  for (const [currency, text] of [
    ['USD', '1.5'],
    ['EUR', '2'],
    ['USD', '-0.25'],
  ] as const) {
    summary.rounded(currency, amount(text));
    summary.vanished(currency, amount(text));
  }
  expect(summary.below).toEqual(summary.roundings);
  expect(summary.roundings).toEqual({ USD: { sum: '1.25', entries: 2 }, EUR: { sum: '2', entries: 1 } });
});

test('lists each default account only once, and at most 1,000 accounts in total', () => {
  const summary = new JournalSummary();
  const named = (origin: JournalAccount['origin'], ...segments: readonly string[]) => {
    const account: JournalAccount = { role: 'book', origin, segments, entries: ['book'], replaced: [] };
    summary.line({ kind: 'value', account, amount: amount('1') }, 'USD');
  };
  for (const name of ['b', 'a', 'b']) named('default', 'assets', name);
  named('template', 'mine');
  named('service', '1510');
  expect(summary.defaultAccounts).toEqual(['assets:a', 'assets:b']);
  for (let at = 0; at < 1000; at++) named('default', String(at));
  expect(summary.defaultAccounts).toHaveLength(1000);
});

test('adds up the balances of the accounts that the user must check', () => {
  const summary = new JournalSummary();
  const line = (role: JournalAccount['role'], text: string, unit = 'EUR') => {
    const account: JournalAccount = { role, origin: 'template', segments: ['x'], entries: [], replaced: [] };
    summary.line({ kind: unit === 'EUR' ? 'value' : 'quantity', account, amount: amount(text) }, unit);
  };
  line('suspense', '2', 'ETH');
  for (const [role, text] of [
    ['suspense', '0.03'],
    ['suspense', '-0.01'],
    ['transfer', '5'],
    ['transfer', '-5'],
    ['book', '7'],
  ] as const)
    line(role, text);
  expect(summary.lines).toBe(6);
  expect(Object.entries(summary.held('suspense'))).toEqual([
    ['EUR', '0.02'],
    ['ETH', '2'],
  ]);
  expect(summary.held('transfer')).toEqual({});
});

test('lists the quantities of transfers that do not add up to zero', () => {
  const summary = new JournalSummary();
  const asset = (symbol: string) => ({ key: symbol, symbol, assetId: symbol });
  summary.transferred(asset('ETH'), amount('-2'));
  summary.transferred(asset('BTC'), amount('1'));
  summary.transferred(asset('BTC'), amount('-1'));
  expect(summary.netTransfers).toEqual(['-2 ETH']);
});

test('reports each note once', () => {
  const summary = new JournalSummary();
  for (const text of ['one', 'two', 'one']) summary.note(text);
  expect(summary.notes).toEqual(['one', 'two']);
});
