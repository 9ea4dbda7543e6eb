import { expect, test } from 'vitest';
import { hasBytes } from '../../../src/export/fast/ascii.ts';

test('hasBytes finds a text at exactly the positions where it occurs in the page', () => {
  const page = Buffer.from('"value":"aé€","value');
  for (let from = 0; from <= page.length; from++) {
    for (let to = from; to <= page.length; to++) {
      const part = page.subarray(from, to);
      const found = Array.from({ length: page.length + 3 }, (_, at) => hasBytes(page, part, at));
      const expected = found.map(
        (_, at) => part.equals(page.subarray(at, at + part.length)) || part.length === 0,
      );
      expect(found).toEqual(expected);
    }
  }
});

test('hasBytes does not find a text if a single byte differs', () => {
  const bytes = Buffer.from('abcdefghijklm');
  for (let at = 0; at < bytes.length; at++) {
    const other = Buffer.from(bytes);
    other[at] = 0x5a;
    expect(hasBytes(other, bytes, 0)).toBe(false);
  }
});
