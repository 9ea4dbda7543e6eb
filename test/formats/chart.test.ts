import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { exact } from '../../src/core/decimal.ts';
import { barChart, chartStyle, factLines, timeLine, timeLineLegend } from '../../src/formats/chart.ts';

const unicode = (width: number) => ({ width, ascii: false });
const bar = (name: string, value: string | null) => ({ name, value: exact(value) });
const linesOf = (bars: ReturnType<typeof bar>[], width = 60, ascii = false) =>
  barChart([{ title: '', bars }], { width, ascii })
    .trimEnd()
    .split('\n');

describe('barChart', () => {
  test('draws the largest value first, and prints exact amounts and shares', () => {
    const lines = linesOf([bar('ETH', '1.000000000000000001'), bar('BTC', '3')]);
    expect(lines[0]).toMatch(/^BTC {2}█+ +3 {2}75\.0%$/);
    expect(lines[1]).toMatch(/^ETH {2}█+▌? +1\.000000000000000001 {2}25\.0%$/);
    const [largest, smallest] = lines.map((line) => line.match(/█/g)?.length ?? 0);
    expect((largest ?? 0) / (smallest ?? 0)).toBeCloseTo(3, 0);
  });

  test('a chart draws negative values to the left of zero, and then shows no percentages', () => {
    const lines = linesOf([bar('a', '10'), bar('b', '-5'), bar('c', '0')], 40);
    expect(lines[0]).toMatch(/^a +│█+ {2}10$/);
    expect(lines[1]).toMatch(/^b {2}▐?█+│ +-5$/);
    expect(lines[2]).toMatch(/^c +│ +0$/);
    expect(lines.join('')).not.toContain('%');
  });

  test('draws bars in steps of half a cell, with a minimum of half a cell for values other than zero', () => {
    const cells = (...bars: [string, string][]) =>
      linesOf(
        bars.map(([name, value]) => bar(name, value)),
        40,
      ).map((line) => line.match(/[█▌▐│]+/)?.[0] ?? '');
    expect(cells(['a', '10'], ['b', '2.5'], ['c', '0.001'], ['d', '0'])).toEqual([
      '█'.repeat(23),
      '█'.repeat(6),
      '▌',
      '',
    ]);
    expect(cells(['a', '10'], ['b', '-5'], ['c', '0.001'], ['d', '-0.001'])).toEqual([
      `│${'█'.repeat(18)}▌`,
      `${'█'.repeat(9)}│`,
      '│▌',
      '▐│',
    ]);
  });

  test('sorts equal values by name', () => {
    for (const names of ['abc', 'bca', 'cab', 'cba']) {
      const same = (value: string | null) => linesOf([...names].map((name) => bar(name, value)));
      expect(same('2').map((line) => line[0])).toEqual(['a', 'b', 'c']);
      expect(same(null).map((line) => line[0])).toEqual(['a', 'b', 'c']);
    }
  });

  test('lists unknown values last and without a bar, and explains that shares are based on known values only', () => {
    const lines = linesOf([bar('lost', null), bar('a', '0'), bar('b', '2'), bar('c', '2')]);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^a {2} +0 {2} 0\.0%$/),
      expect.stringMatching(/^lost +unknown$/),
      'Shares are based on known values only.',
    ]);
  });

  test('lists an unknown value last, regardless of its name', () => {
    for (const name of ['A', 'z']) {
      const bars = [bar('m', '2'), bar(name, null), bar('n', '1')];
      for (const order of [bars, bars.toReversed()]) {
        expect(linesOf(order).map((line) => line[0])).toEqual(['m', 'n', name, 'S']);
      }
    }
  });

  test('prints no share if only one value is known', () => {
    expect(linesOf([bar('a', '2'), bar('b', null)]).join()).not.toMatch(/%|Shares/);
  });

  const sharesOf = (...values: string[]) =>
    linesOf(values.map((value, at) => bar(`a${at}`, value))).map((line) => line.split(' ').at(-1));

  test('shows a share close to 0% as <0.1%, and a share close to 100% as >99.9%', () => {
    expect(sharesOf('1000000', '0.000000000000000001')).toEqual(['>99.9%', '<0.1%']);
    expect(sharesOf('999', '1')).toEqual(['99.9%', '0.1%']);
    expect(sharesOf('5', '0')).toEqual(['100.0%', '0.0%']);
  });

  test('a side of the zero line takes at least one cell if it has bars, and no space otherwise', () => {
    const drawn = (...values: string[]) =>
      linesOf(
        values.map((value, at) => bar(`a${at}`, value)),
        24,
      ).map((line) => line.slice(4));
    expect(drawn('1000', '-1')).toEqual([' │████████████  1000', '▐│                -1']);
    expect(drawn('-1000', '0.5')).toEqual(['███████████│   -1000', '           │▌    0.5']);
    expect(drawn('-1000', '-500')).toEqual(['████████████│  -1000', '      ██████│   -500']);
    expect(drawn('-1000', '-500', '0')).toEqual([
      '████████████│  -1000',
      '      ██████│   -500',
      '            │      0',
    ]);
  });

  test('draws each bar below its name and amount if fewer than 10 cells are left for the bar', () => {
    // The name and the amount have 3 characters each, and there are 2 spaces on each side of the bar.
    expect(linesOf([bar('abc', '1.5')], 20)).toEqual(['abc  ██████████  1.5']);
    expect(linesOf([bar('abcd', '1.5')], 20)).toEqual(['abcd  1.5', '  ██████████████████']);
    expect(linesOf([bar('abcd', '1.5'), bar('b', '-1.5')], 20)).toEqual([
      'abcd   1.5',
      '           │████████',
      'b     -1.5',
      '  ▐████████│',
    ]);
  });

  test('prints only ASCII characters if the style is ASCII', () => {
    expect(linesOf([bar('a', '10'), bar('b', '-5')], 60, true).join('')).toMatch(/^[ -~]+$/);
  });

  test('escapes malicious names, and shortens long names', () => {
    const lines = linesOf([bar('\u001b[2J\u202eevil', '1'), bar('N'.repeat(10_000), '2')], 80);
    expect(lines[1]).toContain('\\u001b[2J\\u202eevil');
    expect(lines[0]).toMatch(/^N{23}… /);
  });

  test('draws at most 40 values, and prints how many values there are', () => {
    const lines = linesOf([...Array(55).keys()].map((at) => bar(`a${at}`, String(at))));
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe('40 of 55 values are shown. The table has all values.');
  });

  const values = fc.oneof(
    fc.constant(null),
    fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
      .map(([digits, places]) => exact(`${digits}e-${places}`)?.toFixed() ?? null),
  );

  test.each([60, 80, 120])('a chart fits %i columns and contains every exact amount', (width) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), values), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.boolean(),
        (pairs, ascii) => {
          const lines = linesOf(
            pairs.map(([name, value]) => bar(name, value)),
            width,
            ascii,
          );
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
          const text = lines.join('\n');
          for (const [, value] of pairs) expect(text).toContain(value ?? 'unknown');
        },
      ),
    );
  });
});

