import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isoText, machineZone, momentText, spanText } from '../../src/formats/moments.ts';
import { runs } from '../runs.ts';

const ZONES = [...Intl.supportedValuesOf('timeZone'), 'UTC'];

/** The expected text, assembled from the parts that Intl returns. */
function slowly(milliseconds: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', timeZoneName: 'longOffset', fractionalSecondDigits: 3 },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  } as Intl.DateTimeFormatOptions);
  const parts = Object.fromEntries(
    format.formatToParts(milliseconds).map(({ type, value }) => [type, value]),
  );
  const offset = String(parts['timeZoneName']).replace(/^GMT$/, '+00:00').replace(/^GMT/, '');
  const { year, month, day, hour, minute, second, fractionalSecond } = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fractionalSecond}${offset}`;
}

describe('isoText', () => {
  test('isoText returns the same local times and offsets as Intl, in any time zone', () => {
    const moment = fc.integer({ min: Date.parse('1850-01-01'), max: Date.parse('2090-01-01') });
    const near = fc.integer({ min: -7_200_000, max: 7_200_000 });
    const zone = fc.constantFrom(...ZONES.filter((name) => name !== 'UTC'));
    fc.assert(
      fc.property(zone, fc.array(moment, { maxLength: 3 }), near, (timeZone, moments, step) => {
        for (const time of moments.flatMap((at) => [at, at + step, at]))
          expect(isoText(time, timeZone)).toBe(slowly(time, timeZone));
      }),
      { numRuns: runs(150) },
    );
  });

  test.each([
    ['Europe/Berlin', '2025-03-30T00:59:59.999Z', '2025-03-30T01:59:59.999+01:00'],
    ['Europe/Berlin', '2025-03-30T01:00:00.000Z', '2025-03-30T03:00:00.000+02:00'],
    ['Europe/Berlin', '2025-10-26T00:30:00.000Z', '2025-10-26T02:30:00.000+02:00'],
    ['Europe/Berlin', '2025-10-26T01:30:00.000Z', '2025-10-26T02:30:00.000+01:00'],
    ['Asia/Kathmandu', '2025-07-01T00:00:00.001Z', '2025-07-01T05:45:00.001+05:45'],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31T00:00:00.000+14:00'],
    ['America/New_York', '1883-11-18T16:00:00.000Z', '1883-11-18T11:03:58.000-04:56:02'],
    ['UTC', '2025-07-01T00:00:00.001Z', '2025-07-01T00:00:00.001Z'],
  ])('in %s, isoText writes %s as %s', (timeZone, utc, local) => {
    expect(isoText(Date.parse(utc), timeZone)).toBe(local);
  });

  test('isoText returns an empty string for a value that is not a valid time', () => {
    for (const value of [undefined, null, '2025', Number.NaN, 9e15, 8.64e15])
      expect(isoText(value, 'Asia/Tokyo')).toBe('');
  });

  test('isoText writes every time from the earliest to the latest Date, and returns an empty string beyond that range', () => {
    const latest = 8.64e15;
    const hours = 3_600_000;
    expect(isoText(latest, 'America/New_York')).toBe('+275760-09-12T20:00:00.000-04:00');
    expect(isoText(-latest, 'Asia/Kolkata')).toBe('-271821-04-20T05:53:28.000+05:53:28');
    expect(isoText(latest - 9 * hours, 'Asia/Tokyo')).toBe('+275760-09-13T00:00:00.000+09:00');
    expect(isoText(latest - 9 * hours + 1, 'Asia/Tokyo')).toBe('');
    expect(isoText(-latest, 'America/New_York')).toBe('');
  });

  test('isoText calls Intl twice for each new day in the data, and not at all for known days', () => {
    const days = (count: number) => {
      const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
      for (let day = 0; day < count; day++)
        for (let hour = 0; hour < 24; hour++) isoText((day * 24 + hour) * 3_600_000, 'Antarctica/Troll');
      const { calls, contexts } = asked.mock;
      const counts = { calls: calls.length, formatters: new Set(contexts).size };
      asked.mockRestore();
      return counts;
    };
    expect(days(10)).toEqual({ calls: 20, formatters: 1 });
    expect(days(10)).toEqual({ calls: 0, formatters: 0 });
  });

  test('isoText writes UTC times as Date.toISOString does', () => {
    const moment = fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true });
    fc.assert(
      fc.property(moment, (time) => {
        expect(isoText(time, 'UTC')).toBe(new Date(time).toISOString());
      }),
    );
  });
});

test('momentText omits the offset and the milliseconds', () => {
  expect(momentText(Date.parse('2025-07-01T10:03:22.999Z'), 'Europe/Berlin')).toBe('2025-07-01 12:03:22');
});

test('momentText returns an invalid time unchanged', () => {
  expect(momentText('yesterday', 'UTC')).toBe('yesterday');
});

test.each([
  [{}, undefined],
  [{ from: 0 }, 'from 1970-01-01 01:00 (Europe/Berlin)'],
  [{ to: 1 }, 'up to 1970-01-01 01:00:00.001 (Europe/Berlin)'],
  [{ from: 1000, to: 59_999 }, '1970-01-01 01:00:01 to 1970-01-01 01:00:59.999 (Europe/Berlin)'],
  [{ from: 60_000, to: 60_000 }, '1970-01-01 01:01 to 1970-01-01 01:01 (Europe/Berlin)'],
])('spanText(%j) returns %j', (span, text) => {
  expect(spanText(span, 'Europe/Berlin')).toBe(text);
});

describe('machineZone', () => {
  const before = process.env['TZ'];
  afterEach(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  test.each([
    ['Asia/Tokyo', 'Asia/Tokyo'],
    ['', 'UTC'],
    ['UTC', 'UTC'],
    ['GMT', 'UTC'],
    [':Europe/Berlin', 'Europe/Berlin'],
    ['posix/Europe/Berlin', 'Europe/Berlin'],
    ['Nowhere/Unknown', undefined],
    // POSIX rules. Node replaces them with UTC or with a wrong zone.
    ['CET-1CEST', undefined],
    ['CET-1CEST,M3.5.0,M10.5.0/3', undefined],
    ['EST5EDT,M3.2.0,M11.1.0', undefined],
    ['<+03>-3', undefined],
    ['XXX-5:30', undefined],
    ['GMT+3', undefined],
    ['UTC-3', undefined],
    ['+03:00', undefined],
  ])('with TZ=%s, machineZone returns %s', (name, zone) => {
    process.env['TZ'] = name;
    expect(machineZone()).toBe(zone);
  });
});

describe('a time that the clock shows twice', () => {
  test.each([
    ['Europe/Berlin', '2025-10-26T00:30:00Z', '2025-10-26 02:30:00 +02:00'],
    ['Europe/Berlin', '2025-10-26T01:30:00Z', '2025-10-26 02:30:00 +01:00'],
    ['Europe/Berlin', '2025-10-25T23:59:59Z', '2025-10-26 01:59:59'],
    ['Europe/Berlin', '2025-10-26T02:00:00Z', '2025-10-26 03:00:00'],
    ['Australia/Lord_Howe', '2025-04-05T14:45:00Z', '2025-04-06 01:45:00 +11:00'],
    ['Australia/Lord_Howe', '2025-04-05T15:15:00Z', '2025-04-06 01:45:00 +10:30'],
  ])('in %s, %s is shown as %s', (zone, time, expected) => {
    expect(momentText(Date.parse(time), zone)).toBe(expected);
  });

  test('different times are never shown as the same text', () => {
    const zone = fc.constantFrom(...ZONES);
    const second = fc.integer({ min: Date.parse('1970-01-01') / 1000, max: Date.parse('2037-01-01') / 1000 });
    const step = fc.constantFrom(1800, 3600, 7200, 86_400, 5400);
    fc.assert(
      fc.property(zone, second, step, (timeZone, at, later) => {
        const shown = [at, at + later].map((time) => momentText(time * 1000, timeZone));
        expect(shown[0]).not.toBe(shown[1]);
      }),
      { numRuns: runs(200) },
    );
    // Each hour of the days on which clocks are set back.
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns']) {
      const hours = Array.from({ length: 24 * 366 * 2 }, (_, at) => Date.UTC(2025, 0, 1) + at * 1_800_000);
      expect(new Set(hours.map((time) => momentText(time, timeZone))).size).toBe(hours.length);
    }
  });

  test('the text of a period that begins and ends in a repeated hour shows both offsets', () => {
    const [from, to] = ['2025-10-26T00:00:00Z', '2025-10-26T01:59:59.999Z'].map((time) => Date.parse(time));
    expect(spanText({ from, to }, 'Europe/Berlin')).toBe(
      '2025-10-26 02:00 +02:00 to 2025-10-26 02:59:59.999 +01:00 (Europe/Berlin)',
    );
  });
});
