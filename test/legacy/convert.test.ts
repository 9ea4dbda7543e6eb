import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExactNumber, stringifyJson } from '../../src/core/json.ts';
import { parseStrict } from '../../src/core/strict-json.ts';
import { camelCase, convert } from '../../src/legacy/convert.ts';
import { KINDS } from '../../src/legacy/kinds.ts';
import { reportLines } from '../../src/legacy/report.ts';
import { runs } from '../runs.ts';

/** Converts JSON text to JSON text, as the command does. */
function converted(text: string, options: Parameters<typeof convert>[1] = {}) {
  const { value, report } = convert(parseStrict(text, 'x'), options);
  return { text: stringifyJson(value), report };
}

function lost(report: ReturnType<typeof convert>['report']): string[] {
  return report.notCarried.map(({ path }) => path);
}

describe('legacy convert with holdings', () => {
  const old = `{"holdings":[{"asset":{"tokenId":"t1"},"costbasis":10.50,"roi":0.10000000000000000000000001,"24hrChange":-1.0}],"pagination":{"limit":100,"offset":0,"returned_count":1,"totalCount":1,"hasNextPage":false,"hasPreviousPage":false},"user_id":"u1","timestamp":1735689600000}`;

  test('legacy convert renames the fields of holdings, keeps every digit, and reports values that it cannot carry over', () => {
    const { text, report } = converted(old);
    expect(text).toBe(
      '{"success":true,"data":[{"asset":{"tokenId":"t1"},"costBasis":10.50,"roiPercentage":0.10000000000000000000000001,"change24hPercentage":-1.0}],"limit":100,"offset":0,"totalCount":1,"hasMore":false}',
    );
    expect(report.kind).toBe('holdings');
    expect(lost(report).sort()).toEqual([
      '/pagination/hasPreviousPage',
      '/pagination/returned_count',
      '/timestamp',
      '/user_id',
    ]);
    expect(report.missing.map(({ path }) => path)).toEqual([
      '/holdings/0/change24h',
      '/holdings/0/assetId',
      '/holdings/0/costPerUnit',
      '/holdings/0/transactionCount',
      '/holdings/0/isSpam',
      '/totalValue',
    ]);
    expect(report.missing[0]?.why).toContain('percentage');
    expect(report.renamed).toContainEqual({ from: '/holdings/*/roi', to: 'roiPercentage', count: 1 });
    expect(report.ambiguous).toEqual([]);
  });

  test('does not report a field as missing if the field is present or optional', () => {
    const missing = (document: string) => converted(document).report.missing.map(({ path }) => path);
    const has = '"assetId":"a","costPerUnit":1,"transactionCount":1,"isSpam":false';
    expect(missing(`{"holdings":[{"roi":1,${has}}],"totalValue":1}`)).toEqual([]);
    expect(missing('{"success":true,"data":[{"roiPercentage":1}]}')).toEqual([]);
    expect(missing('{"holdings":[{"ercType":"ERC721"}]}')).toEqual([]);
  });

  test.each(['0', '0.00', '-0', '0e5', '"0"'])(
    'warns if `roi` is %s, and converts it to null if the option `zeroRoi` is "null"',
    (roi) => {
      const text = `{"holdings":[{"roi":${roi}}]}`;
      const kept = converted(text);
      expect(kept.text).toBe(`{"success":true,"data":[{"roiPercentage":${roi}}]}`);
      expect(kept.report.ambiguous.map(({ path }) => path)).toEqual(['/holdings/0/roi']);
      const asked = converted(text, { zeroRoi: 'null' });
      expect(asked.text).toBe('{"success":true,"data":[{"roiPercentage":null}]}');
      expect(stringifyJson(asked.report.notCarried)).toContain(`"value":${roi}`);
    },
  );

  test.each(['null', '0.001', '""', '"x"'])('does not warn if `roi` is %s', (roi) => {
    const { text, report } = converted(`{"holdings":[{"roi":${roi}}]}`, { zeroRoi: 'null' });
    expect(text).toContain(`"roiPercentage":${roi}`);
    expect([report.ambiguous, report.notCarried]).toEqual([[], []]);
  });

  test('if a record has both a current field and its legacy equivalent, the current field is kept and the legacy field is reported', () => {
    const { text, report } = converted('[{"roi":1,"roiPercentage":2,"costBasis":3,"costbasis":4}]');
    expect(text).toBe('[{"roiPercentage":2,"costBasis":3}]');
    expect(lost(report)).toEqual(['/0/roi', '/0/costbasis']);
  });

  test('omits the field `summary` from the converted response, and reports the omission', () => {
    const { text, report } = converted('{"holdings":[],"summary":{"nftValue":5},"totalValue":7}');
    expect(text).toBe('{"success":true,"data":[],"totalValue":7}');
    expect(lost(report)).toEqual(['/summary']);
  });
});

