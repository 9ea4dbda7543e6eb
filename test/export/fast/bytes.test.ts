import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lines } from '../../../src/export/fast/lines.ts';
import { Pattern } from '../../../src/export/fast/pattern.ts';

describe('a pattern', () => {
  const page = Buffer.from('"value":"aé€","value');
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);

  test('a pattern matches only at positions where the page contains its text', () => {
    for (let from = 0; from <= page.length; from++) {
      for (let to = from; to <= page.length; to++) {
        const part = page.subarray(from, to);
        if (part.toString().includes('\ufffd')) continue;
        const pattern = new Pattern(part.toString());
        expect(pattern.length).toBe(part.length);
        const found = Array.from({ length: page.length + 3 }, (_, at) => pattern.standsAt(view, at));
        const expected = found.map(
          (_, at) => part.equals(page.subarray(at, at + part.length)) && at + part.length <= page.length,
        );
        expect(found).toEqual(expected);
      }
    }
  });

  test('a pattern does not match if a single byte differs', () => {
    for (let length = 1; length <= 13; length++) {
      const text = 'abcdefghijklm'.slice(0, length);
      for (let at = 0; at < length; at++) {
        const other = Buffer.from(text);
        other[at] = 0x5a;
        const otherView = new DataView(other.buffer, other.byteOffset, other.byteLength);
        expect(new Pattern(text).standsAt(otherView, 0)).toBe(false);
      }
    }
  });
});

describe('lines', () => {
  const INITIAL = 256 * 1024;

  test('the Lines buffer contains all added text, in order, while it grows', () => {
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
        const lines = new Lines();
        const expected = steps.map((one) => {
          if ('byte' in one) {
            lines.byte(one.byte);
            return Buffer.from([one.byte]);
          }
          if ('text' in one) {
            lines.text(one.text);
            return Buffer.from(one.text);
          }
          lines.copy(page, one.from, one.to);
          return page.subarray(one.from, one.to);
        });
        const whole = Buffer.concat(expected);
        expect(lines.length).toBe(whole.length);
        expect(lines.take().equals(whole)).toBe(true);
        expect(lines.length).toBe(0);
        expect(lines.take()).toHaveLength(0);
      }),
      { numRuns: 50 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6])('the Lines buffer grows if %i bytes are left', (left) => {
    const page = Buffer.alloc(INITIAL, 'x');
    const filled = () => {
      const lines = new Lines();
      lines.copy(page, 0, INITIAL - left);
      return lines;
    };
    const adds: [(lines: Lines) => void, string][] = [
      [(lines) => lines.byte(0x79), 'y'],
      [(lines) => lines.text('€'), '€'],
      [(lines) => lines.text('€€'), '€€'],
      [(lines) => lines.copy(Buffer.from('abcd'), 1, 4), 'bcd'],
    ];
    for (const [add, text] of adds) {
      const lines = filled();
      add(lines);
      add(lines);
      expect(lines.take().toString('utf8', INITIAL - left)).toBe(text + text);
    }
  });

  test('the Lines buffer is not replaced while it is large enough', () => {
    const lines = new Lines();
    const { bytes } = lines;
    lines.copy(Buffer.alloc(INITIAL, 'x'), 0, INITIAL);
    expect(lines.bytes).toBe(bytes);
    lines.byte(1);
    expect(lines.bytes).not.toBe(bytes);
  });

  test('the Lines buffer returns a copy that later additions do not change', () => {
    const lines = new Lines();
    lines.text('first');
    const taken = lines.take();
    lines.text('other');
    expect(taken.toString()).toBe('first');
  });
});
