import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysText, timeFlags } from '../../src/app/period.ts';
import { yearOrQuarterOf } from '../../src/books/sums.ts';
import { spanOf, type TimeValues } from '../../src/core/period.ts';
import { spanText } from '../../src/formats/moments.ts';
import { runs } from '../runs.ts';

const NOTHING: TimeValues = {
  from: undefined,
  to: undefined,
  period: undefined,
  startTime: undefined,
  endTime: undefined,
};
const NOW = Date.parse('2026-03-01T12:00:00Z');

const span = (values: Partial<TimeValues>, zone = 'UTC', now = NOW) =>
  spanOf({ ...NOTHING, ...values }, zone, now);
const utc = (text: string) => Date.parse(text);

describe('--period', () => {
  test.each([
    ['2025', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2025-Q1', '2025-01-01T00:00:00Z', '2025-04-01T00:00:00Z'],
    ['2025-Q4', '2025-10-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2024-02', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['2025-12', '2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2025-H1', '2025-01-01T00:00:00Z', '2025-07-01T00:00:00Z'],
    ['2025-h2', '2025-07-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2025-q3', '2025-07-01T00:00:00Z', '2025-10-01T00:00:00Z'],
    ['last-year', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['LAST-YEAR', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['this-year', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['last-quarter', '2025-10-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['this-quarter', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['last-month', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['this-month', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['ytd', '2026-01-01T00:00:00Z', '2026-03-02T00:00:00Z'],
    ['7d', '2026-02-23T00:00:00Z', '2026-03-02T00:00:00Z'],
    ['1D', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ])('%s starts at %s, and ends a millisecond before %s', async (period, from, next) => {
    expect(await span({ period })).toEqual({ from: utc(from), to: utc(next) - 1 });
  });

  test('--period depends on the time zone and its daylight saving time', async () => {
    expect(await span({ period: '2025' }, 'Europe/Berlin')).toEqual({
      from: utc('2024-12-31T23:00:00Z'),
      to: utc('2025-12-31T23:00:00Z') - 1,
    });
    expect(await span({ period: '2025-07' }, 'Europe/Berlin')).toEqual({
      from: utc('2025-06-30T22:00:00Z'),
      to: utc('2025-07-31T22:00:00Z') - 1,
    });
  });

  test('--period last-year depends on the time zone', async () => {
    const newYear = utc('2025-12-31T23:30:00Z');
    expect(await span({ period: 'last-year' }, 'UTC', newYear)).toMatchObject({
      from: utc('2024-01-01T00:00:00Z'),
    });
    expect(await span({ period: 'last-year' }, 'Europe/Berlin', newYear)).toMatchObject({
      from: utc('2024-12-31T23:00:00Z'),
    });
  });

  test.each(['2025-Q5', '2025-H3', '2025-13', '25', 'next-month', '2025-1', '0d', 'd', ''])(
    'rejects %j',
    (period) => {
      expect(() => timeFlags.period.parse?.(period, undefined)).toThrow('It is not a period');
    },
  );

  test('--period 3d covers 71 hours if the clock goes forward on one of the three days', async () => {
    const { from = 0, to = 0 } = await span({ period: '3d' }, 'Europe/Berlin', utc('2025-03-31T10:00:00Z'));
    expect((to + 1 - from) / 3_600_000).toBe(71);
  });

  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const year = fc.integer({ min: 1900, max: 2100 });
  const fiscal = fc.constantFrom(undefined, '04-06', '07-01', '12-31', '01-31', '02-28');
  const parts = [
    ['', 'H1', 'H2'],
    ['H1', 'Q1', 'Q2'],
    ['H2', 'Q3', 'Q4'],
    ['Q2', '04', '05', '06'],
  ];

  test('the parts of a period cover the period without gaps or overlaps, in every time zone', async () => {
    await fc.assert(
      fc.asyncProperty(
        zone,
        year,
        fc.constantFrom(...parts),
        fiscal,
        async (timeZone, of, [whole, ...rest], start) => {
          // --fiscal-year-start cannot be combined with a month.
          const fiscalYearStart = rest.includes('04') ? undefined : start;
          const named = (part = '') =>
            span({ period: part === '' ? `${of}` : `${of}-${part}`, fiscalYearStart }, timeZone);
          const outer = await named(whole);
          const inner = await Promise.all(rest.map(named));
          expect(inner[0]?.from).toBe(outer.from);
          expect(inner.at(-1)?.to).toBe(outer.to);
          for (const [at, { to }] of inner.slice(0, -1).entries())
            expect(inner[at + 1]?.from).toBe(Number(to) + 1);
          const next = await span({ period: `${of + 1}`, fiscalYearStart }, timeZone);
          if (whole === '') expect(next.from).toBe(Number(outer.to) + 1);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('a period such as this-month contains the current time, and starts when last-month ends', async () => {
    const now = fc.integer({ min: Date.parse('1950-01-01'), max: Date.parse('2090-01-01') });
    await fc.assert(
      fc.asyncProperty(
        zone,
        now,
        fc.constantFrom('year', 'quarter', 'month'),
        fiscal,
        async (timeZone, at, unit, start) => {
          const fiscalYearStart = unit === 'month' ? undefined : start;
          const current = await span({ period: `this-${unit}`, fiscalYearStart }, timeZone, at);
          const before = await span({ period: `last-${unit}`, fiscalYearStart }, timeZone, at);
          expect(current.from).toBeLessThanOrEqual(at);
          expect(current.to).toBeGreaterThanOrEqual(at);
          expect(before.to).toBe(Number(current.from) - 1);
          expect(before.from).toBeLessThan(Number(before.to));
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('--fiscal-year-start', () => {
  test.each([
    ['2025', '2025-04-06T00:00:00Z', '2026-04-06T00:00:00Z'],
    ['2025-Q4', '2026-01-06T00:00:00Z', '2026-04-06T00:00:00Z'],
    ['2025-H1', '2025-04-06T00:00:00Z', '2025-10-06T00:00:00Z'],
    ['this-year', '2025-04-06T00:00:00Z', '2026-04-06T00:00:00Z'],
    ['last-quarter', '2025-10-06T00:00:00Z', '2026-01-06T00:00:00Z'],
    ['ytd', '2025-04-06T00:00:00Z', '2026-03-02T00:00:00Z'],
  ])(
    '--fiscal-year-start 04-06 makes the period %s start on %s and end before %s',
    async (period, from, next) => {
      expect(await span({ period, fiscalYearStart: '04-06' })).toEqual({
        from: utc(from),
        to: utc(next) - 1,
      });
    },
  );

  test.each([
    ['no period', undefined],
    ['--period 2025-07', '2025-07'],
    ['--period last-month', 'last-month'],
    ['--period 7d', '7d'],
  ])('rejects --fiscal-year-start with %s', async (_, period) => {
    await expect(span({ period, fiscalYearStart: '04-06' })).rejects.toThrow('--fiscal-year-start requires');
  });

  test.each(['02-29', '13-01', '04-31', '4-6', '2025-04-06'])('rejects %s', (day) => {
    expect(() => timeFlags.fiscalYearStart.parse?.(day, undefined)).toThrow(
      'must be a day that exists in every year',
    );
  });
});

describe('the note about a period', () => {
  test.each([
    [
      { from: utc('2024-12-31T23:00:00Z'), to: utc('2025-12-31T22:59:59.999Z') },
      '2025-01-01 00:00 to 2025-12-31 23:59:59.999 (Europe/Berlin)',
    ],
    [{ from: utc('2025-07-01T10:00:30Z') }, 'from 2025-07-01 12:00:30 (Europe/Berlin)'],
    [{ to: utc('2025-07-01T10:00:00.5Z') }, 'up to 2025-07-01 12:00:00.500 (Europe/Berlin)'],
  ])('the period %j is shown as %j', (given, shown) => {
    expect(spanText(given, 'Europe/Berlin')).toBe(shown);
  });

  test('prints no note about a period without a start and an end', () => {
    expect(spanText({}, 'Europe/Berlin')).toBeUndefined();
  });
});

describe('--from and --to', () => {
  test('--from and --to cover a whole day, even a day of 23 or 25 hours', async () => {
    const spring = await span({ from: '2025-03-30', to: '2025-03-30' }, 'Europe/Berlin');
    const autumn = await span({ from: '2025-10-26', to: '2025-10-26' }, 'Europe/Berlin');
    const hours = ({ from = 0, to = 0 }) => (to + 1 - from) / 3_600_000;
    expect([hours(spring), hours(autumn)]).toEqual([23, 25]);
  });

  test('--from starts at 01:00 on a day that has no midnight', async () => {
    // On that day, clocks in Beirut went forward from 00:00 to 01:00.
    expect((await span({ from: '2025-03-30' }, 'Asia/Beirut')).from).toBe(utc('2025-03-29T22:00:00Z'));
  });

  test.each([
    ['2025-07-01T12:00', 'Europe/Berlin', '2025-07-01T10:00:00Z'],
    ['2025-07-01 12:00', 'Europe/Berlin', '2025-07-01T10:00:00Z'],
    ['2025-07-01T12:00:30.125', 'UTC', '2025-07-01T12:00:30.125Z'],
    ['2025-07-01T12:00Z', 'Europe/Berlin', '2025-07-01T12:00:00Z'],
    ['2025-07-01T12:00:00+02:00', 'UTC', '2025-07-01T10:00:00Z'],
  ])('--from and --to parse the time %s in the time zone %s as %s', async (given, zone, expected) => {
    expect(await span({ from: given, to: given }, zone)).toEqual({ from: utc(expected), to: utc(expected) });
  });

  test('for a local time that occurs twice, --from takes the first occurrence, and --to takes the second', async () => {
    expect(await span({ from: '2025-10-26T02:30', to: '2025-10-26T02:30' }, 'Europe/Berlin')).toEqual({
      from: utc('2025-10-26T00:30:00Z'),
      to: utc('2025-10-26T01:30:00Z'),
    });
  });

  test('a period with only --from or only --to is open at the other end', async () => {
    expect(await span({ from: '2025-01-01' })).toEqual({ from: utc('2025-01-01T00:00:00Z') });
    expect(await span({ to: '2025-01-01' })).toEqual({ to: utc('2025-01-02T00:00:00Z') - 1 });
    expect(await span({})).toEqual({});
  });

  test('--from and --to cover consecutive days without gaps or overlaps, in any time zone', async () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Asia/Beirut',
      'America/Sao_Paulo',
    );
    const days = fc
      .integer({ min: 0, max: 9000 })
      .map((day) => new Date(utc('2009-01-03T00:00:00Z') + day * 86_400_000));
    const written = (date: Date) => date.toISOString().slice(0, 10);
    await fc.assert(
      fc.asyncProperty(days, zones, async (day, zone) => {
        // Apia skipped 30 December 2011.
        fc.pre(!(zone === 'Pacific/Apia' && ['2011-12-29', '2011-12-30'].includes(written(day))));
        const next = new Date(day.getTime() + 86_400_000);
        const today = await span({ from: written(day), to: written(day) }, zone);
        const tomorrow = await span({ from: written(next), to: written(next) }, zone);
        expect((today.to ?? 0) + 1).toBe(tomorrow.from);
      }),
    );
  });

  test.each([
    [{ from: '2025-02-30' }, 'The last day of 2025-02 is 2025-02-28.'],
    [{ to: '2024-02-30' }, 'The last day of 2024-02 is 2024-02-29.'],
    [{ from: '2025-13-01' }, 'Months go from 01 to 12.'],
    [{ from: '2025-01-01T00:00+99:00' }, 'offsets from -23:59 to +23:59'],
    [{ from: '2025-01-01T25:00' }, 'Hours go from 00 to 23'],
    [{ from: 'yesterday' }, 'Use 2025-07-01'],
    [{ from: '2025-7-1' }, 'Use 2025-07-01'],
    [{ from: '2025-01-02', to: '2025-01-01' }, 'Swap them.'],
    [{ period: '2025', from: '2025-01-01' }, 'Use one or the other.'],
    [{ period: '2025', startTime: 1 }, 'Use one or the other.'],
    [{ to: '2025-01-01', endTime: 1 }, 'Use one or the other.'],
    [{ startTime: 2, endTime: 1 }, 'Swap them.'],
  ])('rejects the values %j with a hint', async (values, hint) => {
    await expect(span(values)).rejects.toMatchObject({ kind: 'usage', hint: expect.stringContaining(hint) });
  });
});

test.each([{ from: '2011-12-30', to: '2011-12-30' }, { from: '2011-12-30' }, { to: '2011-12-30T14:00' }])(
  'rejects the day in %j, because the clock of the time zone skipped this day',
  async (values) => {
    await expect(span(values, 'Pacific/Apia')).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /2011-12-30.* does not exist in Pacific\/Apia, because the clock skipped this day$/,
      ),
      hint: 'Use the day before or the day after.',
    });
    await expect(span(values, 'UTC')).resolves.toBeDefined();
  },
);

describe('a mistyped --period', () => {
  test.each([
    ['last-yaer', 'Did you mean last-year?'],
    ['lastyear', 'Did you mean last-year?'],
    ['this-quater', 'Did you mean this-quarter?'],
    ['Q3', 'Include the year, as in 2025-Q3.'],
    ['h1', 'Include the year, as in 2025-H1.'],
    ['2025-13', 'Use 2025, 2025-H1'],
    ['0d', 'Use 2025, 2025-H1'],
  ])('%s causes an error with the hint: %s', (given, hint) => {
    expect(() => timeFlags.period.parse?.(given, undefined)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(`^${hint.replace('?', '\\?')}`) }),
    );
  });
});

describe('yearOrQuarterOf', () => {
  test('returns the year and the quarter that contain the day, for every start of a fiscal year', async () => {
    const day = fc.integer({
      min: Date.parse('1999-01-01') / 86_400_000,
      max: Date.parse('2032-12-31') / 86_400_000,
    });
    const start = fc
      .integer({ min: 0, max: 364 })
      .map((at) => new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(5, 10));
    await fc.assert(
      fc.asyncProperty(
        day,
        start,
        fc.constantFrom('year', 'quarter'),
        async (number, fiscalYearStart, unit) => {
          const date = new Date(number * 86_400_000);
          const parts = {
            year: date.getUTCFullYear(),
            month: date.getUTCMonth() + 1,
            day: date.getUTCDate(),
          };
          const period = yearOrQuarterOf(parts, unit, fiscalYearStart);
          const { from = 0, to = 0 } = await span({ period, fiscalYearStart });
          expect(from <= date.getTime() && date.getTime() <= to, `${period} ${fiscalYearStart}`).toBe(true);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test.each([
    [{ year: 2024, month: 2, day: 29 }, '11-30', '2023-Q2'],
    [{ year: 2025, month: 2, day: 28 }, '11-30', '2024-Q2'],
    [{ year: 2025, month: 2, day: 27 }, '11-30', '2024-Q1'],
    [{ year: 2025, month: 4, day: 5 }, '04-06', '2024-Q4'],
    [{ year: 2025, month: 4, day: 6 }, '04-06', '2025-Q1'],
    [{ year: 0, month: 1, day: 1 }, '04-06', '-000001-Q3'],
    [{ year: 12025, month: 5, day: 1 }, '01-01', '+012025-Q2'],
  ])('%j in a year that starts on %s is in %s', (date, start, expected) => {
    expect(yearOrQuarterOf(date, 'quarter', start)).toBe(expected);
    expect(yearOrQuarterOf(date, 'year', start)).toBe(expected.slice(0, -3));
  });
});

describe('daysText', () => {
  test.each([
    [{}, 'all'],
    [{ from: utc('2025-07-01') }, 'from 2025-07-01'],
    [{ to: utc('2025-10-01') - 1 }, 'up to 2025-09-30'],
    [{ from: utc('2025-07-01'), to: utc('2025-10-01') - 1 }, '2025-07-01 to 2025-09-30'],
    [{ from: utc('2025-07-01T12:00Z'), to: utc('2025-07-02') }, '2025-07-01 12:00 to 2025-07-02 00:00'],
  ])('%j becomes %s', (period, expected) => {
    expect(daysText(period, 'UTC')).toBe(expected);
  });
});
