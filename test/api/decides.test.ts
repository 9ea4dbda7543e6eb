// Properties of the functions that decide whether a row passes a filter. A function may return false only if the row fails
// under every reading of the specification.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LISTS } from '../../src/api/index.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';
import { type Row, SAMPLES } from './filter-samples.ts';

const filters = LISTS.flatMap(({ path, filters, record }) =>
  Object.entries(filters).flatMap(([name, { kind, choices, decides }]) => {
    const { value = '', passes = {}, fails = {} } = SAMPLES[path]?.[name] ?? {};
    const parsed = kind === 'list' ? value.split(',') : kind === 'flag' ? value === 'true' : value;
    const decide = (row: Row, wanted: unknown = parsed) => decides?.(row as JsonRecord, wanted);
    const isText = (kind === 'text' || kind === 'list') && choices === undefined;
    return decides ? [{ path, name, kind, isText, value, passes, fails, record, decide }] : [];
  }),
);

const deep = fc.anything({ maxDepth: 3, withNullPrototype: false });

describe.each(filters)(
  'the filter $name of $path',
  ({ name, kind, isText, value, passes, fails, record, decide }) => {
    test('accepts a row with the value of the filter, and rejects a row with a different value', () => {
      expect(decide(passes)).toBe(true);
      expect(decide(fails)).toBe(false);
    });

    test('never throws, and returns undefined for a record without fields', () => {
      const fields = [...Object.keys(record), ...Object.keys(passes), ...Object.keys(fails), name];
      const records = fc.dictionary(fc.constantFrom(...fields), deep);
      fc.assert(
        fc.property(records, (row) => {
          expect([true, false, undefined]).toContain(decide(row));
        }),
        { numRuns: runs(400) },
      );
      expect(decide({})).toBeUndefined();
    });

    test('ignores the fields of the row that the filter does not test', () => {
      const others = fc.dictionary(fc.constantFrom('note', 'createdAt', 'flags'), fc.integer());
      fc.assert(
        fc.property(others, (more) => {
          expect(decide({ ...more, ...passes })).toBe(true);
          expect(decide({ ...more, ...fails })).toBe(false);
        }),
        { numRuns: runs(40) },
      );
    });

    test('does not reject a row if a field that the filter tests is missing', () => {
      // Several fields of a transaction contain legs, so a transaction can lack one of these fields.
      const fields = Object.keys(fails).filter((field) => !/Assets$|^fee$/.test(field));
      for (const field of fields) {
        const { [field]: _, ...rest } = fails;
        expect(decide(rest)).not.toBe(false);
      }
    });

    // Ids from the current API are compared exactly.
    test.runIf(isText && !name.endsWith('Ids'))(
      'does not reject a row because of letter case or surrounding spaces',
      () => {
        for (const other of [value.toUpperCase(), value.toLowerCase(), ` ${value} `])
          expect(decide(passes, kind === 'list' ? [other] : other)).not.toBe(false);
      },
    );
  },
);

function decideOf(path: string, name: string) {
  const found = filters.find((filter) => filter.path === path && filter.name === name);
  if (!found) throw new Error(`no filter ${name}`);
  return found.decide;
}

const word = fc.constantFrom('a', 'b', 'c', null);

describe('a transaction with several legs', () => {
  const legs = fc.array(word, { maxLength: 4 });

  test.each([
    ['notWalletIds', 'walletId'],
    ['notLabels', 'label'],
  ])('%s rejects a transaction only if every leg has an excluded value', (name, field) => {
    const decide = decideOf('/v1/transactions', name);
    fc.assert(
      fc.property(
        legs,
        legs,
        fc.option(word),
        fc.subarray(['a', 'b', 'c']),
        (incoming, outgoing, fee, not) => {
          const leg = (value: unknown) => ({ [field]: value });
          const all = [...incoming, ...outgoing, ...(fee === null ? [] : [fee])];
          const row = {
            incomingAssets: incoming.map(leg),
            outgoingAssets: outgoing.map(leg),
            fee: fee === null ? null : leg(fee),
          };
          const isExcluded = (value: unknown) => not.some((one) => one === value);
          const verdict = decide(row, not);
          expect(verdict === false).toBe(all.length > 0 && all.every(isExcluded));
          if (verdict === true) expect(all.some(isExcluded)).toBe(false);
        },
      ),
      { numRuns: runs(800) },
    );
  });

  test('the filter hasMissingPrice returns undefined if only some legs of a transaction have a price', () => {
    const decide = decideOf('/v1/transactions', 'hasMissingPrice');
    const price = fc.constantFrom(null, { price: 2 }, undefined);
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 4 }), fc.boolean(), (prices, wanted) => {
        const verdict = decide({ incomingAssets: prices.map((price) => ({ price })) }, wanted);
        const agreed = prices.every((one) => one === null) || prices.every((one) => one?.price === 2);
        expect(verdict === undefined).toBe(!agreed);
        if (agreed) expect(verdict).toBe((prices[0] === null) === wanted);
      }),
      { numRuns: runs(400) },
    );
  });
});

test('search rejects a provider only if its names contain none of the searched words', () => {
  const decide = decideOf('/v1/providers', 'search');
  const provider = { name: 'binance-us', publicName: 'Binance US', slug: 'bínance' };
  for (const text of ['binance', 'BINANCE US', 'US  Binance', 'binanceus', 'us coin', 'bin', ' ', '-'])
    expect(decide(provider, text)).toBe(true);
  for (const text of ['kraken', 'coin base']) expect(decide(provider, text)).toBe(false);
  expect(decide({ name: 'binance-us', slug: 'binance-us' }, 'kraken')).toBeUndefined();
});

test('the filters by token id and by contract accept several notations of the same id', () => {
  const tokenId = decideOf('/api/v1/nft-holdings', 'tokenId');
  const contract = decideOf('/api/v1/nft-holdings', 'contract');
  expect(tokenId({ tokenId: '255' }, '0xff')).toBe(true);
  expect(tokenId({ tokenId: '007' }, '7')).toBe(true);
  expect(contract({ contractAddress: '0x00AB' }, '0xab')).toBe(true);
  expect(contract({ contractAddress: 'EQabc' }, 'EQabd')).toBe(false);
});
