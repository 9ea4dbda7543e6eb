import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createProgress } from '../../src/cli/progress.ts';

test('only one spinner starts if many updates arrive before the spinner is loaded', async () => {
  // A fake terminal stream with every member that the spinner uses.
  const stream = Object.assign(new PassThrough(), {
    ...{ isTTY: true, columns: 0, clearLine: () => true, cursorTo: () => true, moveCursor: () => true },
  }) as unknown as NodeJS.WriteStream;
  const progress = createProgress(stream, true);
  for (let rows = 0; rows < 20; rows += 1) progress.update(`${rows} rows`);
  await import('ora');
  await setTimeout(10);
  progress.stop();
  expect(stream.columns).toBe(80);
  expect(stream.listenerCount('resize')).toBeLessThan(3);
});
