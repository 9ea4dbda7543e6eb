import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExactNumber, parseJson } from '../../src/core/json.ts';
import { showText } from '../../src/core/text.ts';
import { cellText, guardCell, unguardCell } from '../../src/formats/text.ts';
import { runs } from '../runs.ts';
import { decimalText, numberText, text } from './arbitrary.ts';

const Exact = Decimal.clone({ precision: 2000, toExpNeg: -9e15, toExpPos: 9e15 });
const STRICT = /^-?[0-9]+(\.[0-9]+)?$/;

/** Invisible characters. The code point of each character appears in failure messages. */
const INVISIBLE = [
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f],
  ...[0x202a, 0x202e, 0x2060, 0x2061, 0x2064, 0x2066, 0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
].map((code): [string, string] => [code.toString(16), String.fromCodePoint(code)]);

const JOINED = [
  '👩\u200d👧',
  '👩🏽\u200d🚀',
  '❤\ufe0f\u200d🔥',
  '1\ufe0f\u20e3',
  'می\u200cخواهم',
  'क्\u200dष',
];

describe('guardCell', () => {
  test('unguardCell restores the original text from any result of guardCell', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(unguardCell(guardCell(given))).toBe(given);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('guardCell returns different cells for different strings', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(guardCell(left) === guardCell(right)).toBe(left === right);
      }),
    );
  });

  test('guardCell does not change strict decimals, whether positive or negative', () => {
    fc.assert(
      fc.property(decimalText, (given) => {
        expect(guardCell(given)).toBe(given);
      }),
    );
  });

  test('a guarded cell never begins with a formula character, except the minus sign of a strict decimal', () => {
    fc.assert(
      fc.property(text, (given) => {
        const cell = guardCell(given);
        expect(STRICT.test(cell) || !/^[=+\-@\t\r＝＋－＠]/.test(cell)).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('guardCell escapes all control characters except tab and line breaks', () => {
    fc.assert(
      fc.property(text, (given) => {
        const left = [...guardCell(given)].filter((character) => /\p{Cc}/u.test(character));
        expect(left.filter((character) => !'\t\r\n'.includes(character))).toEqual([]);
      }),
    );
  });

  test('guardCell escapes invisible characters that have no effect', () => {
    for (const [name, character] of INVISIBLE) {
      const cell = guardCell(`US${character}DC`);
      expect(cell, name).toMatch(/^US(?:\\u[0-9a-f]{4})+DC$/);
      expect(unguardCell(cell), name).toBe(`US${character}DC`);
    }
  });

  test.for(JOINED)('guardCell and showText keep the joiners in %s', (given) => {
    expect([guardCell(given), showText(given)]).toEqual([given, given]);
  });

  test.for([
    ['=1+1', "'=1+1"],
    ["'=1+1", "''=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＋49', "'＋49"],
    ['－1', "'－1"],
    ["'＠SUM(1)", "''＠SUM(1)"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-1.5', '-1.5'],
    ['-1e5', "'-1e5"],
    ['-.5', "'-.5"],
    ['@SUM(1)', "'@SUM(1)"],
    ['\t=1', "'\t=1"],
    ["it's", "it's"],
    ['\u001b[31m', '\\u001b[31m'],
    ['\\u001b', '\\u005cu001b'],
    ['\\n', '\\n'],
    ['', ''],
  ])('guardCell writes %j as %j', ([given = '', cell]) => {
    expect(guardCell(given)).toBe(cell);
  });
});

describe('cellText', () => {
  test('cellText writes any JSON number without an exponent and without loss', () => {
    fc.assert(
      fc.property(numberText, (digits) => {
        const value = parseJson(digits);
        const cell = cellText(value);
        expect(cell).toMatch(STRICT);
        // The cell may lose only the sign of -0.
        expect(new Exact(cell).eq(new Exact(digits)), `${cell} for ${digits}`).toBe(true);
        if (!isExactNumber(value)) expect(Number(cell)).toBe(Object.is(value, -0) ? 0 : value);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('cellText writes any double without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const cell = cellText(value);
        expect(cell).toMatch(STRICT);
        expect(Number(cell) === value).toBe(true);
      }),
    );
  });

  test('cellText writes text unchanged', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(cellText(given)).toBe(given);
      }),
    );
  });

  test('cellText writes null and undefined as an empty cell, and objects and lists as JSON', () => {
    expect([null, undefined, true, false].map(cellText)).toEqual(['', '', 'true', 'false']);
    expect(cellText(parseJson('{"a":[1,12345678901234567890.5]}'))).toBe('{"a":[1,12345678901234567890.5]}');
  });
});

describe('showText', () => {
  test('showText returns one line without terminal control characters', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u200b\ufeff]/u.test(showText(given))).toBe(false);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('showText escapes invisible characters that have no effect', () => {
    for (const [name, character] of INVISIBLE) {
      expect(showText(`US${character}DC`), name).toMatch(/^US(?:\\u[0-9a-f]{4})+DC$/);
    }
  });

  test('showText escapes a joiner or variation selector that has no effect', () => {
    expect(showText('U\u200dSDC\ufe0f 1\ufe0f ❤\ufe0f\ufe0f 👩\u200d')).toBe(
      'U\\u200dSDC\\ufe0f 1\\ufe0f ❤\ufe0f\\ufe0f 👩\\u200d',
    );
  });

  test('showText does not change harmless text', () => {
    for (const given of ['USDC', 'Zürich – 免费', '👩', '=1+1', '\\n']) expect(showText(given)).toBe(given);
  });
});
