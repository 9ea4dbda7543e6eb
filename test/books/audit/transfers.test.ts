import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransferSearch } from '../../../src/books/audit/transfers.ts';
import { Leg } from '../../../src/books/leg.ts';
import type { JsonRecord } from '../../../src/core/json.ts';
import { runs } from '../../runs.ts';
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
    ...{ unmatched: () => {}, undecided: () => {}, covers: () => true },
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
])('few pairs are compared for thousands of uncategorised legs %s', (_, moreOf, matches) => {
  const found = search(moreOf);
  expect(found.matches).toBe(matches);
  expect(found.reads).toBeLessThan(300);
});

const drawn = fc.record({
  hour: fc.integer({ min: 1, max: 60 }),
  minute: fc.constantFrom(0, 0, 20),
  wallet: fc.constantFrom('a', 'b', 'c'),
  type: fc.constantFrom('incoming', 'outgoing', 'outgoing', 'incoming', 'fee'),
  quantity: fc.constantFrom('100', '100', '99.5', '99', '1'),
  transaction: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.integer({ min: 0, max: 3 })),
  other: fc.constantFrom(undefined, undefined, undefined, 'a', 'b'),
});

/** Books with many possible partners, ordered by time. */
const crowd = fc.array(drawn, { minLength: 2, maxLength: 16 }).map((legs) =>
  legs
    .map(({ hour, minute, wallet, type, quantity, transaction, other }, at) => {
      const named =
        other === undefined
          ? {}
          : { [type === 'incoming' ? 'fromAccount' : 'toAccount']: { walletId: other } };
      const timestamp = hour * HOUR + minute * 60_000;
      return leg(`l${at}`, {
        ...{ timestamp, type, walletId: wallet, ...named },
        quantity: type === 'fee' ? '1' : quantity,
        ...(transaction === null ? {} : { transactionId: `t${transaction}` }),
      });
    })
    .sort((left, right) => Number(left['timestamp']) - Number(right['timestamp'])),
);

/** Returns the result of the search for each leg: its partner and the confidence, or `alone`, or `undecided`. */
function outcomes(
  legs: readonly JsonRecord[],
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
) {
  const said = new Map<string, string>();
  const transfers = new TransferSearch({
    matched(out, into, confidence) {
      said.set(out.id, `${into.id} ${confidence}`);
      said.set(into.id, `${out.id} ${confidence}`);
    },
    unmatched: ({ id }) => said.set(id, 'alone'),
    undecided: ({ id }) => said.set(id, 'undecided'),
    covers: (start, end) => start >= from && end <= to,
  });
  for (const one of legs) {
    const time = Number(one['timestamp']);
    if (time >= from && time <= to) transfers.add(new Leg(one));
  }
  transfers.finish();
  return said;
}

test('an audit of some legs agrees with an audit of all legs, or leaves a leg undecided', () => {
  const seen = { alone: 0, matched: 0, undecided: 0 };
  const hour = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(crowd, hour(30), hour(60), (legs, start, length) => {
      const whole = outcomes(legs);
      const part = outcomes(legs, start * HOUR, (start + length) * HOUR);
      for (const [id, said] of part) {
        seen[said === 'alone' || said === 'undecided' ? said : 'matched'] += 1;
        if (said !== 'undecided') expect([id, said]).toEqual([id, whole.get(id)]);
      }
    }),
    { numRuns: runs(4000, 1000) },
  );
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(20);
});
