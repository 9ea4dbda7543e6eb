// Ids that look random, but can be converted back to numbers. Even a million ids therefore need no index.

import { createHash } from 'node:crypto';

export interface NumberedIds {
  of(index: number): string;
  /** Converts an id from `of()` back to its index. Returns undefined for any other id. */
  index(id: string): number | undefined;
}

export function createIds(prefix: string, seed: string): NumberedIds {
  const digest = createHash('sha256').update(`${seed}/${prefix}`).digest();
  const salt = digest.readUInt32LE(0);
  const other = digest.readUInt32LE(4);
  const form = new RegExp(`^${prefix}_([0-9a-f]{8})([0-9a-f]{8})$`);

  function of(index: number): string {
    const first = scramble(index ^ salt);
    return `${prefix}_${hex(first)}${hex(scramble(first ^ other))}`;
  }
  function index(id: string): number | undefined {
    const head = form.exec(id)?.[1];
    if (head === undefined) return undefined;
    const found = (unscramble(Number.parseInt(head, 16)) ^ salt) >>> 0;
    return of(found) === id ? found : undefined;
  }
  return { of, index };
}

/** The two hex digits of each byte. A lookup is faster than `toString(16)`. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(value: number): string {
  const byte = (shift: number) => BYTES[(value >>> shift) & 255];
  return `${byte(24)}${byte(16)}${byte(8)}${byte(0)}`;
}

/** Scrambles a 32-bit number with multiplications and xor-shifts. Every step is reversible. */
function scramble(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

// The inverses of the two factors modulo 2^32.
const UNDO_SECOND = 0x7ed1_b41d;
const UNDO_FIRST = 0xa5cb_9243;

function unscramble(value: number): number {
  let mixed = (value ^ (value >>> 16)) >>> 0;
  mixed = Math.imul(mixed, UNDO_SECOND);
  mixed = Math.imul((mixed ^ (mixed >>> 16)) >>> 0, UNDO_FIRST);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The ids of the original items and of items that are added later. */
export interface GrowingIds extends NumberedIds {
  /** Number of ids. */
  readonly size: number;
  /** Returns the number of an id. Adds the id if it is unknown. If `id` is undefined, creates and adds a new id. */
  number(id: string | undefined): number;
  reset(): void;
}

export function createGrowingIds(written: NumberedIds, count: number): GrowingIds {
  const numbers = new Map<string, number>();
  const added: string[] = [];

  function index(id: string): number | undefined {
    const number = written.index(id);
    return number !== undefined && number < count ? number : numbers.get(id);
  }
  return {
    get size() {
      return count + added.length;
    },
    of: (number) => (number < count ? written.of(number) : (added[number - count] ?? '')),
    index,
    number(id) {
      const next = count + added.length;
      const wanted = id ?? written.of(next);
      const known = index(wanted);
      if (known !== undefined) return known;
      numbers.set(wanted, next);
      added.push(wanted);
      return next;
    },
    reset() {
      numbers.clear();
      added.length = 0;
    },
  };
}
