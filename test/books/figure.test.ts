import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addsUp, canonicalDecimal, figureOf, isBelowZero, isFigure, isZero } from '../../src/books/figure.ts';

const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });

const decimal = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?$/),
  fc.stringMatching(/^[+-]?\d{1,5}\.?\d{0,5}([eE][+-]?\d{1,2})?$/),
  fc.constantFrom('-0', '0.0', '-0.000', '1.50', '1.5', '.5', '5.', '0e5', '-1e-18', '00.10'),
);

describe('decimal text', () => {
  test('addsUp() accepts only exact sums', () => {
    fc.assert(
      fc.property(
        decimal,
        decimal,
        fc.constantFrom('0', '1', '0.000000000000000001', '1e-30'),
        (left, right, off) => {
          const sum = new Exact(left).plus(right);
          expect(addsUp(left, right, sum.toFixed())).toBe(true);
          expect(addsUp(left, right, `${sum.toFixed()}${sum.decimalPlaces() > 0 ? '0' : '.0'}`)).toBe(true);
          expect(addsUp(left, right, sum.plus(off).toFixed())).toBe(off === '0');
        },
      ),
    );
  });

  test.each([null, undefined, '', 'n/a', '1,5', {}, '1e999999999'])(
    'addsUp() returns null if one of the values is %s',
    (value) => {
      expect(addsUp(value, '1', '1')).toBe(null);
      expect(addsUp('1', '1', value)).toBe(null);
      expect(isFigure(value)).toBe(false);
    },
  );

  test.each([
    [':', '0', '10'],
    ['1', '/', '0'],
    ['1', '1', '1:.2.'],
    ['', '0', '0'],
    ['.', '0', '0'],
    ['1.2.3', '0', '1.23'],
  ])(
    'addsUp() returns null for "%s" + "%s" = "%s", because one of the values is not a decimal',
    (left, right, sum) => {
      expect(addsUp(left, right, sum)).toBe(null);
    },
  );

  test('isFigure() and canonicalDecimal() agree with the parser for any text, decimal or not', () => {
    const text = fc.oneof(
      decimal,
      fc.stringMatching(/^[-+]?[0-9.]{0,6}[-.eE0]{0,2}[0-9]{0,3}$/),
      fc.string({ maxLength: 4 }),
    );
    const long = text.map((part) => part.padEnd(420, '0'));
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: text }, long), (value) => {
        const figure = figureOf(value);
        expect(isFigure(value)).toBe(figure !== null);
        if (figure) expect(canonicalDecimal(value)).toBe(figure.toFixed());
      }),
      { numRuns: 2000 },
    );
    for (const [value, short] of [
      ['-0', '0'],
      ['00', '0'],
      ['0.50', '0.5'],
      ['-0.5', '-0.5'],
      ['100', '100'],
      ['10.', '10'],
    ])
      expect(canonicalDecimal(value)).toBe(short);
  });

  test('canonical() returns undefined for values that are not decimal text', () => {
    for (const value of ['', 'n/a', '1,5', null, undefined, 5])
      expect(canonicalDecimal(value)).toBe(undefined);
  });

  test('canonical(), isZero() and isBelowZero() agree with the class Exact for any decimal text', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const value = new Exact(text);
        expect(canonicalDecimal(text)).toBe(value.toFixed());
        expect(isZero(text)).toBe(value.isZero());
        expect(isBelowZero(text)).toBe(value.isNegative() && !value.isZero());
        expect(isFigure(text)).toBe(true);
      }),
    );
    expect(canonicalDecimal('1e999999999')).toBe('1e999999999');
  });
});
