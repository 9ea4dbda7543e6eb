import { expect, test } from 'vitest';
import { TransferSearch } from '../../../src/books/audit/transfers.ts';
import { Leg } from '../../../src/books/leg.ts';
import { HOUR, leg } from './support.ts';

const LEGS = 2000;
const read = ['id', 'walletId', 'sign', 'asset', 'quantity'] as const;

/** Matches legs within 16 hours. Returns the number of matches, and how often each leg was read. */
function search(moreOf: (at: number) => object) {
  let [matches, reads] = [0, 0];
  const transfers = new TransferSearch({
    matched: () => {
      matches += 1;
    },
    unmatched: () => {},
  });
  for (let at = 0; at < LEGS; at++) {
    const timestamp = 100 * HOUR + Math.floor((at * 16 * HOUR) / LEGS);
    const own = new Leg(leg(`l${at}`, { timestamp, ...moreOf(at) }));
    for (const name of read) {
      const value = own[name];
      const get = () => {
        reads += 1;
        return value;
      };
      Object.defineProperty(own, name, { get });
    }
    transfers.add(own);
  }
  transfers.finish();
  return { matches, reads: reads / LEGS };
}

const into = (at: number, share = 2) =>
  at % share === 0 ? { type: 'incoming', walletId: 'b' } : { type: 'outgoing' };

test.each<[string, (at: number) => object, number]>([
  ['in one direction', () => ({ type: 'incoming' }), 0],
  ['of one wallet', (at) => ({ ...into(at), walletId: 'a' }), 0],
  ['of two wallets', (at) => into(at), LEGS / 2],
  ['of two wallets, with few incoming legs', (at) => into(at, 8), LEGS / 8],
  ['of one transaction', (at) => ({ ...into(at), transactionId: 't' }), 0],
  ['with different quantities', (at) => ({ ...into(at), quantity: String(1 + 0.1 * (at >> 1)) }), LEGS / 2],
])('thousands of uncategorised legs %s are compared with few others', (_, moreOf, matches) => {
  const found = search(moreOf);
  expect(found.matches).toBe(matches);
  expect(found.reads).toBeLessThan(300);
});