describe('legacy convert with other kinds of data', () => {
  test('does not rename `costbasis` in a ledger, and reports the field as ambiguous', () => {
    const ledger = '{"id":"l","transactionId":"t","costbasis":"1.0"}';
    expect(converted(ledger).text).toBe(ledger);
    expect(converted(ledger).report.ambiguous).toHaveLength(1);
    expect(converted(ledger, { kind: 'holdings' }).text).toContain('"costBasis":"1.0"');
  });

  test('converts v0 DeFi positions to camelCase, and drops the total value', () => {
    const { text, report } = converted(
      '{"holdings":[{"id":"d","stats":{"net_usd_value":1.10},"portfolio_entry":{"supply_token_list":[{"currency":"a_b","amount":2}]},"source":{"walletId":"w"}}],"user_id":"u","base_currency":"USD","total_defi_value":1.10,"total_count":1,"sorted_by_highest_value":true}',
    );
    expect(text).toBe(
      '{"success":true,"data":[{"id":"d","stats":{"netUsdValue":1.10},"portfolioEntry":{"supplyTokenList":[{"currency":"a_b","amount":2}]},"source":{"walletId":"w"}}],"totalCount":1}',
    );
    expect(report.kind).toBe('defi');
    expect(lost(report).sort()).toEqual([
      '/base_currency',
      '/sorted_by_highest_value',
      '/total_defi_value',
      '/user_id',
    ]);
  });

  test('does not rename the fields of NFTs', () => {
    const nft = '{"id":"n","ercType":"ERC-721","collection":{"floorPrice":[{"price":1.0}]}}';
    const { text, report } = converted(
      `{"holdings":[${nft}],"pagination":{"totalCount":9,"hasNextPage":true}}`,
    );
    expect(text).toBe(`{"success":true,"data":[${nft}],"totalCount":9,"hasMore":true}`);
    expect(report.kind).toBe('nfts');
  });

  test('converts a list of transactions to an object { data, meta }', () => {
    const { text, report } = converted(
      '{"success":true,"transactions":[{"id":"t","sent_currency":{"a":1}}],"pagination":{"limit":1,"totalCount":2,"hasNextPage":true},"user_id":"u"}',
    );
    expect(text).toBe(
      '{"data":[{"id":"t","sentCurrency":{"a":1}}],"meta":{"total":2,"limit":1,"hasMore":true}}',
    );
    expect(lost(report).sort()).toEqual(['/success', '/user_id']);
  });

  test('converts the public list to the provider catalogue, and drops fields that no longer exist', () => {
    const { text, report } = converted(
      '{"success":true,"data":[{"id":"k","publicName":"Kraken","isAPI":true,"isCSV":false,"functions":[{"name":"f","publicName":"F"}]}]}',
    );
    expect(text).toBe(
      '{"success":true,"data":{"providers":[{"id":"k","publicName":"Kraken","functions":[{"name":"f","public_name":"F"}]}]}}',
    );
    expect(lost(report)).toEqual(['/data/0/isAPI', '/data/0/isCSV']);
  });

  test('converts a single record, and drops a timestamp only if it belongs to an envelope', () => {
    expect(converted('{"user_id":"u","timestamp":1,"full_name":"x"}')).toMatchObject({
      text: '{"fullName":"x"}',
      report: { notCarried: [{ path: '/user_id' }, { path: '/timestamp' }] },
    });
    expect(converted('{"success":true,"data":{"a_b":1},"user_id":"u"}').text).toBe(
      '{"success":true,"data":{"aB":1}}',
    );
    expect(converted('{"id":"t","timestamp":1}').text).toBe('{"id":"t","timestamp":1}');
  });

  test('if two fields would get the same name, the current field is kept and the legacy field is reported', () => {
    for (const text of ['{"a_b":1,"aB":2}', '{"aB":2,"a_b":1}']) {
      const { text: result, report } = converted(text);
      expect(result).toBe('{"aB":2}');
      expect(report.notCarried).toMatchObject([{ path: '/a_b', value: { value: '1' } }]);
    }
    const twice = converted('{"holdings":[],"limit":5,"pagination":{"limit":6}}');
    expect(twice.text).toBe('{"success":true,"data":[],"limit":5}');
    expect(lost(twice.report)).toEqual(['/pagination/limit']);
  });

  test.each(['5', '"x"', 'null', '[]', '{}', '[[1],[2]]', '{"a":[]}'])(
    'legacy convert does not change JSON without legacy fields: %s',
    (text) => {
      expect(converted(text)).toMatchObject({ text, report: { notCarried: [], ambiguous: [], missing: [] } });
    },
  );

  test.each([
    '{"success":true,"data":[{"roiPercentage":null,"costBasis":1}],"totalCount":1,"offset":0,"limit":50,"hasMore":false,"totalValue":3}',
    '{"data":[{"id":"t","incomingAssets":[]}],"meta":{"hasMore":false}}',
    '{"success":true,"data":{"providers":[{"id":"k","importMethods":["api"],"functions":[{"name":"f","public_name":"F","is_base":true}]}],"pagination":{"page":1,"limit":50}}}',
  ])('legacy convert does not change a response in the current format: %s', (text) => {
    expect(converted(text).text).toBe(text);
    expect(converted(text).report.notCarried).toEqual([]);
  });
});

