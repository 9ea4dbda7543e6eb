import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { withLegsByTime } from '../../src/app/legs-by-time.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { THOROUGH } from '../runs.ts';

const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith('cryptodata-sort-')).length;

/** Calls `withLegsByTime`. Returns the ids in order, and counts how often the legs were read and the callback was called. */
async function sorted(legs: readonly JsonRecord[], until?: number, readTwice = false) {
  let reads = 0;
  let uses = 0;
  const before = leftBehind();
  const result = await withLegsByTime(
    {
      read: async function* () {
        reads += 1;
        yield* legs;
      },
      until,
    },
    async (given) => {
      uses += 1;
      const passes: unknown[][] = [];
      for (let pass = 0; pass < (readTwice ? 2 : 1); pass++) {
        const ids: unknown[] = [];
        for await (const { record } of given) ids.push(record['id']);
        passes.push(ids);
      }
      return passes;
    },
  );
  expect(leftBehind()).toBe(before);
  return { ids: result[0], again: result[1], reads, uses };
}

const leg = (id: string | number, timestamp?: number): JsonRecord =>
  timestamp === undefined ? { id } : { id, timestamp };

describe('legs by time', () => {
  test('legs are streamed if they are in chronological order', async () => {
    const legs = [leg('a', 1), leg('b', 1), leg('none'), leg('c', 2)];
    expect(await sorted(legs)).toEqual({ ids: ['a', 'b', 'none', 'c'], again: undefined, reads: 1, uses: 1 });
    expect(await sorted([])).toMatchObject({ ids: [], reads: 1, uses: 1 });
  });

  test('sorts legs by time, keeps the order of legs with the same time, and puts legs without a time last', async () => {
    const legs = [leg('none'), leg('c', 2), leg('a', 1), leg('d', 2), leg('b', 1), leg('other')];
    expect(await sorted(legs, undefined, true)).toEqual({
      ...{ ids: ['a', 'b', 'c', 'd', 'none', 'other'], reads: 2, uses: 2 },
      again: ['a', 'b', 'c', 'd', 'none', 'other'],
    });
  });

  test('withLegsByTime omits legs after the given end time', async () => {
    const legs = [leg('a', 1), leg('b', 5), leg('late', 6), leg('fraction', 5.9), leg('none')];
    expect((await sorted(legs, 5)).ids).toEqual(['a', 'b', 'fraction', 'none']);
    const mixed = [leg('b', 5), leg('none'), leg('late', 6), leg('a', 1), leg('fraction', 5.9)];
    expect((await sorted(mixed, 5)).ids).toEqual(['a', 'b', 'fraction', 'none']);
    expect((await sorted([leg('late', 6), leg('a', 5), leg('b', 4)], 5)).ids).toEqual(['b', 'a']);
  });

  test('sorts any number of legs on disk, in runs of 50,000 legs', async () => {
    for (const count of THOROUGH ? [49_999, 50_000, 50_001, 120_000] : [50_000, 50_001]) {
      const legs = Array.from({ length: count }, (_, at) => leg(count - at, Math.ceil((count - at) / 2)));
      const { ids } = await sorted(legs);
      expect(ids).toHaveLength(count);
      // At most two legs share a timestamp. Legs with the same timestamp keep the order of the input.
      const expected = Array.from({ length: count }, (_, at) => {
        const pair = Math.floor(at / 2);
        return Math.min(count, 2 * pair + (at % 2 === 0 ? 2 : 1));
      });
      expect(ids?.every((id, at) => id === expected[at])).toBe(true);
    }
  });

  test('withLegsByTime leaves no files behind if the callback fails', async () => {
    const before = leftBehind();
    const legs = [leg('b', 2), leg('a', 1)];
    const use = () =>
      withLegsByTime(
        {
          read: async function* () {
            yield* legs;
          },
        },
        async (given) => {
          for await (const _ of given);
          throw new Error('broken');
        },
      );
    await expect(use()).rejects.toThrow('broken');
    expect(leftBehind()).toBe(before);
  });
});
