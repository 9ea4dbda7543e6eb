import { expect, test } from 'vitest';
import { Gate } from '../../src/client/gate.ts';
import { FakeClock } from './helpers.ts';

test('if several pauses are requested, a request waits for the longest pause', async () => {
  const clock = new FakeClock();
  const gate = new Gate(clock);
  const start = clock.time;
  gate.pause(5000);
  gate.pause(1000);
  await gate.pass(undefined);
  expect(clock.time - start).toBe(5000);
  await gate.pass(undefined);
  expect(clock.slept).toEqual([5000]);
});

test('a request keeps waiting if the pause is extended or the timer fires early', async () => {
  const clock = new FakeClock();
  let early = true;
  const sleep = async (ms: number) => {
    if (early) gate.pause(3000);
    await clock.sleep(early ? ms - 1 : ms);
    early = false;
  };
  const gate = new Gate({ now: clock.now, sleep });
  const start = clock.time;
  gate.pause(1000);
  await gate.pass(undefined);
  expect(clock.time - start).toBe(3000);
});
