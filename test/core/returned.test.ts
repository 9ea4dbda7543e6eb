import { expect, test } from 'vitest';
import { Returned } from '../../src/core/returned.ts';

async function* counted(): AsyncGenerator<number, string> {
  yield 1;
  yield 2;
  return 'the end';
}

test('Returned yields the items of a generator, and has its value only after the last item', async () => {
  const items = new Returned(counted());
  const seen: [number, string | undefined][] = [];
  for await (const item of items) seen.push([item, items.value]);
  expect(seen).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
  expect(items.value).toBe('the end');
});

test('Returned has no value if the reader stops before the last item', async () => {
  const items = new Returned(counted());
  for await (const _ of items) break;
  expect(items.value).toBeUndefined();
});
