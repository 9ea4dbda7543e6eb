import { expect, test } from 'vitest';
import { type Draft, findingOf, inOrder } from '../../../src/books/audit/finding.ts';

const pair = { walletId: 'w', assetId: 'a', symbol: 'X' };
const leg = { id: 'l 1', transactionId: 't', time: 5 };

function finding(more: Partial<Draft> = {}) {
  return findingOf(
    { check: 'profit', severity: 'error', key: ['k'], message: 'Wrong.', inPeriod: true, ...more },
    [],
  );
}

test('a finding about a leg contains the leg id and the command that explains the leg', () => {
  expect(finding({ pair, leg, legs: 2, expected: '1', actual: '2', amount: '3' })).toMatchObject({
    ...{ walletId: 'w', assetId: 'a', symbol: 'X', legs: 2, expected: '1', actual: '2', amount: '3' },
    ...{ ledgerId: 'l 1', transactionId: 't', timestamp: 5 },
    next: "cryptodata ledgers explain 'l 1'",
  });
});

test('in a finding about an account, the leg fields are null', () => {
  expect(finding({ walletId: 'w' })).toMatchObject({
    ...{ walletId: 'w', assetId: null, symbol: null, ledgerId: null, transactionId: null, timestamp: null },
    ...{ legs: null, expected: null, actual: null, amount: null, next: 'cryptodata integrations list' },
  });
  expect(finding({ walletId: 'w', next: 'cryptodata sync status' }).next).toBe('cryptodata sync status');
  expect(finding({ pair: { ...pair, walletId: '' } }).walletId).toBeNull();
});

test('orders findings by check, then by time, then by id', () => {
  const at = (time: number | undefined, check: Draft['check'] = 'profit', key = 'k') => {
    const found = finding({ check, key: [key], leg: { ...leg, time } });
    return found;
  };
  const keys = ['a', 'b', 'c', 'd'].map((key) => at(5, 'profit', key)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const ordered = [at(9, 'stale-source'), at(7, 'duplicate'), at(1), ...keys, at(10), at(undefined)];
  expect(inOrder(ordered.toReversed())).toEqual(ordered);
  expect(inOrder([...ordered.slice(4), ...ordered.slice(0, 4)])).toEqual(ordered);
});
