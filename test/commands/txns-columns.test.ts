import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { legsText, transactionColumns } from '../../src/commands/txns/columns.ts';
import type { JsonRecord } from '../../src/core/json.ts';

const leg = (quantity: unknown, more: JsonRecord = { asset: { symbol: 'ETH' } }) => ({ quantity, ...more });

describe('the legs of a transaction in a table', () => {
  test.for([
    [leg('1.500000000000000000'), '+1.500000000000000000 ETH', '-1.500000000000000000 ETH'],
    [[leg('1'), leg('2')], '+1 ETH, +2 ETH', '-1 ETH, -2 ETH'],
    [leg('-20'), '-20 ETH', '-20 ETH'],
    [leg('1e-18'), '+1e-18 ETH', '-1e-18 ETH'],
    [leg(null), '+? ETH', '-? ETH'],
    [leg('1', {}), '+1 (unknown asset)', '-1 (unknown asset)'],
    [leg('1', { asset: null, assetRaw: { symbol: 'RAW' } }), '+1 RAW', '-1 RAW'],
    [leg('1', { asset: {}, assetId: 'ast_1' }), '+1 ast_1', '-1 ast_1'],
    [
      [1, 2, 3, 4, 5].map((n) => leg(String(n))),
      '+1 ETH, +2 ETH, +3 ETH, and 2 more',
      '-1 ETH, -2 ETH, -3 ETH, and 2 more',
    ],
    [null, '', ''],
    [[], '', ''],
    ['text', '', ''],
  ] as const)(
    'legsText formats incoming legs with + and outgoing legs with -: %j',
    ([value, incoming, outgoing]) => {
      expect(legsText(value, '+')).toBe(incoming);
      expect(legsText(value, '-')).toBe(outgoing);
    },
  );

  test('legsText returns undefined for a missing value', () => {
    expect(legsText(undefined, '+')).toBeUndefined();
  });

  test('legsText keeps every digit of a quantity, for a single leg or a list of legs', () => {
    const quantity = fc.stringMatching(/^\d{1,40}(\.\d{1,40})?$/);
    fc.assert(
      fc.property(quantity, (text) => {
        expect(legsText(leg(text), '-')).toBe(`-${text} ETH`);
        expect(legsText([leg(text)], '')).toBe(`${text} ETH`);
      }),
    );
  });

  test('formatting any record as a transaction never causes an error', () => {
    const name = fc.constantFrom(
      'id',
      'incomingAssets',
      'outgoingAssets',
      'fee',
      'timestamp',
      'asset',
      'quantity',
    );
    const records = fc.array(fc.dictionary(name, fc.jsonValue()));
    fc.assert(
      fc.property(records, (rows) => {
        const given = rows as JsonRecord[];
        const { table } = transactionColumns('signed')(given);
        for (const column of table) for (const row of given) column.derive?.(row, { timeZone: 'UTC' });
      }),
    );
  });

  test('a transaction without a time is shown with the time of one of its legs', () => {
    const [time] = transactionColumns('signed')([]).table;
    const view = { timeZone: 'UTC' };
    expect(time?.derive?.({ timestamp: 5, fee: { timestamp: 7 } }, view)).toBe(5);
    expect(time?.derive?.({ incomingAssets: [{}, { timestamp: 6 }], fee: { timestamp: 7 } }, view)).toBe(6);
    expect(time?.derive?.({ fee: { timestamp: 7 } }, view)).toBe(7);
    expect(time?.derive?.({}, view)).toBeUndefined();
  });
});
