import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import * as clock from '../src/core/sleep.ts';

/**
 * Until `vi.restoreAllMocks()`, each sleep in the code under test ends immediately. `onSleep` receives the duration in
 * milliseconds. Other timers still run, because sockets of earlier tests may need them.
 */
export function skipSleeps(onSleep: (milliseconds: number) => void): void {
  vi.spyOn(clock, 'sleep').mockImplementation(async (milliseconds, signal) => {
    signal?.throwIfAborted();
    onSleep(milliseconds);
    await turn();
  });
}
