import { describe, expect, test } from 'vitest';
import { legsOf } from '../../src/api/transactions.ts';
import type { ServiceClient } from '../../src/client/client.ts';
import type { Listing } from '../../src/client/listing.ts';
import { LosslessNumber, stringifyJson } from '../../src/core/json.ts';
import { BASE, bench, failure } from './helpers.ts';

/** Answers every request with `text`, and records the requests. */
function answering(text: string, status = 200) {
  const { agent, client } = bench({
    credentials: {
      headers: async () => ({ authorization: 'Bearer t' }),
      query: () => ({}),
      refresh: async () => false,
    },
  });
  const asked: string[] = [];
  for (const method of ['GET', 'POST']) {
    agent
      .get(BASE)
      .intercept({ path: /./, method })
      .reply(({ path, body, headers }) => {
        const bearer = JSON.stringify(headers).includes('Bearer t') ? '' : ' without credentials';
        asked.push(`${method} ${path}${body ? ` ${String(body)}` : ''}${bearer}`);
        return { statusCode: status, data: text };
      })
      .persist();
  }
  return { client, asked };
}

type List = (
  client: ServiceClient,
  filters?: { readonly limit?: number; readonly extra?: Record<string, string> },
) => Listing<unknown>;

const LISTS: readonly (readonly [endpoint: string, list: List])[] = [
  ['[GET /v1/holdings]', (client, filters) => client.holdings.list(filters)],
  ['[GET /v1/nfts]', (client, filters) => client.holdings.nfts(filters)],
  ['[GET /v1/defi]', (client, filters) => client.holdings.defi(filters)],
  ['[GET /v1/calculated-balances]', (client, filters) => client.holdings.balances(filters)],
  ['[GET /v1/transactions]', (client, filters) => client.transactions.list(filters)],
  ['[GET /v1/labels]', (client, filters) => client.labels.list(filters)],
  ['[GET /v1/assets/search]', (client, filters) => client.assets.search(filters)],
  ['[GET /v1/spam]', (client, filters) => client.spam.list(filters)],
  ['[GET /v1/contacts]', (client, filters) => client.contacts.list(filters)],
  ['[GET /v1/counter-parties]', (client, filters) => client.counterParties.list(filters)],
];

describe.each(LISTS)('%s', (endpoint, list) => {
  const path = endpoint.slice('[GET '.length, -1);
  const record = '{"id":"a","n":123456789012345678901234567890,"unknown":{"deep":[null]}}';
  const answer = `{"success":true,"data":[${record}],"totalCount":1,"totalValue":5}`;

  test('a list request sends only the parameters that the caller sets', async () => {
    const { client, asked } = answering(answer);
    const page = await list(client).page();
    await list(client, { limit: 3, extra: { portfolio: 'p 1' } }).page();
    expect(asked).toEqual([`GET ${path}`, `GET ${path}?limit=3&portfolio=p%201`]);
    expect(page).toMatchObject({ total: 1, extras: { totalValue: 5 } });
  });

  test('returns records unchanged', async () => {
    const rows: unknown[] = [];
    for await (const row of list(answering(answer).client)) rows.push(row);
    expect(stringifyJson(rows)).toBe(`[${record}]`);
  });

  test('the typed list rejects a row that is not a record, but asServed() returns the row', async () => {
    const listing = list(answering('{"data":["plain"]}').client);
    expect(await failure(listing.page())).toMatchObject({ code: 'BAD_RECORD' });
    expect((await listing.asServed().page()).rows).toEqual(['plain']);
  });

  test.for([{ limit: 0 }, { limit: 1.5 }])(
    'rejects the filters %j without sending a request',
    async (filters) => {
      const { client, asked } = answering(answer);
      expect(() => list(client, filters)).toThrow(/limit must be a whole number/);
      expect(asked).toEqual([]);
    },
  );
});

