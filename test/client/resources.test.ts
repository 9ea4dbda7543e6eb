import { describe, expect, test } from 'vitest';
import type { LedgerFilters, ProviderFilters } from '../../src/client/nouns.ts';
import { LosslessNumber, stringifyJson } from '../../src/core/json.ts';
import { BASE, bench, failure } from './helpers.ts';

/** Answers each GET with `answer(url)`, and records the request. */
function answering(answer: (url: URL) => unknown) {
  const made = bench({
    credentials: {
      headers: async () => ({ authorization: 'Bearer t' }),
      query: () => ({}),
      refresh: async () => false,
    },
  });
  const asked: string[] = [];
  const bearers: boolean[] = [];
  made.agent
    .get(BASE)
    .intercept({ path: /./ })
    .reply(({ path, headers }) => {
      asked.push(path);
      bearers.push(JSON.stringify(headers).includes('Bearer'));
      const data = answer(new URL(path, BASE));
      return { statusCode: 200, data: typeof data === 'string' ? data : JSON.stringify(data) };
    })
    .persist();
  return { ...made, asked, bearers };
}

function ledgers(total: number) {
  return answering(({ searchParams }) => {
    const limit = Number(searchParams.get('limit') ?? 50);
    const offset = Number(searchParams.get('offset') ?? 0);
    const count = Math.max(0, Math.min(limit, total - offset));
    const data = Array.from({ length: count }, (_, n) => ({ id: `led_${offset + n}`, quantity: '1' }));
    return { data, meta: { total, limit, offset } };
  });
}

describe('client.ledgers', () => {
  test('"for await" yields every row, and requests pages of the largest size [GET /v1/ledgers]', async () => {
    const { client, asked } = ledgers(450);
    const ids: string[] = [];
    for await (const { id } of client.ledgers.list()) ids.push(id);
    expect(ids).toEqual(Array.from({ length: 450 }, (_, n) => `led_${n}`));
    expect(asked).toEqual([
      '/v1/ledgers?limit=200',
      '/v1/ledgers?limit=200&offset=200',
      '/v1/ledgers?limit=200&offset=400',
    ]);
  });

  test('page() requests one page of the default size, and returns the total', async () => {
    const { client, asked, bearers } = ledgers(450);
    const page = await client.ledgers.list({ sortOrder: 'asc' }).page();
    expect(page).toMatchObject({ total: 450, limit: 50, offset: 0 });
    expect(page.rows).toHaveLength(50);
    expect(asked).toEqual(['/v1/ledgers?sortOrder=asc']);
    expect(bearers).toEqual([true]);
  });

  test('page() returns the hint from the sandbox as "hint", and an invalid total as "oddTotal"', async () => {
    const { agent, client } = bench();
    const page = async (body: object, headers = {}) => {
      agent.get(BASE).intercept({ path: '/v1/ledgers' }).reply(200, body, { headers });
      return client.ledgers.list().page();
    };
    const hinted = await page({ data: [], totalCount: 0 }, { 'x-cryptodata-sandbox': 'No data.' });
    expect(hinted).toEqual({ rows: [], total: 0, extras: {}, hint: 'No data.' });
    expect(await page({ data: [], total: 1.5 })).toMatchObject({ oddTotal: '1.5' });
  });

  test('rows(n) requests only the necessary pages', async () => {
    const { client, asked } = ledgers(450);
    const listing = client.ledgers.list();
    const taken = async (n: number) => {
      let count = 0;
      for await (const _ of listing.rows(n)) count += 1;
      return count;
    };
    expect([await taken(0), await taken(3), await taken(300), await taken(9999)]).toEqual([0, 3, 300, 450]);
    expect([await taken(1), await taken(200), await taken(201)]).toEqual([1, 200, 201]);
    expect(asked.slice(0, 3)).toEqual([
      '/v1/ledgers?limit=3',
      '/v1/ledgers?limit=200',
      '/v1/ledgers?limit=200&offset=200',
    ]);
  });

  test('pages() starts at the given offset with the given page size', async () => {
    const { client, asked } = ledgers(45);
    for await (const _ of client.ledgers.list({ limit: 20, offset: 10 }).pages());
    expect(asked).toEqual(['/v1/ledgers?limit=20&offset=10', '/v1/ledgers?limit=20&offset=30']);
  });

  test('sends every filter under its own name, and does not change decimals', async () => {
    const { client, asked } = ledgers(0);
    const filters: LedgerFilters = {
      transactionIds: ['t1', 't2'],
      assetIds: ['a'],
      types: ['incoming', 'fee'],
      providers: ['p'],
      hasMissingPrice: true,
      hasMissingAsset: false,
      startTime: 1,
      endTime: 2,
      ltAfterBalance: '-1e-18',
      gtAfterBalance: '1E3',
      sortBy: 'createdAt',
      sortOrder: 'asc',
      limit: 200,
      offset: 0,
      extra: { newFilter: 'a,b' },
    };
    await client.ledgers.list(filters).page();
    expect(asked).toEqual([
      '/v1/ledgers?transactionIds=t1,t2&assetIds=a&types=incoming,fee&providers=p&hasMissingPrice=true&hasMissingAsset=false&startTime=1&endTime=2&ltAfterBalance=-1e-18&gtAfterBalance=1E3&sortBy=createdAt&sortOrder=asc&limit=200&offset=0&newFilter=a%2Cb',
    ]);
  });

  test.each<object>([
    { limit: 0 },
    { limit: 201 },
    { limit: 1.5 },
    { offset: -1 },
    { startTime: Number.NaN },
    { startTime: 1.5 },
    { ltAfterBalance: 'x' },
    { ltAfterBalance: '' },
    { gtAfterBalance: 5 },
    { sortBy: 'name' },
    { sortOrder: 'up' },
    { types: ['incoming', 'stolen'] },
    { types: [] },
    { providers: ['a,b'] },
    { assetIds: [''] },
    { hasMissingPrice: 'yes' },
    { nosuch: 'x' },
    { constructor: 'x' },
    { valueOf: 'x' },
    { extra: { limit: '5' }, limit: 5 },
  ])('rejects the filters %j without sending a request', (filters) => {
    const { client, asked } = ledgers(1);
    expect(() => client.ledgers.list(filters)).toThrow(
      expect.objectContaining({ kind: 'usage', code: 'BAD_FILTER' }),
    );
    expect(asked).toEqual([]);
  });

  test('get() requests one ledger by its id [GET /v1/ledgers/{id}]', async () => {
    const { client, asked } = answering(() => ({ data: { id: 'led/1', price: null } }));
    expect(await client.ledgers.get('led:1')).toEqual({ id: 'led/1', price: null });
    expect(asked).toEqual(['/v1/ledgers/led%3A1']);
    expect(await failure(client.ledgers.get('../users/me'))).toMatchObject({
      kind: 'usage',
      code: 'BAD_PATH',
    });
  });
});

