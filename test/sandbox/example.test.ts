// Tests the example records of the sandbox. They use the wallets and assets of the ledgers. Their other fields are invented.

import { describe, expect, it } from 'vitest';
import { allLedgers, call, get, list, object, start, text } from './helpers.ts';

const PATHS = [
  '/v1/holdings',
  '/v1/labels',
  '/v1/spam',
  '/v1/assets/search',
  '/v1/nfts',
  '/v1/defi',
  '/v1/calculated-balances',
  '/v1/contacts',
  '/v1/counter-parties',
];
const options = { rows: 400, registeredScopes: ['contacts:read'] };
const example = await start({ ...options, data: 'example' });
const bare = await start(options);
const all = async (path: string) => {
  const records = [];
  for (let offset = 0; ; offset += 200) {
    const { body } = await get(example, path, { limit: 200, offset });
    records.push(...list(body['data']));
    if (body['hasMore'] !== true) return records;
  }
};
const accounts = list((await get(bare, '/v1/integrations', { limit: 200 })).body['data']);

describe('example records', () => {
  it.each(PATHS)('example records from %s are marked as examples', async (path) => {
    const records = await all(path);
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) expect(record['example']).toBe(true);
    for (const { id } of records) {
      if (id !== undefined && path !== '/v1/assets/search') expect(id).toMatch(/^example_/);
    }
    const { headers } = await get(example, path);
    expect(headers.get('x-cryptodata-sandbox')).toBeNull();
  });

  it('example balances equal the last running balances in the ledgers', async () => {
    const last = new Map<string, unknown>();
    for (const leg of await allLedgers(example, { sortOrder: 'asc' })) {
      if (leg['assetId'] === null || leg['afterBalance'] === null) continue;
      last.set(`${leg['walletId']} ${leg['assetId']}`, leg['afterBalance']);
    }
    const balances = new Map(
      (await all('/v1/calculated-balances')).map((record) => [
        `${record['walletId']} ${record['assetId']}`,
        record['balance'],
      ]),
    );
    for (const [pair, balance] of last) expect([pair, balances.get(pair) ?? '0']).toEqual([pair, balance]);
  });

  it('example records contain only wallets and assets that exist in the sandbox', async () => {
    const wallets = new Set(accounts.map(({ walletId }) => walletId));
    const known = new Set((await all('/v1/assets/search')).map(({ id }) => id));
    const positions = (
      await Promise.all(accounts.map(({ walletId }) => all(`/v1/integrations/${text(walletId)}/assets`)))
    ).flat();
    expect(positions.length).toBeGreaterThan(0);
    for (const record of [...positions, ...(await all('/v1/nfts')), ...(await all('/v1/defi'))]) {
      expect(wallets).toContain(record['walletId']);
    }
    const spam = new Set((await all('/v1/spam')).map(({ assetId }) => assetId));
    for (const { assetId } of positions) expect(known.has(assetId) || spam.has(assetId)).toBe(true);
  });

  it('each total in the example data is the sum of the records', async () => {
    const cents = (records: object[], name: string) =>
      records.reduce((sum, record) => sum + Math.round(Number(Reflect.get(record, name)) * 100), 0) / 100;
    const nfts = (await get(example, '/v1/nfts')).body['totalEstimatedValueUsd'];
    expect(nfts).toBe(cents(await all('/v1/nfts'), 'estimatedValueUsd'));
    const totals = object((await get(example, '/v1/defi/totals')).body['data']);
    expect(totals['netValueUsd']).toBe(cents(await all('/v1/defi'), 'netValueUsd'));
    const served = (await get(example, '/v1/holdings')).body;
    expect(served['totalValue']).toEqual((await get(bare, '/v1/holdings')).body['totalValue']);
  });

  it('example records change neither the ledgers nor the fields that the specification defines', async () => {
    const [first = {}] = await all('/v1/holdings');
    const [same = {}] = list((await get(bare, '/v1/holdings')).body['data']);
    expect(first).toMatchObject(same);
    const query = { limit: 50 };
    expect((await get(example, '/v1/ledgers', query)).raw).toBe((await get(bare, '/v1/ledgers', query)).raw);
  });

  it('the control endpoint /_sandbox/data lists example records and exports them as files', async () => {
    const { body } = await call(`${example.url}/_sandbox/data`);
    expect(body['example']).toContain('labels');
    expect((await call(`${bare.url}/_sandbox/data`)).body).not.toHaveProperty('example');
    const file = await call(`${example.url}/_sandbox/data/labels.json`);
    expect(file.raw).toContain('"example":true');
  });
});

it.each(PATHS.slice(1))(
  'without example records, %s returns an empty list and a header with the reason',
  async (path) => {
    const { headers, body } = await get(bare, path);
    expect(body['data']).toEqual([]);
    expect(headers.get('x-cryptodata-sandbox')).toContain('--data example');
  },
);

it('a response with an empty list from the user has no header that explains the empty list', async () => {
  const given = await start({ rows: 1, data: { labels: [] } });
  expect((await get(given, '/v1/labels')).headers.get('x-cryptodata-sandbox')).toBeNull();
});

describe('labels of posted transactions', () => {
  const post = async (options: object, label: string, transactionType = 'deposit') => {
    const sandbox = await start({ rows: 20, ...options });
    const [{ walletId = '' } = {}] = list((await get(sandbox, '/v1/integrations')).body['data']);
    const transaction = { timestamp: Date.UTC(2025, 0, 1), transactionType, transactionId: '0x1', label };
    const { status } = await call(`${sandbox.url}/api/v0/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': sandbox.apiKey },
      body: JSON.stringify({ walletId, transactions: [transaction] }),
    });
    return status;
  };

  it('posted labels are checked against the label records that the user supplied [silent.posted-labels]', async () => {
    const data = { labels: ['Gift', { name: 'Loan', transactionTypes: ['withdrawal'] }] };
    expect(await post({ data }, 'Gift')).toBe(201);
    expect(await post({ data }, 'Loan', 'withdrawal')).toBe(201);
    expect(await post({ data }, 'Loan')).toBe(400);
    expect(await post({ data }, 'Deposit')).toBe(400);
  });

  it('posted labels are checked against the option `labels` instead of the label records from the user [silent.posted-labels]', async () => {
    const options = { labels: ['Airdrop'], data: { labels: ['Gift'] } };
    expect(await post(options, 'Airdrop')).toBe(201);
    expect(await post(options, 'Gift')).toBe(400);
  });
});
