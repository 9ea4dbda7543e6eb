import { expect, test } from 'vitest';
import { inBalanceOrder } from '../../src/books/order.ts';
import type { JsonRecord } from '../../src/core/json.ts';

function leg(id: string, timestamp: number | null, balances: string, walletId = 'w'): JsonRecord {
  const [beforeBalance, afterBalance] = balances.split(' ');
  return { id, timestamp, walletId, assetId: 'a', beforeBalance, afterBalance };
}

async function order(...legs: readonly JsonRecord[]) {
  const found: unknown[] = [];
  for await (const { leg } of inBalanceOrder(legs)) found.push(leg['id']);
  return found.join(' ');
}

test('orders legs with the same timestamp so that each leg starts from the balance of the previous leg', async () => {
  const circle = [leg('a', 2, '0 5'), leg('b', 2, '5 0')];
  expect(await order(leg('z', 1, '3 5'), ...circle)).toBe('z b a');
  expect(await order(leg('z', 1, '3 0'), ...circle)).toBe('z a b');
  // The earlier leg is in another wallet, so its balance does not affect the order.
  expect(await order(leg('z', 1, '3 5', 'v'), ...circle)).toBe('z a b');
});

test('groups legs with the same timestamp by wallet, and orders the legs of each wallet by their balances', async () => {
  const legs = [leg('c', 1, '0 1'), leg('a', 1, '1 2'), leg('d', 1, '0 7', 'v')];
  expect(await order(...legs)).toBe('c a d');
  expect(await order(...legs.toReversed())).toBe('c a d');
});

test('orders legs by time, and puts legs without a time at the end, ordered by id', async () => {
  const untimed = [leg('y', null, '9 9'), leg('x', null, '9 9')];
  expect(await order(leg('b', 1, '1 2'), ...untimed, leg('a', 2, '0 1'))).toBe('b a x y');
});

test('yields a leg as soon as a later leg arrives', async () => {
  const taken: unknown[] = [];
  function* legs() {
    for (const time of [1, 2, 3]) {
      yield leg(`l${time}`, time, '0 0');
      taken.push(`took ${time}`);
    }
  }
  for await (const { leg } of inBalanceOrder(legs())) taken.push(leg['id']);
  expect(taken).toEqual(['took 1', 'l1', 'took 2', 'l2', 'took 3', 'l3']);
});
