import { describe, expect, test } from 'vitest';
import { BytePattern } from '../../../src/export/fast/pattern.ts';

describe('a pattern', () => {
  const page = Buffer.from('"value":"aé€","value');
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);

  test('a pattern matches at exactly the positions where its text occurs in the page', () => {
    for (let from = 0; from <= page.length; from++) {
      for (let to = from; to <= page.length; to++) {
        const part = page.subarray(from, to);
        if (part.toString().includes('\ufffd')) continue;
        const pattern = new BytePattern(part.toString());
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
        expect(new BytePattern(text).standsAt(otherView, 0)).toBe(false);
      }
    }
  });
});
