import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { httpDateOf, instantOf, knownInstant } from '../../src/core/instant.ts';

const two = (number: number) => String(number).padStart(2, '0');

describe('instantOf', () => {
  test.each([
    ['2025-07-01T14:30:00Z', Date.UTC(2025, 6, 1, 14, 30)],
    ['2025-07-01T14:30Z', Date.UTC(2025, 6, 1, 14, 30)],
    ['2025-07-01t14:30:00z', Date.UTC(2025, 6, 1, 14, 30)],
    ['2025-07-01T14:30:00.1239Z', Date.UTC(2025, 6, 1, 14, 30, 0, 123)],
    ['2025-07-01T14:30:00,5Z', Date.UTC(2025, 6, 1, 14, 30, 0, 500)],
    ['2025-07-01T14:30:00+02:00', Date.UTC(2025, 6, 1, 12, 30)],
    ['2025-07-01T14:30:00-0530', Date.UTC(2025, 6, 1, 20)],
    ['2025-07-01T14:30:00+02', Date.UTC(2025, 6, 1, 12, 30)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['1969-12-31T23:59:59.999Z', -1],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['0000-02-29T00:00:00Z', -62_162_121_600_000],
  ])('reads %s', (text, time) => {
    expect(instantOf(text)).toBe(time);
    expect(knownInstant(text)).toBe(time);
  });

  test.each([
    ...['2025-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2025-04-31T00:00:00Z', '2025-00-10T00:00:00Z'],
    ...['2025-13-01T00:00:00Z', '2025-01-00T00:00:00Z', '2025-06-30T23:59:60Z', '2016-12-31T23:59:60.5Z'],
    ...['2025-01-01T24:00:00Z', '2025-01-01T25:00Z', '2025-01-01T10:60Z', '2025-01-01T10:00:00+24:00'],
    ...['2025-01-01T10:00:00', '2025-01-01T10:00:00+01:60', '2025-01-01', '2025-01-01 10:00:00Z', ''],
    ...['1735689600000', 'Wed, 01 Jan 2025 00:00:00 GMT', '+012025-01-01T00:00:00Z', ' 2025-01-01T00:00:00Z'],
    ...['2025-1-1T0:00Z', '2025-01-01T10Z', '2025-01-01T10:00:00.Z', '2025-01-01T10:00:00Z\n'],
    ...[1_735_689_600_000, null, undefined, Number.NaN, {}],
  ])('does not read %j', (value) => {
    expect(instantOf(value)).toBeUndefined();
    expect(() => knownInstant(String(value))).toThrow(RangeError);
  });

  test('reads every output of toISOString that has a year of four digits', () => {
    const times = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(times, (time) => {
        expect(instantOf(new Date(time).toISOString())).toBe(time);
      }),
    );
  });

  test('reads a time with an offset as the time in UTC minus the offset', () => {
    const offsets = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), offsets, (time, offset) => {
        const local = new Date(time + offset * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offset);
        const sign = offset < 0 ? '-' : '+';
        expect(instantOf(`${local}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`)).toBe(time);
      }),
    );
  });

  test('reads exactly the times whose parts exist in the calendar', () => {
    const number = fc.nat(99);
    fc.assert(
      fc.property(fc.integer({ min: 1900, max: 2100 }), number, number, number, number, (y, m, d, h, s) => {
        const text = `${y}-${two(m)}-${two(d)}T${two(h)}:00:${two(s)}Z`;
        const date = new Date(Date.UTC(y, m - 1, d, h, 0, s));
        // If a part is out of range, `Date` moves the excess to the next part.
        const exists = date.toISOString() === text.replace('Z', '.000Z');
        expect(instantOf(text)).toBe(exists ? date.getTime() : undefined);
      }),
    );
  });
});

describe('httpDateOf', () => {
  test('reads every date that toUTCString writes', () => {
    const seconds = fc.integer({ min: 0, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, (time) => {
        expect(httpDateOf(new Date(time * 1000).toUTCString())).toBe(time * 1000);
      }),
    );
  });

  test.each([
    'Sun, 31 Feb 2025 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    '5',
    '',
  ])('does not read %j', (text) => {
    expect(httpDateOf(text)).toBeUndefined();
  });

  test('reads a date in the obsolete format of RFC 850', () => {
    expect(httpDateOf('Sunday, 06-Nov-22 08:49:37 GMT')).toBe(Date.UTC(2022, 10, 6, 8, 49, 37));
  });
});
