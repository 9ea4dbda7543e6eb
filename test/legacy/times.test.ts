import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { LosslessNumber } from '../../src/core/json.ts';
import { checkSource } from '../../src/legacy/check.ts';
import { readCsvSource } from '../../src/legacy/source.ts';
import { readTime, type TimeOptions } from '../../src/legacy/times.ts';
import { runs } from '../runs.ts';
import { NOW } from './arbitrary.ts';

function read(value: unknown, zone: string | undefined = 'Europe/Berlin', unit: TimeOptions['unit'] = 'ms') {
  return readTime(value, { zone, unit, now: NOW });
}
const inZone = (zone: string | undefined) => (value: unknown) =>
  readTime(value, { zone, unit: 'ms', now: NOW });

const moments = fc.date({ min: new Date(Date.UTC(2009)), max: new Date(NOW), noInvalidDate: true });
/** The decimals of the seconds: any number of digits. */
const fractions = fc.stringMatching(/^\d{0,12}$/);
const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');

/** The ways in which ISO 8601 writes an offset. */
const offsets = fc
  .tuple(fc.integer({ min: -14 * 60, max: 14 * 60 }), fc.constantFrom('long', 'basic', 'hours'))
  .map(([minutes, form]) => {
    const offset = form === 'hours' ? minutes - (minutes % 60) : minutes;
    const sign = offset < 0 ? '-' : '+';
    const rest = { long: `:${two(offset % 60)}`, basic: two(offset % 60), hours: '' }[form];
    return { offset, text: `${sign}${two(offset / 60)}${rest}` };
  });
const forms = fc.record({
  isBasic: fc.boolean(),
  separator: fc.constantFrom('T', 't', ' ', '  '),
  mark: fc.constantFrom('.', ','),
  gap: fc.constantFrom('', ' '),
});

