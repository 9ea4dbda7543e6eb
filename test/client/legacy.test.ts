import { describe, expect, test } from 'vitest';
import type { TransactionBatch } from '../../src/api/legacy.ts';
import type { NftFilters } from '../../src/client/nouns.ts';
import { LosslessNumber } from '../../src/core/json.ts';
import { BASE, bench, failure, headersOf, JSON_HEADERS } from './helpers.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Answers each request with `answer(url)`, and records the request. */
function answering(answer: (url: URL) => unknown, status = 200) {
  const asked: Asked[] = [];
  const made = bench({
    addresses: (api) => `${BASE}/${api}`,
    credentials: {
      headers: async (api) => ({ authorization: 'Bearer t', 'x-client-id': api }),
      query: () => ({}),
      refresh: async () => false,
    },
  });
  for (const method of ['GET', 'POST']) {
    made.agent
      .get(BASE)
      .intercept({ path: /./, method })
      .reply(({ path, headers, body }) => {
        asked.push({ method, path, headers: headersOf(headers), body: String(body ?? '') });
        const data = answer(new URL(path, BASE));
        const responseOptions = { headers: JSON_HEADERS.headers };
        return {
          statusCode: status,
          data: typeof data === 'string' ? data : JSON.stringify(data),
          responseOptions,
        };
      })
      .persist();
  }
  return { ...made, asked };
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}