test('timeLine marks negative, zero and unknown balances', () => {
  const part = (balance: string | null, isNegative = false) => ({ balance: exact(balance), isNegative });
  const parts = [
    part('0'),
    part('1'),
    part('8'),
    part('5', true),
    part('-5', true),
    part(null),
    part('1e-18'),
  ];
  expect(timeLine(parts, unicode(80))).toBe('·▂█▼▼?▁');
  expect(timeLine(parts, { width: 80, ascii: true })).toBe('029--?1');
});

test('timeLine shows balances below 1 as shares of the highest balance', () => {
  const parts = ['0.8', '0.4', '0.1'].map((balance) => ({ balance: exact(balance), isNegative: false }));
  expect(timeLine(parts, unicode(80))).toBe('█▅▂');
});

test('timeLineLegend explains the characters that timeLine uses', () => {
  expect(timeLineLegend(unicode(80))).toBe(
    '▁▂▃▄▅▆▇█ share of the highest balance\n· zero  ▼ below zero  ? unknown',
  );
  expect(timeLineLegend({ width: 80, ascii: true })).toBe(
    '1-9 share of the highest balance\n0 zero  - below zero  ? unknown',
  );
});

test('chartStyle selects ASCII for a dumb terminal or a locale without UTF-8, and a width of 80 for a pipe', () => {
  expect(chartStyle(undefined, {})).toEqual({ width: 80, ascii: false });
  expect(chartStyle(120, { LC_ALL: '', LANG: 'de_DE.UTF-8' })).toEqual({ width: 120, ascii: false });
  expect([19, 20, 21].map((width) => chartStyle(width, {}).width)).toEqual([20, 20, 21]);
  for (const env of [{ LC_ALL: 'C' }, { LANG: 'de_DE.ISO-8859-1' }, { TERM: 'dumb' }]) {
    expect(chartStyle(80, env).ascii).toBe(true);
  }
});

test('factLines wraps facts that do not fit on one line', () => {
  expect(factLines(['a 1', 'b 2'], unicode(8))).toEqual(['a 1  b 2']);
  expect(factLines(['a 1', 'b 2'], unicode(7))).toEqual(['a 1', 'b 2']);
  expect(factLines(['a 1', 'b 2'.repeat(8)], unicode(20))).toHaveLength(2);
});
