import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spanOf, type TimeValues, timeFlags } from '../../src/commands/period.ts';

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
    ['last-year', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ])('%s ends a millisecond before the next one', async (period, from, next) => {
    expect(await span({ period })).toEqual({ from: utc(from), to: utc(next) - 1 });
  });

  test('is of the zone: a German year begins an hour before that of UTC, a German summer month two', async () => {
    expect(await span({ period: '2025' }, 'Europe/Berlin')).toEqual({
      from: utc('2024-12-31T23:00:00Z'),
      to: utc('2025-12-31T23:00:00Z') - 1,
    });
    expect(await span({ period: '2025-07' }, 'Europe/Berlin')).toEqual({
      from: utc('2025-06-30T22:00:00Z'),
      to: utc('2025-07-31T22:00:00Z') - 1,
    });
  });

  test('last-year is told by the clock of the zone', async () => {
    const newYear = utc('2025-12-31T23:30:00Z');
    expect(await span({ period: 'last-year' }, 'UTC', newYear)).toMatchObject({
      from: utc('2024-01-01T00:00:00Z'),
    });
    expect(await span({ period: 'last-year' }, 'Europe/Berlin', newYear)).toMatchObject({
      from: utc('2024-12-31T23:00:00Z'),
    });
  });

  test.each(['2025-Q5', '2025-13', '25', 'last-month', '2025-1', ''])('%j is refused', (period) => {
    expect(() => timeFlags.period.parse?.(period, undefined)).toThrow('It is no period');
  });
});

describe('--from and --to', () => {
  test('a day is the whole day, also one of 23 and of 25 hours', async () => {
    const spring = await span({ from: '2025-03-30', to: '2025-03-30' }, 'Europe/Berlin');
    const autumn = await span({ from: '2025-10-26', to: '2025-10-26' }, 'Europe/Berlin');
    const hours = ({ from = 0, to = 0 }) => (to + 1 - from) / 3_600_000;
    expect([hours(spring), hours(autumn)]).toEqual([23, 25]);
  });

  test('a day that begins later than midnight begins when it begins', async () => {
    // In Beirut the clock went from 24:00 to 01:00 on that day.
    expect((await span({ from: '2025-03-30' }, 'Asia/Beirut')).from).toBe(utc('2025-03-29T22:00:00Z'));
  });

  test.each([
    ['2025-07-01T12:00', 'Europe/Berlin', '2025-07-01T10:00:00Z'],
    ['2025-07-01 12:00', 'Europe/Berlin', '2025-07-01T10:00:00Z'],
    ['2025-07-01T12:00:30.125', 'UTC', '2025-07-01T12:00:30.125Z'],
    ['2025-07-01T12:00Z', 'Europe/Berlin', '2025-07-01T12:00:00Z'],
    ['2025-07-01T12:00:00+02:00', 'UTC', '2025-07-01T10:00:00Z'],
  ])('%s in %s is %s, both as first and as last', async (given, zone, expected) => {
    expect(await span({ from: given, to: given }, zone)).toEqual({ from: utc(expected), to: utc(expected) });
  });

  test('a moment that comes twice is taken in both times', async () => {
    expect(await span({ from: '2025-10-26T02:30', to: '2025-10-26T02:30' }, 'Europe/Berlin')).toEqual({
      from: utc('2025-10-26T00:30:00Z'),
      to: utc('2025-10-26T01:30:00Z'),
    });
  });

  test('one side alone leaves the other open', async () => {
    expect(await span({ from: '2025-01-01' })).toEqual({ from: utc('2025-01-01T00:00:00Z') });
    expect(await span({ to: '2025-01-01' })).toEqual({ to: utc('2025-01-02T00:00:00Z') - 1 });
    expect(await span({})).toEqual({});
  });

  test('consecutive days share no millisecond and leave none out, in any zone', async () => {
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
        // Apia left out a whole day.
        fc.pre(!(zone === 'Pacific/Apia' && ['2011-12-29', '2011-12-30'].includes(written(day))));
        const next = new Date(day.getTime() + 86_400_000);
        const today = await span({ from: written(day), to: written(day) }, zone);
        const tomorrow = await span({ from: written(next), to: written(next) }, zone);
        expect((today.to ?? 0) + 1).toBe(tomorrow.from);
      }),
    );
  });

  test.each([
    [{ from: '2025-02-30' }, 'The last day of that month is 2025-02-28.'],
    [{ to: '2024-02-30' }, 'The last day of that month is 2024-02-29.'],
    [{ from: '2025-13-01' }, 'Months go from 01 to 12.'],
    [{ from: '2025-01-01T00:00+99:00' }, 'offsets from -23:59 to +23:59'],
    [{ from: '2025-01-01T25:00' }, 'Hours go from 00 to 23'],
    [{ from: 'yesterday' }, 'As in 2025-07-01'],
    [{ from: '2025-7-1' }, 'As in 2025-07-01'],
    [{ from: '2025-01-02', to: '2025-01-01' }, 'Swap them.'],
    [{ period: '2025', from: '2025-01-01' }, 'Use one or the other.'],
    [{ period: '2025', startTime: 1 }, 'Use one or the other.'],
    [{ to: '2025-01-01', endTime: 1 }, 'Use one or the other.'],
    [{ startTime: 2, endTime: 1 }, 'Swap them.'],
  ])('%j is refused, and says what is right', async (values, hint) => {
    await expect(span(values)).rejects.toMatchObject({ kind: 'usage', hint: expect.stringContaining(hint) });
  });
});