describe('readTime with dates', () => {
  test('reads ISO 8601 in every form, with any number of decimals, exact to the millisecond', () => {
    fc.assert(
      fc.property(moments, fractions, offsets, forms, (moment, digits, { offset, text }, form) => {
        const milliseconds =
          Math.floor(moment.getTime() / 1000) * 1000 + Number(digits.slice(0, 3).padEnd(3, '0'));
        const [date = '', clock = ''] = new Date(milliseconds + offset * 60_000)
          .toISOString()
          .slice(0, 19)
          .split('T');
        const fraction = digits === '' ? '' : `${form.mark}${digits}`;
        const short = (part: string) => (form.isBasic ? part.replace(/[-:]/g, '') : part);
        const written = `${short(date)}${form.separator}${short(clock)}${fraction}${form.gap}${text}`;
        expect(read(written), written).toEqual({ milliseconds, isCut: /[1-9]/.test(digits.slice(3)) });
      }),
      { numRuns: runs(400) },
    );
  });

  test('reads a local time as Temporal does, but rejects a time that the clock skipped or repeated', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    );
    const days = fc.integer({ min: 0, max: 6000 });
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 287 }), zones, (day, slot, zone) => {
        const local = Temporal.PlainDateTime.from('2009-01-01').add({ days: day, minutes: 5 * slot });
        const [first, last] = (['earlier', 'later'] as const).map((disambiguation) =>
          local.toZonedDateTime(zone, { disambiguation }),
        );
        const result = read(local.toString(), zone);
        if (first?.epochMilliseconds === last?.epochMilliseconds)
          expect(result).toMatchObject({ milliseconds: first?.epochMilliseconds, isLocal: true });
        else expect(result).toHaveProperty('problem');
      }),
      { numRuns: runs(300) },
    );
  });

  test.each<[string, string]>([
    ['2025-01-31T14:30:00Z', '2025-01-31T14:30:00.000Z'],
    ['2025-01-31t14:30z', '2025-01-31T14:30:00.000Z'],
    ['2025-01-31 14:30:05 UTC', '2025-01-31T14:30:05.000Z'],
    ['2025-01-31T14:30', '2025-01-31T13:30:00.000Z'],
    ['2025-07-31 14:30:00', '2025-07-31T12:30:00.000Z'],
    [' 2025-07-31 14:30:00 ', '2025-07-31T12:30:00.000Z'],
    ['2025-01-31T14', '2025-01-31T13:00:00.000Z'],
    ['20250131T1430-0530', '2025-01-31T20:00:00.000Z'],
    ['2025-01-31T14:30\u221201:00', '2025-01-31T15:30:00.000Z'],
    // This local time occurs twice. Its offset selects the second occurrence.
    ['2025-10-26T02:30:00+01:00', '2025-10-26T01:30:00.000Z'],
  ])('reads %j as %s', (text, iso) => {
    expect(read(text)).toMatchObject({ milliseconds: Date.parse(iso) });
  });

  test.each<[string, string, string?]>([
    [
      '2025-03-30T02:30',
      'does not exist in Europe/Berlin, because the clock was set forward',
      'Correct the time',
    ],
    [
      '2025-10-26 02:30',
      'occurs twice in Europe/Berlin',
      '2025-10-26T02:30:00+02:00 or 2025-10-26T02:30:00+01:00',
    ],
    ['2025-02-30T12:00', 'days of this month go from 01 to 28'],
    ['2024-02-30', 'days of this month go from 01 to 29'],
    ['2025-13-01', 'months go from 01 to 12'],
    ['2025-01-31T25:00Z', 'hours go from 00 to 23'],
    ['2025-01-31T14:60Z', 'minutes and seconds from 00 to 59'],
    ['2025-01-31T24:00:00Z', 'has the hour 24', '00:00 of the next day'],
    ['2016-12-31T23:59:60Z', 'has a leap second'],
    ['2025-01-31T14:30+24:00', 'has an offset that does not exist, "+24:00"'],
    ['2025-01-31T14:30 CET', 'ends with "CET", which is not an offset'],
    ['2025-01-31T02:30 PM', 'ends with "PM", which is not an offset'],
    ['2025-01-31T14:30.5Z', 'ends with ".5Z", which is not an offset'],
    ['2025-01-31T14:30+01:00[Europe/Berlin]', 'which is not an offset'],
    ['2025-01-31T', 'has no time of day such as T14:30 after the day 2025-01-31'],
    ['2025-01-31Z', 'has no time of day'],
    ['2025-01-31T1430:15Z', 'which is not an offset'],
    ['2025-W05-5', 'is a week instead of a month and a day'],
    ['2025-031', 'has the day of the year'],
    ['2025-01', 'has no day'],
    ['2025-1-3 10:00', 'is not written as YYYY-MM-DD', 'Write 2025-01-03 10:00.'],
    ['2025/01/31', 'is not written as YYYY-MM-DD', 'Write 2025-01-31.'],
    ['31.01.2025', 'does not begin with the year, so its day and month are uncertain'],
    ['01/02/25 10:00', 'does not begin with the year'],
    ['+012025-01-31', 'has a year of more than four digits'],
    ['yesterday', 'is neither an ISO date nor a number'],
    ['', 'is neither an ISO date nor a number'],
  ])('rejects %j: "%s"', (text, problem, hint = '') => {
    const result = read(text);
    expect(result).toEqual({
      problem: expect.stringContaining(problem),
      hint: expect.stringContaining(hint),
    });
  });

  test.each([true, null, [], {}])('rejects %j, which is neither text nor a number', (value) => {
    expect(read(value)).toHaveProperty('problem', expect.stringContaining('must be a time, not '));
  });

  test('rejects a local time if no time zone is given', () => {
    const bare = inZone(undefined);
    expect(bare('2025-01-31T14:30')).toMatchObject({ problem: expect.stringContaining('no time zone') });
    expect(bare('2025-01-31')).toMatchObject({ hint: expect.stringContaining('--tz Europe/Berlin') });
    expect(bare('2025-01-31T14:30Z')).toEqual({ milliseconds: Date.UTC(2025, 0, 31, 14, 30), isCut: false });
  });

  test.each([
    ['Europe/Berlin', '2025-01-31', '2025-01-31T00:00+01:00'],
    ['Europe/Berlin', '20250131', '2025-01-31T00:00+01:00'],
    // On these days, the day begins at 01:00.
    ['Africa/Cairo', '2023-04-28', '2023-04-28T01:00+03:00'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T01:00-02:00'],
    // Midnight occurs twice.
    ['America/Havana', '2024-11-03', '2024-11-03T00:00-04:00'],
    ['Africa/Cairo', '2010-08-11', '2010-08-11T00:00+02:00'],
  ])('in %s, %s without a time means the start of the day: %s', (zone, day, start) => {
    expect(read(day, zone)).toEqual({
      milliseconds: Temporal.Instant.from(start).epochMilliseconds,
      isLocal: true,
      start,
    });
  });

  test('reports a day that the clock of the time zone skipped', () => {
    expect(read('2011-12-30', 'Pacific/Apia')).toMatchObject({
      problem: 'does not exist in Pacific/Apia, because the clock skipped this day: 2011-12-30',
    });
    expect(read('2011-12-31', 'Pacific/Apia')).toMatchObject({ start: '2011-12-31T00:00+14:00' });
  });
});