describe('records', () => {
  const text =
    '{"data":{"zz":1,"id":"led_1","value":12345.678901234567890123,"quantity":"0.000000000000000001","price":{"price":0.1000000000000000055511151231257827,"timestamp":1717200000000},"unknown":{"n":12345678901234567890}}}';

  test('records keep every field, the field order and every digit', async () => {
    const { client } = answering(() => text);
    const ledger = await client.ledgers.get('led_1');
    expect(`{"data":${stringifyJson(ledger)}}`).toBe(text);
    expect(ledger.value).toBeInstanceOf(LosslessNumber);
    expect(ledger.timestamp).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['id', {}],
    ['id', { id: 7 }],
    ['quantity', { id: 'x', quantity: 1.5 }],
    ['price', { id: 'x', price: { price: '1' } }],
    ['value', { id: 'x', value: '1' }],
    ['afterBalance', { id: 'x', afterBalance: 0 }],
  ])(
    'get() rejects a record with this invalid field, but getAsServed() returns the record: %s',
    async (field, record) => {
      const { client } = answering(() => ({ data: record }));
      const error = await failure(client.ledgers.get('x'));
      expect(error).toMatchObject({ kind: 'service', code: 'BAD_RECORD' });
      expect((error as Error).message).toContain(field);
      expect(await client.ledgers.getAsServed('x')).toEqual(record);
    },
  );

  test('asServed() returns rows of any type', async () => {
    const odd = [{ id: 1 }, 'row', null, { quantity: 5 }];
    const { client } = answering(() => ({ data: odd, meta: { total: 4, limit: 200, offset: 0 } }));
    const rows: unknown[] = [];
    for await (const row of client.ledgers.list().asServed()) rows.push(row);
    expect(rows).toEqual(odd);
    expect(await failure(client.ledgers.list().page())).toMatchObject({ code: 'BAD_RECORD' });
  });
});

