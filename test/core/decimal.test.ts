import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exact } from '../../src/core/decimal.ts';
import { isDecimal, plainDigits, plainNumber } from '../../src/core/plain.ts';

describe('isDecimal', () => {
  test.each(['0', '-1', '+1', '1.5', '-0.000000000000000001', '.5', '5.', '1E3', '-1e-18', '1e+5', '0001'])(
    'accepts %s',
    (text) => {
      expect(isDecimal(text)).toBe(true);
      expect(exact(text)).not.toBeNull();
    },
  );

  test.each([
    '',
    '.',
    '-',
    'e5',
    '1e',
    '1,5',
    '1_000',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '٣',
    '=1',
    '--1',
    '1.2.3',
  ])('rejects %j', (text) => {
    expect(isDecimal(text)).toBe(false);
    expect(exact(text)).toBeNull();
  });
});

describe('exact', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat(18))
    .map(([digits, places]) => ({ digits, places, text: shift(digits, places) }));

  test('exact decimals keep every digit, and are added without rounding', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [x, y] = [exact(a.text), exact(b.text)];
        if (!x || !y) throw new Error('no decimal');
        const sum = a.digits * 10n ** BigInt(18 - a.places) + b.digits * 10n ** BigInt(18 - b.places);
        expect(x.plus(y).toFixed(18)).toBe(shift(sum, 18));
        expect(x.times(`1e${a.places}`).toString()).toBe(String(a.digits));
      }),
    );
  });

  test('an exact decimal is never written with an exponent', () => {
    expect(exact('1e-18')?.toString()).toBe('0.000000000000000001');
    expect(exact('1E30')?.toString()).toBe(`1${'0'.repeat(30)}`);
  });

  test.each(['1e99999999999999999999', '-1e99999999999999999999', '1e-99999999999999999999'])(
    'exact() returns null for %s, because the result would be infinite or 0',
    (text) => {
      expect(exact(text)).toBeNull();
    },
  );

  test('exact() returns 0 for every notation of 0', () => {
    for (const text of ['0', '-0.00', '0e99999999999999999999', '0.0e-5'])
      expect(exact(text)?.isZero()).toBe(true);
  });

  test.each([1, null, undefined, {}, 1n])(
    'exact() returns null for the value %s, because it is not text',
    (value) => {
      expect(exact(value)).toBeNull();
    },
  );
});

describe('plainNumber', () => {
  test('plainNumber represents any double exactly, without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const plain = plainNumber(value);
        expect(plain).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(plain) === value).toBe(true);
      }),
    );
  });

  test.each([
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [0.1, '0.1'],
    [-2.5e-10, '-0.00000000025'],
  ])('plainNumber writes %d as %s', (value, plain) => {
    expect(plainNumber(value)).toBe(plain);
  });
});

/** Writes `digits` × 10^-`places` as a plain decimal. */
function shift(digits: bigint, places: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  return places === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

describe('plainDigits', () => {
  test('plainDigits represents any decimal text exactly, without an exponent', () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?[eE][+-]?\d{1,3}$/);
    fc.assert(
      fc.property(number, (text) => {
        expect(plainDigits(text)).toBe(exact(text)?.toFixed());
      }),
    );
  });

  test.each([
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['12345678901234567890123e-3', '12345678901234567890.123'],
    ['1e400', `1${'0'.repeat(400)}`],
    ['-1.5E+20', '-150000000000000000000'],
    ['1e999999999', '1e999999999'],
    ['1e-999999999', '1e-999999999'],
  ])('expands %s', (text, plain) => {
    expect(plainDigits(text)).toBe(plain);
  });
});