describe('readTime with numbers', () => {
  test.each([
    ['ms', 0, 1],
    ['s', 3, 1000],
  ] as const)('reads numbers in the unit %s, and drops fractions of a millisecond', (unit, shift, factor) => {
    fc.assert(
      fc.property(moments, fractions, fc.constantFrom('.', ','), (moment, digits, mark) => {
        const whole = Math.floor(moment.getTime() / factor);
        const text = `${whole}${digits === '' ? '' : `${mark}${digits}`}`;
        const milliseconds = whole * factor + Number(digits.slice(0, shift).padEnd(shift, '0'));
        const expected = { milliseconds, isCut: /[1-9]/.test(digits.slice(shift)) };
        expect(read(text, undefined, unit)).toEqual(expected);
        if (mark === '.') expect(read(new LosslessNumber(text), undefined, unit)).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  test('accepts exactly the numbers from 2001 to 2099, in each unit', () => {
    for (const [unit, factor] of [
      ['ms', 1],
      ['s', 1000],
    ] as const) {
      const at = (milliseconds: number) => read(String(milliseconds / factor), 'UTC', unit);
      const [first, end] = [Date.UTC(2001), Date.UTC(2100)];
      expect(at(first)).toMatchObject({ milliseconds: first });
      expect(at(end - factor)).toMatchObject({ milliseconds: end - factor });
      for (const outside of [first - factor, end]) expect(at(outside)).toHaveProperty('problem');
    }
  });

  test.each([
    [
      '1735689600',
      'ms',
      '1970-01-21T02:08:09.600Z in milliseconds, and 2025-01-01T00:00:00.000Z in seconds',
      '--time-unit s',
    ],
    ['1735689600.5', 'ms', '2025-01-01T00:00:00.500Z in seconds', '--time-unit s'],
    [
      '1735689600000',
      's',
      '+056971-10-25T00:00:00.000Z in seconds, and 2025-01-01T00:00:00.000Z in milliseconds',
      'omit --time-unit',
    ],
    ['1735689600000000', 'ms', '2025-01-01T00:00:00.000Z in microseconds', 'write 1735689600000.'],
    ['1735689600000000000', 's', '2025-01-01T00:00:00.000Z in nanoseconds', 'write 1735689600000.'],
    [
      '978307199999',
      'ms',
      '2000-12-31T23:59:59.999Z in milliseconds, and +032971-04-27T23:59:59.000Z in seconds',
      'ISO date',
    ],
    [
      '-1',
      'ms',
      '1969-12-31T23:59:59.999Z in milliseconds, and 1969-12-31T23:59:59.000Z in seconds',
      'ISO date',
    ],
    [
      '0',
      's',
      '1970-01-01T00:00:00.000Z in seconds, and 1970-01-01T00:00:00.000Z in milliseconds',
      'ISO date',
    ],
    ['43935.5', 'ms', 'as a serial number of a spreadsheet, it is 2020-04-14T12:00:00', 'format the column'],
    ['1.73569E+12', 'ms', 'must be written with all digits', 'spreadsheet'],
  ] as const)(
    'rejects %s in the unit %s, and explains how the number can be read',
    (text, unit, problem, hint) => {
      const expected = { problem: expect.stringContaining(problem), hint: expect.stringContaining(hint) };
      expect(read(text, 'UTC', unit)).toEqual(expected);
      expect(read(new LosslessNumber(text), 'UTC', unit)).toEqual(expected);
    },
  );

  test('readTime reads eight digits in text as a day, but rejects a JSON number of eight digits', () => {
    expect(read('20250131', 'UTC')).toMatchObject({ start: '2025-01-31T00:00+00:00' });
    expect(read('19991231', 'UTC')).toMatchObject({ start: '1999-12-31T00:00+00:00' });
    expect(read('21000101', 'UTC')).toHaveProperty('problem');
    expect(read(new LosslessNumber('20250131'), 'UTC')).toHaveProperty('problem');
  });
});

test('checkSource converts times to milliseconds, counts how they were read, and reports the row of an invalid time', () => {
  const header = 'timestamp,transactionType,transactionId,receivedCurrency.currency,receivedCurrency.amount';
  const rows = ['2025-01-31T14:30', '2025-03-30T02:30', '1735689600000.7', '2025-01-31T14:30Z', '2025-02-01'];
  const text = [header, ...rows.map((time, at) => `${time},deposit,t${at},BTC,0.10`)].join('\n');
  const options = { walletId: 'w', allowLong: false, readTime: inZone('Europe/Berlin') };
  const { problems, doubts, payload, times } = checkSource(readCsvSource(text, 'x'), options);
  expect(problems).toEqual([expect.objectContaining({ row: 2, line: 3, field: 'timestamp' })]);
  expect(doubts).toEqual([]);
  expect(times).toEqual({ local: 2, cut: 1, days: 1, firstDay: '2025-02-01T00:00+01:00' });
  expect(payload.transactions.map(({ timestamp }) => Number(timestamp))).toEqual([
    Date.parse('2025-01-31T13:30Z'),
    Number.NaN,
    1_735_689_600_000,
    Date.parse('2025-01-31T14:30Z'),
    Date.parse('2025-01-31T23:00Z'),
  ]);
});
