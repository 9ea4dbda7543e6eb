import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import * as clock from '../src/core/sleep.ts';

/**
 * Ends each sleep of the code under test at once, until `vi.restoreAllMocks()`. `onSleep` gets its milliseconds.
 * Other timers are left alone: sockets of earlier tests have some.
 */
export function skipSleeps(onSleep: (milliseconds: number) => void): void {
  vi.spyOn(clock, 'sleep').mockImplementation(async (milliseconds, signal) => {
    signal?.throwIfAborted();
    onSleep(milliseconds);
    await turn();
  });
}