describe('holdings', () => {
  test('typed holdings keep null values and every digit of long numbers', async () => {
    const text =
      '{"data":[{"assetId":"a","asset":{"tokenId":"t"},"costBasis":0.1234567890123456789,"roiPercentage":null,"isSpam":false}]}';
    const { rows } = await answering(text).client.holdings.list().page();
    expect(rows[0]?.roiPercentage).toBeNull();
    expect(rows[0]?.costBasis).toEqual(new LosslessNumber('0.1234567890123456789'));
    expect(rows[0]?.asset?.['tokenId']).toBe('t');
  });

  test.for(['"costBasis":"1"', '"roiPercentage":false', '"isSpam":0', '"assetId":5', '"asset":[]'])(
    'the error about an invalid holding contains the invalid field: %s',
    async (field) => {
      const listing = answering(`{"data":[{${field}}]}`).client.holdings.list();
      const name = /\w+/.exec(field)?.[0];
      expect(await failure(listing.page())).toMatchObject({
        code: 'BAD_RECORD',
        message: expect.stringContaining(String(name)),
      });
    },
  );

  test('returns the DeFi totals as one record [GET /v1/defi/totals]', async () => {
    const { client, asked } = answering('{"success":true,"data":{"total":5}}');
    expect(await client.holdings.defiTotals({ extra: { a: 'b' } })).toEqual({ total: 5 });
    expect(asked).toEqual(['GET /v1/defi/totals?a=b']);
  });
});

describe('transactions', () => {
  test('sends every declared filter of transactions [GET /v1/transactions]', async () => {
    const { client, asked } = answering('{"data":[],"meta":{"hasMore":false}}');
    await client.transactions
      .list({
        types: ['deposit', 'withdrawal'],
        labels: ['A'],
        notLabels: ['B', 'C'],
        notWalletIds: ['w'],
        isUncategorisedIgnored: false,
        minTotalGains: '1E3',
        isHighPnLReviewed: false,
        isMissingTransaction: true,
        hasMissingPrice: true,
        extra: { walletIds: 'x' },
      })
      .page();
    expect(asked).toEqual([
      'GET /v1/transactions?types=deposit,withdrawal&labels=A&notLabels=B,C&notWalletIds=w&isUncategorisedIgnored=false&minTotalGains=1E3&isHighPnLReviewed=false&isMissingTransaction=true&hasMissingPrice=true&walletIds=x',
    ]);
  });

  test.for([{ minTotalGains: 'much' }, { types: [] }, { labels: ['a,b'] }])(
    'rejects the transaction filters %j',
    (filters) => {
      expect(() => answering('').client.transactions.list(filters)).toThrow(/BAD|must|cannot/);
    },
  );

  test('ledgers() returns the legs of a transaction [GET /v1/transactions/{id}/ledgers]', async () => {
    const { client, asked } = answering('{"data":[{"id":"l","quantity":"1"}],"meta":{"total":1}}');
    const { rows } = await client.transactions.ledgers('t/1'.replace('/', '-')).page();
    expect(rows).toEqual([{ id: 'l', quantity: '1' }]);
    expect(asked).toEqual(['GET /v1/transactions/t-1/ledgers']);
  });

  test('rejects a transaction id that would change the path of the request', async () => {
    const { client, asked } = answering('{}');
    const listing = client.transactions.ledgers('../x');
    expect(await failure(listing.page())).toMatchObject({ code: 'BAD_PATH' });
    expect(asked).toEqual([]);
  });

  test.for([
    ['{"data":{"errorCount":2}}', { errorCount: 2 }],
    ['{"errorCount":2}', { errorCount: 2 }],
    ['{"data":[1]}', { data: [1] }],
    ['[1]', { data: [1] }],
    ['', {}],
  ] as const)('batch() returns the response %s as an object', async ([answer, wanted]) => {
    const { client, asked } = answering(answer);
    expect(await client.transactions.batch([{ n: new LosslessNumber('1.10') }])).toEqual(wanted);
    expect(asked).toEqual(['POST /v1/transactions/batch [{"n":1.10}]']);
  });

  test('sends a batch only once, and does not retry if the outcome is unknown [POST /v1/transactions/batch]', async () => {
    const { client, asked } = answering('{"error":{"code":"INTERNAL_ERROR","message":"no"}}', 502);
    expect(await failure(client.transactions.batch([]))).toMatchObject({ kind: 'service' });
    expect(asked).toHaveLength(1);
  });

  test('throws an error if a response with status 200 reports that the batch was rejected', async () => {
    const { client } = answering('{"success":false,"error":"no","code":"VALIDATION_ERROR"}');
    expect(await failure(client.transactions.batch([]))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('legsOf() accepts one leg, a list of legs or nothing', () => {
    const leg = { id: 'l' };
    expect(
      [leg, [leg, leg], [leg, null, 5], null, undefined, 'x', []].map((value) => legsOf(value).length),
    ).toEqual([1, 2, 1, 0, 0, 0, 0]);
  });
});