describe('client.providers', () => {
  function providers(total: number) {
    return answering(({ searchParams }) => {
      const limit = Math.min(100, Number(searchParams.get('limit') ?? 50));
      const page = Number(searchParams.get('page') ?? 1);
      const count = Math.max(0, Math.min(limit, total - (page - 1) * limit));
      const rows = Array.from({ length: count }, (_, n) => ({ id: `p${(page - 1) * limit + n}` }));
      const totalPages = Math.ceil(total / limit);
      const pagination = { page, limit, total, totalPages, hasMore: page < totalPages };
      return { success: true, data: { providers: rows, pagination } };
    });
  }

  test('requests every page by page number, without credentials [GET /v1/providers]', async () => {
    const { client, asked, bearers } = providers(230);
    let count = 0;
    for await (const _ of client.providers.list()) count += 1;
    expect(count).toBe(230);
    expect(asked).toEqual([
      '/v1/providers?limit=100',
      '/v1/providers?limit=100&page=2',
      '/v1/providers?limit=100&page=3',
    ]);
    expect(bearers).toEqual([false, false, false]);
  });

  test('returns every row if the service reduces the page size', async () => {
    const { client } = providers(230);
    let count = 0;
    for await (const _ of client.providers.list({ limit: 500 })) count += 1;
    expect(count).toBe(230);
  });

  test('sends every filter under its own name', async () => {
    const { client, asked } = providers(1);
    const filters: ProviderFilters = {
      type: 'exchange',
      featured: true,
      isWorking: false,
      search: 'a b&c',
      page: 2,
      limit: 9,
    };
    await client.providers.list(filters).page();
    expect(asked).toEqual([
      '/v1/providers?type=exchange&featured=true&isWorking=false&search=a%20b%26c&page=2&limit=9',
    ]);
    expect(() => client.providers.list({ page: 0 })).toThrow(expect.objectContaining({ code: 'BAD_FILTER' }));
  });

  test('returns a complete record unchanged [GET /v1/providers/{id}]', async () => {
    const provider = {
      id: 'kraken',
      slug: 'kraken',
      name: 'KRAKEN',
      publicName: 'Kraken',
      description: null,
      type: 'exchange',
      logo: null,
      featured: true,
      isWorking: false,
      importMethods: ['api', 'csv', 'something new'],
      credentialFields: {
        apiKey: { required: true, type: 'password', label: 'Key', placeholder: 'k' },
        region: { required: false },
      },
      capabilities: { trades: true },
      walletSupportedChains: [{ id: 'eth', onlyManual: true }],
      functions: [
        {
          name: 'f',
          public_name: 'F',
          is_base: true,
          categories: ['trade'],
          enabled: true,
          operational: false,
        },
      ],
      integrationInfo: null,
      walletLimitations: {},
      metadata: null,
      createdAt: '2025-01-01T00:00:00Z',
      updatedAt: '2025-01-01T00:00:00Z',
    };
    const { client } = answering(() => ({ success: true, data: provider }));
    expect(await client.providers.get('kraken')).toEqual(provider);
  });
});

describe('client.users', () => {
  test('requests the current user with credentials, and returns the record unchanged [GET /v1/users/me]', async () => {
    const { client, asked, bearers } = answering(() => ({ success: true, data: { uid: 'u1', more: [1] } }));
    expect(await client.users.me()).toEqual({ uid: 'u1', more: [1] });
    expect(asked).toEqual(['/v1/users/me']);
    expect(bearers).toEqual([true]);
  });
});

describe('client.list', () => {
  test('a response with a page number makes later requests use page numbers instead of offsets', async () => {
    const { client, asked } = answering(({ searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1);
      return { data: [{ id: page }], page, totalPages: 2 };
    });
    const request = {
      api: 'current',
      path: ['v1', 'things'],
      auth: true,
      query: { offset: '0', q: 'x' },
    } as const;
    for await (const _ of client.list(request));
    expect(asked).toEqual(['/v1/things?offset=0&q=x', '/v1/things?q=x&page=2']);
  });

  test('list() returns the rows and the other fields of a response', async () => {
    const { client } = answering(() => ({ success: true, data: [{ id: 1 }], totalCount: 1, totalValue: 5 }));
    const request = { api: 'current', path: ['v1', 'holdings'], auth: true, query: { limit: '10' } } as const;
    expect(await client.list(request).page()).toEqual({
      rows: [{ id: 1 }],
      total: 1,
      extras: { totalValue: 5 },
    });
  });
});