describe('legacy convert with any document', () => {
  // Every leaf is unique, so that the test can search for it.
  let next = 0;
  const leaf = fc.constant(null).map(() => {
    next += 1;
    return `leaf-${next}-`;
  });
  const name = fc.oneof(
    fc.constantFrom('costbasis', 'roi', '24hrChange', 'roiPercentage', 'costBasis', 'data', 'holdings'),
    fc.constantFrom(
      'pagination',
      'user_id',
      'timestamp',
      'success',
      'summary',
      'meta',
      'totalCount',
      'total',
    ),
    fc.constantFrom('limit', 'total_count', 'hasNextPage', 'functions', 'publicName', 'public_name', 'isAPI'),
    fc.constantFrom('transactions', 'providers', 'ercType', 'portfolio_entry', 'a_b', 'aB', '__proto__'),
    fc.stringMatching(/^[a-z_]{0,4}$/),
  );
  const document = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('record')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    record: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  })).value;

  test('legacy convert writes every value either to the result or to the report', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, ...KINDS), (given, kind) => {
        const text = JSON.stringify(given);
        const { value, report } = convert(given, { kind });
        const [result, told] = [JSON.stringify(value), JSON.stringify(report.notCarried)];
        for (const [leaf] of text.matchAll(/leaf-\d+-/g)) {
          expect(result.split(leaf).length - 1 === 1, leaf).toBe(!told.includes(leaf));
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  test('legacy convert does not change a document that it has already converted', () => {
    fc.assert(
      fc.property(document, (given) => {
        const once = convert(given);
        const twice = convert(once.value, { kind: once.report.kind });
        if (once.report.notCarried.length > 0) return;
        expect(JSON.stringify(twice.value)).toBe(JSON.stringify(once.value));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('legacy convert preserves the digits of numbers exactly as written', () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(fc.array(number, { minLength: 1 }), (numbers) => {
        const { value } = convert(parseStrict(`{"holdings":[{"x_y":[${numbers.join(',')}]}]}`, 'x'));
        expect(stringifyJson(value)).toBe(`{"success":true,"data":[{"xY":[${numbers.join(',')}]}]}`);
      }),
    );
  });
});

test('camelCase changes only names in snake_case', () => {
  expect(
    ['net_usd_value', 'a1_2b', 'walletId', '_x', 'x_', 'A_b', 'a__b', '24hrChange', ''].map(camelCase),
  ).toEqual(['netUsdValue', 'a12b', 'walletId', '_x', 'x_', 'A_b', 'a__b', '24hrChange', '']);
});

test('legacy convert reports a repeated finding once, with a count', () => {
  const { report } = converted('{"holdings":[{"roi":0,"24hrChange":1},{"roi":0}],"user_id":"u"}');
  expect(reportLines(report)).toEqual([
    'Not carried over: /user_id: no longer in responses: use the grant record, or GET /v1/users/me.',
    expect.stringMatching(/^Ambiguous: \/holdings\/\*\/roi: .* \(2 times\)\.$/),
    expect.stringMatching(/^Unknown: \/holdings\/\*\/change24h: .*unknown\.$/),
    ...['assetId', 'costPerUnit', 'transactionCount', 'isSpam'].map(
      (name) => `Unknown: /holdings/*/${name}: not in the legacy API (2 times).`,
    ),
    'Unknown: /totalValue: the value of all holdings is not in the legacy API.',
  ]);
  expect(isExactNumber(report.ambiguous[0]?.value)).toBe(true);
});

test('legacy convert treats a field named __proto__ like any other field', () => {
  const given = parseStrict('{"__proto__":[],"timestamp":[]}', 'x');
  const once = convert(given);
  expect(once.report.kind).toBe('other');
  expect(convert(once.value).value).toEqual(once.value);
});

describe('legacy convert converts a list of holdings', () => {
  const row = { costbasis: 1, roi: 0.1 };
  const now = { costBasis: 1, roiPercentage: 0.1 };
  test.each([
    [
      'next to another list',
      { holdings: [row], assets: [], user_id: 'u' },
      { success: true, data: [now], assets: [] },
    ],
    [
      'next to a list of another kind',
      { holdings: [row], wallets: [{ id: 1 }] },
      { success: true, data: [now], wallets: [{ id: 1 }] },
    ],
    ['under an unknown name', { result: [row], user_id: 'u' }, { success: true, data: [now] }],
    ['in data as a single record', { data: row }, { success: true, data: now }],
  ])('%s', (_name, before, after) => {
    expect(convert(before).value).toEqual(after);
    expect(convert(before, { kind: 'holdings' }).value).toEqual(after);
  });
});
