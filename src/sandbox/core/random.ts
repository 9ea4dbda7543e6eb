// A small seeded random number generator (sfc32). The same seed always produces the same numbers, on any machine and with any
// Node version. This file and its callers avoid Math.pow, Math.exp and Math.log, because JavaScript engines can differ in the
// last digit of the result.

import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: string) {
  const digest = createHash('sha256').update(seed).digest();
  let a = digest.readUInt32LE(0) | 0;
  let b = digest.readUInt32LE(4) | 0;
  let c = digest.readUInt32LE(8) | 0;
  let counter = digest.readUInt32LE(12) | 0;

  /** Returns a number in [0, 1), with 32 random bits. */
  function next(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  }
  /** Returns a whole number in [0, bound). */
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0],
  };
}
