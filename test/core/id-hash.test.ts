import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IdHashes } from '../../src/core/id-hash.ts';

describe('id hashes', () => {
  test('IdHashes contains exactly the ids that were added', () => {
    const id = fc.oneof(fc.stringMatching(/^led_[0-9a-f]{1,3}$/), fc.string());
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), fc.array(id), (list, others) => {
        const hashes = new IdHashes();
        for (const one of list) hashes.add(one);
        for (const one of [...list, ...others]) expect(hashes.has(one)).toBe(list.includes(one));
      }),
    );
  });

  test('IdHashes finds every id after growing, including ids that were added twice', () => {
    const hashes = new IdHashes();
    const list = Array.from({ length: 20_000 }, (_, at) => `led_${(at * 2_654_435_761).toString(16)}`);
    for (const one of [...list, ...list]) hashes.add(one);
    expect(list.every((one) => hashes.has(one))).toBe(true);
    expect(list.some((one) => hashes.has(`${one}x`))).toBe(false);
  });
});
