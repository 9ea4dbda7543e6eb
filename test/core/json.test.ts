import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExactNumber, isRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { runs } from '../runs.ts';

/** A JSON document in which each number is stored as text. */
type Tree =
  | { number: string }
  | { text: string }
  | { word: string }
  | { list: Tree[] }
  | { object: [string, Tree][] };

const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^\\d{${least},${most}}$`));
const whole = fc.oneof(
  fc.constant('0'),
  fc.integer({ min: 1, max: 9 }).chain((first) => digits(0, 30).map((rest) => `${first}${rest}`)),
);
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(digits(1, 40), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(1, 4)), {
      nil: undefined,
    }),
  )
  .map(([sign, int, fraction, power]) => {
    return `${sign}${int}${fraction === undefined ? '' : `.${fraction}`}${power === undefined ? '' : power.join('')}`;
  });
/** Strings that look like numbers, or like numbers with the punctuation around them. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  number,
  number.map((n) => `: ${n},${n}[ ${n}`),
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number.map((n) => ({ number: n })),
    text.map((t) => ({ text: t })),
    fc.constantFrom('true', 'false', 'null').map((word) => ({ word })),
    fc.array(tie('tree'), { maxLength: 4 }).map((list) => ({ list })),
    fc
      .uniqueArray(fc.tuple(text, tie('tree')), { maxLength: 4, selector: ([key]) => key })
      .map((object) => ({ object })),
  ),
}));

function write(node: Tree, gap: string): string {
  if ('number' in node) return node.number;
  if ('word' in node) return node.word;
  if ('text' in node) return JSON.stringify(node.text);
  if ('list' in node)
    return `[${gap}${node.list.map((item) => write(item, gap)).join(`${gap},${gap}`)}${gap}]`;
  const members = node.object.map(
    ([key, value]) => `${JSON.stringify(key)}${gap}:${gap}${write(value, gap)}`,
  );
  return `{${gap}${members.join(`,${gap}`)}${gap}}`;
}

/** Writes a number as an integer and a power of ten, so that equal numbers look the same. Does not use the tested code. */
function canonical(token: string): string {
  const [mantissa = '', power = '0'] = token.toLowerCase().split('e');
  const [int = '', fraction = ''] = mantissa.split('.');
  let value = BigInt(`${int}${fraction}`.replace('-', ''));
  let exponent = BigInt(power.replace('+', '')) - BigInt(fraction.length);
  if (value === 0n) return '0';
  while (value % 10n === 0n) {
    value /= 10n;
    exponent += 1n;
  }
  return `${mantissa.startsWith('-') ? '-' : ''}${value}e${exponent}`;
}

/** Returns all numbers of a JSON text in order. Ignores digits in strings. */
function numbersOf(json: string): string[] {
  const tokens = json.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/gs);
  return [...tokens].flatMap(([, token]) => (token === undefined ? [] : [canonical(token)]));
}

const gap = fc.constantFrom('', ' ', '\n', '\r\n\t', '  ');

describe('parseJson and stringifyJson', () => {
  test('parseJson and stringifyJson keep every digit of every number', () => {
    fc.assert(
      fc.property(tree, gap, gap, (node, inner, outer) => {
        const json = `${outer}${write(node, inner)}${outer}`;
        const back = stringifyJson(parseJson(json));
        const sorted = (numbers: string[]) => numbers.toSorted();
        // Sort the numbers, because a JavaScript object moves keys that look like array indexes to the front.
        expect(sorted(numbersOf(back))).toEqual(sorted(numbersOf(json)));
        // Serialise both values, so that -0 and 0 are equal.
        expect(JSON.stringify(JSON.parse(back))).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: runs(3000) },
    );
  });

  test('parseJson and stringifyJson behave like JSON.parse and JSON.stringify for doubles', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), gap, (value, indent) => {
        const json = JSON.stringify(value, undefined, indent.length);
        expect(parseJson(json)).toStrictEqual(JSON.parse(json));
        expect(stringifyJson(parseJson(json))).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each([
    '12345678901234567890',
    ' \n12345678901234567890',
    '[\n12345678901234567890]',
    '[1,12345678901234567890]',
    '{"a":12345678901234567890}',
    '[0.1000000000000000055511151231257827]',
    '[1e400]',
    '[-1E+400]',
    '[1E-400]',
    '[9007199254740993]',
    '[-0.12345678901234567890e-5]',
    '[5e-324000]',
    '{"__proto__":12345678901234567890,"constructor":1}',
  ])('parseJson and stringifyJson round-trip %s', (json) => {
    expect(stringifyJson(parseJson(json))).toBe(json.trim().replaceAll('\n', ''));
  });

  test.each([
    ['0.1', 0.1],
    ['1.50', 1.5],
    ['1e2', 100],
    ['9007199254740992', 2 ** 53],
    ['1717200000000', 1717200000000],
    ['1.000000000000000000000000', 1],
    ['100000000000000000000000', 1e23],
    ['0e9999', 0],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('parseJson parses %s as a double', (json, value) => {
    expect(parseJson(json)).toBe(value);
    expect(parseJson(`[${json},12345678901234567890]`)).toMatchObject([value, expect.anything()]);
  });

  test('parseJson does not change other values if a long number is present', () => {
    const json = '{"a":1,"a":2,"s":"\\ud83d\\ude00\\ud800\\/","t":[true,null,""],"n":12345678901234567890}';
    expect(parseJson(json)).toMatchObject({ a: 2, s: '😀\ud800/', t: [true, null, ''] });
  });

  test.each([
    '',
    ' ',
    '{',
    '[1,]',
    '01',
    '1.',
    '.5',
    '-',
    '[12345678901234567890',
    '12345678901234567890x',
    '[12345678901234567890,]',
    'NaN',
  ])('parseJson rejects %j', (json) => {
    expect(() => parseJson(json)).toThrow(SyntaxError);
  });

  test('stringifyJson indents the text, with and without long numbers', () => {
    const value = parseJson('{"a":[1,12345678901234567890],"b":{}}');
    expect(stringifyJson(value, 2)).toBe('{\n  "a": [\n    1,\n    12345678901234567890\n  ],\n  "b": {}\n}');
    expect(stringifyJson({ a: [1] }, 2)).toBe(JSON.stringify({ a: [1] }, undefined, 2));
    expect(stringifyJson(undefined)).toBe('null');
  });

  test('isRecord is false for a long number in JSON', () => {
    const long = parseJson('12345678901234567890');
    expect(isExactNumber(long)).toBe(true);
    expect(isRecord(long)).toBe(false);
    expect([{}, [], null, 'x', 1].map(isRecord)).toEqual([true, false, false, false, false]);
  });
});
