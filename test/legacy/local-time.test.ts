import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../src/legacy/check.ts';
import { isoReader } from '../../src/legacy/local-time.ts';
import { readCsvSource } from '../../src/legacy/source.ts';
import { NOW } from './arbitrary.ts';

const BERLIN = isoReader('Europe/Berlin');

describe('isoReader', () => {
  test.each<[string, string]>([
    ['2025-01-31T14:30:00Z', '2025-01-31T14:30:00.000Z'],
    ['2025-01-31t14:30z', '2025-01-31T14:30:00.000Z'],
    ['2025-01-31 14:30:05.125+01:00', '2025-01-31T13:30:05.125Z'],
    ['2025-01-31T14:30+0100', '2025-01-31T13:30:00.000Z'],
    ['2025-01-31T14:30', '2025-01-31T13:30:00.000Z'],
    ['2025-07-31 14:30:00', '2025-07-31T12:30:00.000Z'],
    [' 2025-07-31 14:30:00 ', '2025-07-31T12:30:00.000Z'],
    // This local time occurs twice. Its offset selects the second occurrence.
    ['2025-10-26T02:30:00+01:00', '2025-10-26T01:30:00.000Z'],
  ])('reads %j as %s', (text, iso) => {
    expect(BERLIN(text)).toMatchObject({ milliseconds: Date.parse(iso) });
  });

  test.each<[string, RegExp, RegExp]>([
    [
      '2025-03-30T02:30',
      /^does not exist in Europe\/Berlin, because the clock was set forward/,
      /Correct the time/,
    ],
    [
      '2025-10-26 02:30',
      /^occurs twice in Europe\/Berlin/,
      /2025-10-26T02:30:00\+02:00 or 2025-10-26T02:30:00\+01:00/,
    ],
    ['2025-02-30T12:00', /^does not exist in the calendar/, /--tz/],
    ['2025-01-31T25:00Z', /^does not exist in the calendar/, /--tz/],
    ['2025-01-31T14:30:00.123456Z', /^is not an ISO date/, /2025-01-31T14:30:00Z/],
    ['2025-1-3', /^is not an ISO date/, /2025-01-31T14:30:00Z/],
  ])('rejects %j', (text, problem, hint) => {
    expect(BERLIN(text)).toEqual({
      problem: expect.stringMatching(problem),
      hint: expect.stringMatching(hint),
    });
  });

  test('rejects a local time if no time zone is given', () => {
    const read = isoReader(undefined);
    expect(read('2025-01-31T14:30')).toMatchObject({ problem: expect.stringContaining('no time zone') });
    expect(read('2025-01-31')).toMatchObject({ hint: expect.stringContaining('--tz Europe/Berlin') });
    expect(read('2025-01-31T14:30Z')).toMatchObject({ local: false });
  });

  test('reads a date without a time as the start of the day, and warns', () => {
    expect(BERLIN('2025-01-31')).toEqual({
      milliseconds: Date.parse('2025-01-30T23:00:00Z'),
      local: true,
      doubt: 'has no time of day, so 2025-01-31T00:00+01:00 is sent',
    });
  });

  test.each(['1735689600000', 'yesterday', '', '31.01.2025'])(
    'does not parse %j, which is not an ISO date',
    (text) => {
      expect(BERLIN(text)).toBeUndefined();
    },
  );

  test('reads times with any offset, exact to the millisecond', () => {
    const moments = fc.date({
      min: new Date(Date.UTC(1990)),
      max: new Date(Date.UTC(2099)),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), (moment, minutes) => {
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const sign = minutes < 0 ? '-' : '+';
        const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');
        const text = `${local}${sign}${two(minutes / 60)}:${two(minutes % 60)}`;
        expect(BERLIN(text)).toMatchObject({ milliseconds: moment.getTime() });
      }),
    );
  });
});

test('checkSource converts ISO dates to milliseconds, and reports the row of an invalid date', () => {
  const header = 'timestamp,transactionType,transactionId,receivedCurrency.currency,receivedCurrency.amount';
  const rows = ['2025-01-31T14:30', '2025-03-30T02:30', '1735689600000', '2025-01-31T14:30Z'];
  const text = [header, ...rows.map((time, at) => `${time},deposit,t${at},BTC,0.10`)].join('\n');
  const options = { walletId: 'w', allowLong: false, now: NOW, readTime: BERLIN };
  const { problems, payload, localTimes } = checkSource(readCsvSource(text, 'x'), options);
  expect(problems).toEqual([expect.objectContaining({ row: 2, line: 3, field: 'timestamp' })]);
  expect(localTimes).toBe(1);
  expect(payload.transactions.map(({ timestamp }) => Number(timestamp))).toEqual([
    Date.parse('2025-01-31T13:30Z'),
    Number.NaN,
    1_735_689_600_000,
    Date.parse('2025-01-31T14:30Z'),
  ]);
});
