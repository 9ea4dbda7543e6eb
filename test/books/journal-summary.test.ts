import { expect, test } from 'vitest';
import type { Account, Problem, Reason } from '../../src/books/journal/entry.ts';
import { JournalSummary } from '../../src/books/journal/summary.ts';
import { type Exact, exact } from '../../src/core/decimal.ts';

function amount(text: string): Exact {
  const found = exact(text);
  if (found === null) throw new Error(text);
  return found;
}

const problem = (legId: string, reasons: readonly Reason[], posted = true): Problem => ({
  ...{ legId, transactionId: 't', date: '2025-01-01', leg: 'incoming 1 X' },
  ...{ reasons, posted },
});

test('a new journal summary is empty', () => {
  const summary = new JournalSummary();
  expect(summary).toMatchObject({ legs: 0, entries: 0, lines: 0, notPosted: 0, problemLegs: 0 });
  const { reasons, clearing, roundings, defaultAccounts, notes } = summary;
  expect({ reasons, clearing, roundings, defaultAccounts, notes }).toEqual({
    ...{ reasons: [], clearing: {}, roundings: {}, defaultAccounts: [], notes: [] },
  });
});

test('counts problems by leg and by reason, and sorts the reasons by count, then by name', () => {
  const summary = new JournalSummary();
  summary.problem(problem('l1', ['no-wallet', 'no-asset']));
  summary.problem(problem('l2', ['no-wallet', 'no-date'], false));
  summary.problem(problem('l3', ['no-wallet', 'no-asset', 'no-date'], false));
  expect([summary.problemLegs, summary.notPosted]).toEqual([3, 2]);
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

test('adds up the clearing and rounding amounts of each currency', () => {
  const summary = new JournalSummary();
  for (const [currency, text] of [
    ['USD', '1.5'],
    ['EUR', '2'],
    ['USD', '-0.25'],
  ] as const) {
    summary.cleared(currency, amount(text));
    summary.rounded(currency, amount(text));
  }
  expect(summary.clearing).toEqual({ USD: '1.25', EUR: '2' });
  expect(summary.roundings).toEqual({ USD: { sum: '1.25', entries: 2 }, EUR: { sum: '2', entries: 1 } });
});

test('lists each default account only once, and at most 1,000 accounts in total', () => {
  const account = (origin: Account['origin'], ...segments: readonly string[]) => ({ origin, segments });
  const summary = new JournalSummary();
  for (const name of ['b', 'a', 'b']) summary.named(account('default', 'assets', name));
  summary.named(account('template', 'mine'));
  summary.named(account('service', '1510'));
  expect(summary.defaultAccounts).toEqual(['assets:a', 'assets:b']);
  for (let at = 0; at < 1000; at++) summary.named(account('default', String(at)));
  expect(summary.defaultAccounts).toHaveLength(1000);
});

test('reports each note once', () => {
  const summary = new JournalSummary();
  for (const text of ['one', 'two', 'one']) summary.note(text);
  expect(summary.notes).toEqual(['one', 'two']);
});
