import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LegPositions } from '../../src/books/positions.ts';
import type { WalkStep } from '../../src/books/step.ts';
import { walk } from '../../src/books/walk.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';
import { leg } from './audit/support.ts';
import { openBooks, timeIn } from './random-books.ts';

function positionsOf(legs: readonly JsonRecord[], isStart = true): (number | null)[] {
  const places = new LegPositions(isStart);
  const placed = [...legs.flatMap((leg) => places.add(leg)), ...places.finish()];
  expect(placed).toHaveLength(legs.length);
  return placed.map(({ position }) => position);
}

const move = (id: string, timestamp: number, [beforeBalance, afterBalance]: [string | null, string | null]) =>
  leg(id, {
    ...{ timestamp, beforeBalance, afterBalance },
    ...{ type: Number(afterBalance) < Number(beforeBalance) ? 'outgoing' : 'incoming' },
  });

test('legs with the same time get their positions from an order with the fewest breaks between balances', () => {
  const legs = [move('a', 1, ['0', '5']), move('b', 2, ['3', '7']), move('c', 2, ['5', '3'])];
  expect(positionsOf(legs)).toEqual([1, 2, 1]);
  expect(positionsOf(legs.slice(1))).toEqual([2, 1]);
});

test('positions are null if only the next leg determines the order of legs with the same time', () => {
  const open = [move('a', 1, ['1', '2']), move('b', 1, ['3', '4'])];
  expect(positionsOf(open)).toEqual([null, null]);
  expect(positionsOf([...open, move('c', 2, ['4', '9'])])).toEqual([null, null, 1]);
});

test('if the start of the books is missing, the order of legs is unknown until one leg determines the balance', () => {
  const two = (time: number): [JsonRecord, JsonRecord] => [
    move(`a${time}`, time, ['0', '5']),
    move(`b${time}`, time, ['5', '0']),
  ];
  const settled = [...two(1), move('c', 2, ['0', null]), ...two(3), move('d', 4, ['0', '0']), ...two(5)];
  expect(positionsOf(settled, false)).toEqual([null, null, 1, null, null, 1, 1, 2]);
});

test('each leg without an asset has position 1, and a leg without a time has no position', () => {
  const nameless = { asset: null, assetId: null, assetRaw: null };
  const legs = [leg('a', nameless), leg('b', nameless), leg('c', { timestamp: null })];
  expect(positionsOf(legs, false)).toEqual([1, 1, null]);
});

test('positions follow the order of the walk, and do not depend on legs before or after the input', async () => {
  const seen = { several: 0, unknown: 0, lost: 0 };
  await fc.assert(
    fc.asyncProperty(openBooks, fc.nat(), async (legs, cut) => {
      const positions = positionsOf(legs);
      const moments = [...new Set(legs.map(timeIn))];
      const at = moments[cut % moments.length] ?? 0;
      const count = legs.filter((leg) => timeIn(leg) < at).length;
      expect(positionsOf(legs.slice(0, count))).toEqual(positions.slice(0, count));
      for (const [index, position] of positionsOf(legs.slice(count), false).entries()) {
        const whole = positions[count + index] ?? null;
        if (position === null && whole !== null) seen.lost += 1;
        else expect(position).toBe(whole);
      }
      // The walk visits the legs of a pair in the order of their positions, unless some legs have no position.
      const steps: WalkStep[] = [];
      await walk(legs, { step: (step) => steps.push(step) });
      const walked = new Map<string, number>();
      for (const { leg, pair } of steps) {
        const position = positions[legs.indexOf(leg.record)];
        const key = `${pair} ${leg.time}`;
        const next = (walked.get(key) ?? 0) + 1;
        walked.set(key, next);
        if (next > 1) seen.several += 1;
        if (position === null) seen.unknown += 1;
        else expect(position).toBe(leg.isNameless ? 1 : next);
      }
    }),
    { numRuns: runs(1000, 250) },
  );
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(20);
});
