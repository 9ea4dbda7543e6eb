import { describe, expect, test } from 'vitest';
import type { Schema } from '../../src/api/records.ts';
import { repeatHint } from '../../src/app/pair-choice.ts';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { durationFlag, sizeFlag } from '../../src/cli/flags.ts';
import { TREE } from '../../src/commands/tree.ts';

const seconds = (given: string, bounds = { min: 1, max: 86_400 }) =>
  durationFlag('--timeout <duration>', 'maximum time', bounds).parse?.(given, undefined);
const bytes = (given: string) =>
  sizeFlag('--max-size <size>', 'largest', { max: 5000 }).parse?.(given, undefined);

describe('a duration', () => {
  test.each([
    ['90', 90],
    ['90s', 90],
    ['10m', 600],
    ['2h', 7200],
    ['1d', 86_400],
  ])('converts the duration %s to %i seconds', (given, expected) => {
    expect(seconds(given)).toBe(expected);
  });

  test.each(['', 'm', '1.5h', '-1', '5x', '10 m', '1h30m', '1M'])(
    'rejects the duration %j and shows an example',
    (given) => {
      expect(() => seconds(given)).toThrow('The value must be a duration');
    },
  );

  test('rejects durations below the minimum or above the maximum of the flag', () => {
    expect(() => seconds('0')).toThrow('The value must be between 1 and 86400 seconds');
    expect(() => seconds('86401')).toThrow('The value must be between 1 and 86400 seconds');
    expect(seconds('0', { min: 0, max: 1 })).toBe(0);
  });
});

describe('an unknown name with a comma', () => {
  const john = { value: 'w1', names: ['Smith, John', 'kraken'] };
  const known = [john, { value: 'asset_btc', names: ['BTC'] }, { value: 'w2', names: ['Smith'] }];

  test.each([
    ['BTC,ETH', '--asset BTC --asset ETH'],
    ['eth, btc', '--asset eth --asset btc'],
    ['Kraken,Savings', '--asset Kraken --asset Savings'],
    ['asset_btc,w1', '--asset asset_btc --asset w1'],
  ])('a name with commas is a list if an item is a known name: %s', (given, repeated) => {
    expect(repeatHint('--asset', given, known)).toBe(`To select several, repeat the flag: ${repeated}`);
  });

  test.each(['Smith, Jon', 'smith, jhon', 'Smith, J', 'A,B', 'BTC', 'BTC,', 'Smith,John'])(
    'a name with commas is one name if it resembles a known name, or contains no known item: %s',
    (given) => {
      expect(repeatHint('--asset', given, known)).toBeUndefined();
    },
  );
});

describe('a size', () => {
  test.each([
    ['1', 1],
    ['5000', 5000],
    ['5k', 5000],
    ['5kB', 5000],
    ['2K', 2000],
  ])('converts the size %s to %i bytes', (given, expected) => {
    expect(bytes(given)).toBe(expected);
  });

  test.each(['', 'k', '1.5k', '-1', '5x', '1 k', '1Ki'])(
    'rejects the size %j and shows an example',
    (given) => {
      expect(() => bytes(given)).toThrow('The value must be a size in bytes');
    },
  );

  test('rejects 0 bytes and values above the maximum of the flag', () => {
    expect(() => bytes('0')).toThrow('The value must be between 1 and 5000 bytes');
    expect(() => bytes('1M')).toThrow('The value must be between 1 and 5000 bytes');
  });
});

describe('flags that take a number', async () => {
  const entries = await entriesOf(TREE);
  const flags = entries.flatMap((entry) =>
    Object.values(entry.verb.flags).map((flag) => ({ ...flag, name: `${wordsOf(entry)} ${flag.written}` })),
  );
  const of = (what: (schema: Schema) => boolean) =>
    flags.flatMap(({ name, schema, parse }) =>
      schema && what(schema) && parse ? [[name, parse] as const] : [],
    );
  const integers = of(({ type }) => type === 'integer');
  const decimals = of(({ description }) => /^a decimal/.test(String(description)));

  test('the tests cover more than 30 flags for integers and more than 5 flags for decimals', () => {
    expect(integers.length).toBeGreaterThan(30);
    expect(decimals.length).toBeGreaterThan(5);
  });

  test.each(integers)('%s accepts only whole numbers within its limits', (_, parse) => {
    for (const given of ['NaN', 'Infinity', '1e2', '0x10', '1.5', '-1', ' 1', ''])
      expect(() => parse(given, undefined)).toThrow();
  });

  test.each(decimals)('%s accepts only decimals', (_, parse) => {
    for (const given of ['NaN', 'Infinity', '-Infinity', '0x10', '1,5', ' 1', ''])
      expect(() => parse(given, undefined)).toThrow('The value must be a decimal');
  });

  test('--dust rejects negative values', () => {
    const dust = decimals.filter(([name]) => name.includes('--dust'));
    expect(dust.length).toBeGreaterThan(2);
    for (const [, parse] of dust) {
      for (const given of ['-5', '-1e-9', '1e999'])
        expect(() => parse(given, undefined)).toThrow('0 or greater');
      for (const given of ['0', '0.01', '1E3']) expect(parse(given, undefined)).toBe(given);
    }
  });
});
