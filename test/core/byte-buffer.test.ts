import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteBuffer } from '../../src/core/byte-buffer.ts';
import { runs } from '../runs.ts';

describe('a byte buffer', () => {
  const INITIAL = 256 * 1024;

  test('a byte buffer contains all added text, in order, while it grows', () => {
    const page = Buffer.from('0123456789'.repeat(40_000));
    const step = fc.oneof(
      fc.nat(255).map((byte) => ({ byte })),
      fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 40 }).map((text) => ({ text })),
      fc.tuple(fc.nat(80), fc.nat(80)).map(([from, more]) => ({ from, to: from + more })),
      fc
        .tuple(fc.nat(1000), fc.integer({ min: 0, max: 300_000 }))
        .map(([from, more]) => ({ from, to: from + more })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const buffer = new ByteBuffer();
        const expected = steps.map((one) => {
          if ('byte' in one) {
            buffer.byte(one.byte);
            return Buffer.from([one.byte]);
          }
          if ('text' in one) {
            buffer.text(one.text);
            return Buffer.from(one.text);
          }
          buffer.copy(page, one.from, one.to);
          return page.subarray(one.from, one.to);
        });
        const whole = Buffer.concat(expected);
        expect(buffer.length).toBe(whole.length);
        expect(buffer.written.equals(whole)).toBe(true);
        buffer.length = 0;
        expect(buffer.written).toHaveLength(0);
      }),
      { numRuns: runs(50) },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6])('a byte buffer with %i free bytes accepts more bytes', (left) => {
    const page = Buffer.alloc(INITIAL, 'x');
    const filled = () => {
      const buffer = new ByteBuffer();
      buffer.copy(page, 0, INITIAL - left);
      return buffer;
    };
    const adds: [(buffer: ByteBuffer) => void, string][] = [
      [(buffer) => buffer.byte(0x79), 'y'],
      [(buffer) => buffer.text('€'), '€'],
      [(buffer) => buffer.text('€€'), '€€'],
      [(buffer) => buffer.copy(Buffer.from('abcd'), 1, 4), 'bcd'],
    ];
    for (const [add, text] of adds) {
      const buffer = filled();
      add(buffer);
      add(buffer);
      expect(buffer.written.toString('utf8', INITIAL - left)).toBe(text + text);
    }
  });

  test('a byte buffer is not replaced while it is large enough', () => {
    const buffer = new ByteBuffer();
    const { bytes } = buffer;
    buffer.copy(Buffer.alloc(INITIAL, 'x'), 0, INITIAL);
    expect(buffer.bytes).toBe(bytes);
    buffer.byte(1);
    expect(buffer.bytes).not.toBe(bytes);
  });
});
