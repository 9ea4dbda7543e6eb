import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roundFigure } from '../../src/formats/round-figure.ts';
import { runs } from '../runs.ts';

test.each([
  ['588.52591937855', 2, '588.53'],
  ['-0.0051', 2, '-0.01'],
  ['-0.0049', 2, '-<0.01'],
  ['0.125', 2, '0.13'],
  ['-0.125', 2, '-0.13'],
  ['0.995', 2, '1'],
  ['0.000000000000000001', 8, '<0.00000001'],
  ['-0.0000000000125', 8, '-<0.00000001'],
  ['0.000000000000000000', 8, '0'],
  ['12345678901234567890.123456789', 8, '12345678901234567890.12345679'],
  ['-865287.7031 (38 of 43)', 2, '-865287.7 (38 of 43)'],
  ['+4.227429158985607643 ETH, -1.5 UNI', 8, '+4.22742916 ETH, -1.5 UNI'],
  ['1.5', 8, '1.5'],
  ['15', 2, '15'],
  ['-', 2, '-'],
  ['v1.234567890123', 2, 'v1.234567890123'],
  ['1.2.3456789', 2, '1.2.3456789'],
  ['led_0.123456', 2, 'led_0.123456'],
])('rounds %s to %i decimal places: %s', (text, places, shown) => {
  expect(roundFigure(text, places)).toBe(shown);
});

test('rounds any decimal correctly, and never rounds a small amount to 0', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})\.\d{1,30}$/);
  fc.assert(
    fc.property(digits, fc.boolean(), fc.constantFrom(2, 8), (text, isNegative, places) => {
      const sign = isNegative ? '-' : '';
      const exact = new Decimal(text);
      const unit = new Decimal(10).pow(-places);
      const shown = roundFigure(sign + text, places);
      if (shown.includes('<')) {
        expect(shown).toBe(`${sign}<${unit.toFixed()}`);
        expect(exact.isZero() || exact.gte(unit.div(2))).toBe(false);
      } else {
        const rounded = new Decimal(shown);
        expect(rounded.isZero()).toBe(exact.isZero());
        expect(rounded.abs().minus(exact).abs().lte(unit.div(2))).toBe(true);
        expect(shown.startsWith('-')).toBe(isNegative);
      }
    }),
    { numRuns: runs(1000) },
  );
});