describe('client.legacy', () => {
  test('requests the public list from the public host, without credentials [GET {legacy_public_url}/integrations/public/list]', async () => {
    const { client, asked } = answering(() => ({
      success: true,
      data: [{ id: 'k', isAPI: true, communityId: 7 }],
    }));
    expect((await client.legacy.providers().page()).rows).toEqual([{ id: 'k', isAPI: true, communityId: 7 }]);
    expect(asked.map(({ path }) => path)).toEqual(['/legacyPublic/integrations/public/list']);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test('requests the private legacy lists with credentials [GET {legacy_base_url}/api/v1/integrations, GET {legacy_base_url}/api/v1/holdings, GET {legacy_base_url}/api/v1/userinfo]', async () => {
    const { client, asked } = answering(({ pathname }) =>
      pathname.endsWith('userinfo')
        ? { user_id: 'u', more: 1 }
        : pathname.endsWith('holdings')
          ? { holdings: [{ roi: 0 }], pagination: { totalCount: 1 } }
          : { success: true, data: [{ walletId: 'w', name: 'n', type: 'wallet', address: null }] },
    );
    expect((await client.legacy.integrations().page()).rows).toMatchObject([{ walletId: 'w' }]);
    expect(await all(client.legacy.holdings({ limit: 5, extra: { x: 'y' } }))).toEqual([{ roi: 0 }]);
    expect(await client.legacy.userinfo()).toEqual({ user_id: 'u', more: 1 });
    expect(asked.map(({ path }) => path)).toEqual([
      '/legacy/api/v1/integrations',
      '/legacy/api/v1/holdings?limit=5&x=y',
      '/legacy/api/v1/userinfo',
    ]);
    expect(asked.every(({ headers }) => headers['x-client-id'] === 'legacy')).toBe(true);
  });

  test('sends every NFT filter, and requests pages by offset [GET {legacy_base_url}/api/v1/nft-holdings]', async () => {
    const { client, asked } = answering(({ searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      const holdings = Array.from({ length: Math.min(2, 5 - offset) }, (_, n) => ({ id: `n${offset + n}` }));
      const hasNextPage = offset + holdings.length < 5;
      return {
        holdings,
        pagination: {
          limit: 2,
          offset,
          returned_count: holdings.length,
          totalCount: 5,
          hasNextPage,
          hasPreviousPage: offset > 0,
        },
        user_id: 'u',
      };
    });
    const filters: NftFilters = {
      source: ['a', 'b'],
      collection: ['c'],
      chain: 'polygon',
      tokenId: '1',
      contract: '0x',
      limit: 2,
    };
    expect((await all(client.legacy.nfts(filters))).map(({ id }) => id)).toEqual([
      'n0',
      'n1',
      'n2',
      'n3',
      'n4',
    ]);
    const query = 'source=a,b&collection=c&chain=polygon&tokenId=1&contract=0x&limit=2';
    expect(asked.map(({ path }) => path)).toEqual([
      `/legacy/api/v1/nft-holdings?${query}`,
      `/legacy/api/v1/nft-holdings?${query}&offset=2`,
      `/legacy/api/v1/nft-holdings?${query}&offset=4`,
    ]);
  });

  test('returns one page of DeFi holdings with the totals [GET {legacy_base_url}/v0/defi-holdings]', async () => {
    const { client, asked } = answering(() => ({
      holdings: [{ id: 'd', stats: { net_usd_value: 1 } }],
      total_defi_value: 1,
      base_currency: 'USD',
      total_count: 9,
    }));
    const page = await client.legacy.defi({ docId: 'd', limit: 1000, sortByHighestValue: false }).page();
    expect(page).toMatchObject({ total: 9, extras: { total_defi_value: 1, base_currency: 'USD' } });
    expect(asked.map(({ path }) => path)).toEqual([
      '/legacy/v0/defi-holdings?docId=d&limit=1000&sortByHighestValue=false',
    ]);
  });

  test.each<object>([
    { source: Array.from({ length: 31 }, (_, n) => `s${n}`) },
    { collection: Array.from({ length: 31 }, (_, n) => `s${n}`) },
    { chain: 'bitcoin' },
    { limit: 0 },
    { limit: 1001 },
    { offset: -1 },
    { source: [] },
  ])('rejects the filters %j without sending a request', (filters) => {
    const { client, asked } = answering(() => ({}));
    expect(() => client.legacy.nfts(filters)).toThrow(expect.objectContaining({ code: 'BAD_FILTER' }));
    expect(asked).toEqual([]);
  });

  test('accepts 30 values for a list filter', () => {
    const { client } = answering(() => ({}));
    const thirty = Array.from({ length: 30 }, (_, n) => `s${n}`);
    expect(() => client.legacy.nfts({ source: thirty, collection: thirty })).not.toThrow();
  });

  test('the typed list rejects an invalid record, but asServed() returns the record', async () => {
    const { client } = answering(() => ({ holdings: [{ id: 5 }] }));
    expect(await failure(client.legacy.nfts().page())).toMatchObject({ code: 'BAD_RECORD' });
    expect((await client.legacy.nfts().asServed().page()).rows).toEqual([{ id: 5 }]);
  });
});

describe('posting transactions', () => {
  const batch: TransactionBatch = {
    walletId: 'w',
    transactions: [
      {
        timestamp: 1735689600000,
        transactionType: 'deposit',
        transactionId: 't',
        receivedCurrency: { currency: 'X', amount: new LosslessNumber('0.1000000000000000000000000000001') },
      },
    ],
  };

  test('sends a batch only once and with every digit, and returns the response [POST {legacy_base_url}/api/v0/transactions]', async () => {
    const { client, asked } = answering(
      () => ({ message: 'm', data: [{ transactionId: 't' }], count: 1 }),
      201,
    );
    expect(await client.legacy.postTransactions(batch)).toEqual({
      message: 'm',
      data: [{ transactionId: 't' }],
      count: 1,
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/legacy/api/v0/transactions' });
    expect(asked[0]?.body).toContain('"amount":0.1000000000000000000000000000001}');
    expect(asked[0]?.headers['content-type']).toBe('application/json');
  });

  test.each([500, 502, 503, 429])('transactions are not posted again after status %i', async (status) => {
    const { client, asked } = answering(() => ({ error: 'server_error' }), status);
    expect(await failure(client.legacy.postTransactions(batch))).toMatchObject({ status });
    expect(asked).toHaveLength(1);
  });

  test('a validation error contains the original response and the path of each problem', async () => {
    const body = {
      error: 'invalid_parameters',
      message: 'm',
      details: [{ path: ['transactions', 0, 'fee'], message: 'bad' }],
    };
    const { client } = answering(() => body, 400);
    expect(await failure(client.legacy.postTransactions(batch))).toMatchObject({
      kind: 'rejected',
      code: 'invalid_parameters',
      details: body.details,
      body,
    });
  });
});
