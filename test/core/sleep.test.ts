import { afterEach, expect, test, vi } from 'vitest';
import { sleep } from '../../src/core/sleep.ts';

afterEach(() => vi.useRealTimers());

// A Node timer of more than 24.8 days fires after one millisecond.
test('sleep waits for 30 days, which is longer than the limit of a Node timer', async () => {
  vi.useFakeTimers();
  const day = 86_400_000;
  let over = false;
  const pause = sleep(30 * day).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(30 * day - 1);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await pause;
  expect(over).toBe(true);
});
