// Tests the legacy API, including its headers, envelopes and errors.

import { describe, expect, it } from 'vitest';
import { type Answer, call, get, isObject, type Json, list, logIn, object, start, text } from './helpers.ts';

let now = Date.UTC(2026, 2, 1);
const apiKeys = [
  { key: 'key_reads' },
  { key: 'key_old', permissions: ['write:transactions'], expiresAt: now + 1000 },
];
const sandbox = await start({ apiKeys, clock: () => now });
const { url, apiKey, clientId, clientSecret, truth, workspaceId } = sandbox;
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
const client = { 'x-client-id': clientId, 'x-client-secret': clientSecret };
const oauth = { authorization: `Bearer ${token}`, ...client };

function ask(path: string, headers: Record<string, string> = oauth): Promise<Answer> {
  return call(`${url}${path}`, { headers });
}

function expectUnauthorized({ status, body }: Answer) {
  expect([status, Object.keys(body), body['error']]).toEqual([
    401,
    ['error', 'error_description'],
    'unauthorized',
  ]);
}

describe('the public list of the legacy API', () => {
  it('lists every provider in the legacy format, and requires no authentication [legacy.public-list.endpoint, legacy.public-list.envelope, legacy.public-list.all]', async () => {
    const { status, body } = await ask('/integrations/public/list', {});
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'data']);
    const rows = list(body['data']);
    expect(rows).toHaveLength(truth.providers);
    const optional = ['communityId', 'integrationInfo', 'walletLimitations'];
    for (const row of rows) {
      expect(Object.keys(row).filter((name) => !optional.includes(name))).toEqual([
        'id',
        'name',
        'publicName',
        'logo',
        'type',
        'isAPI',
        'isCSV',
        'isOAuth',
        'isEVM',
        'isWorking',
        'importGuide',
        'functions',
      ]);
      for (const name of ['id', 'name', 'publicName', 'logo', 'type', 'importGuide'])
        expect(typeof row[name]).toBe('string');
      for (const name of ['isAPI', 'isCSV', 'isOAuth', 'isEVM', 'isWorking'])
        expect(typeof row[name]).toBe('boolean');
      for (const entry of list(row['functions'])) expect(Object.keys(entry)).toEqual(['name', 'publicName']);
      const provider = object((await get(sandbox, `/v1/providers/${row['id']}`)).body['data']);
      expect([row['name'], row['publicName'], row['isWorking']]).toEqual([
        provider['name'],
        provider['publicName'],
        provider['isWorking'],
      ]);
      const methods = Object.values(object({ ...Object(provider['importMethods']) }));
      expect([row['isAPI'], row['isCSV'], row['isOAuth']]).toEqual([
        methods.includes('api') || methods.includes('address'),
        methods.includes('csv'),
        methods.includes('oauth'),
      ]);
    }
    expect(new Set(rows.map(({ type }) => type))).toEqual(
      new Set(['exchange', 'blockchain', 'wallet', 'services', 'aggregator']),
    );
    expect(rows.filter(({ isEVM }) => isEVM === true).map(({ id }) => id)).toContain('polygon');
    expect(rows.find(({ id }) => id === 'bitcoin')?.['isEVM']).toBe(false);
    expect(rows.some(({ communityId }) => typeof communityId === 'number')).toBe(true);
    expect(rows.some(({ walletLimitations }) => walletLimitations === null)).toBe(true);
  });
});

describe('connected wallets of the legacy API', () => {
  it('the legacy API returns connected wallets to any valid API key [legacy.integrations.endpoint, legacy.integrations.envelope, legacy.integrations.walletId, legacy.integrations.name, legacy.integrations.type, legacy.integrations.address, headers.api-key, not-shown.permission-names]', async () => {
    const current = list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data']);
    for (const key of [apiKey, 'key_reads']) {
      const { status, body } = await ask('/api/v1/integrations', { 'x-api-key': key });
      expect([status, Object.keys(body)]).toEqual([200, ['success', 'data']]);
      const rows = list(body['data']);
      for (const row of rows) expect(Object.keys(row)).toEqual(['walletId', 'name', 'type', 'address']);
      expect(rows.map(({ walletId, address }) => [walletId, address])).toEqual(
        current.map(({ walletId, publicAddress }) => [walletId, publicAddress]),
      );
    }
  });

  it('the endpoint for connected wallets requires an API key, and rejects a request that contains OAuth credentials', async () => {
    const path = '/api/v1/integrations';
    for (const headers of [{}, { 'x-api-key': 'key_other' }, oauth, { ...oauth, 'x-api-key': apiKey }]) {
      expectUnauthorized(await ask(path, headers));
    }
    const key = { 'x-api-key': apiKey };
    expect((await ask(`${path}?wid=${workspaceId}`, key)).status).toBe(200);
    const foreign = await ask(`${path}?wid=${truth.foreignWorkspaceId}`, key);
    expect([foreign.status, foreign.body['error']]).toEqual([403, 'forbidden']);
  });

  it('rejects an expired API key [api-key.expiry]', async () => {
    expect((await ask('/api/v1/integrations', { 'x-api-key': 'key_old' })).status).toBe(200);
    now += 1000;
    expectUnauthorized(await ask('/api/v1/integrations', { 'x-api-key': 'key_old' }));
    const path = `/v1/ledgers?wid=${workspaceId}`;
    expectUnauthorized(await ask(path, { 'x-api-key': 'key_old' }));
    expect((await ask(path, { 'x-api-key': 'key_reads' })).status).toBe(200);
  });
});

describe('legacy endpoints with OAuth', () => {
  const paths = ['/api/v1/nft-holdings', '/v0/defi-holdings', '/api/v1/holdings', '/api/v1/userinfo'];

  it.each(paths)('%s requires both the token and the client credentials [headers.legacy]', async (path) => {
    expect((await ask(path)).status).toBe(200);
    const { authorization } = oauth;
    for (const headers of [
      {},
      client,
      { authorization },
      { authorization, 'x-client-id': clientId },
      { authorization, 'x-client-secret': clientSecret },
      { ...oauth, 'x-client-secret': `${clientSecret}x` },
      { ...oauth, authorization: `${authorization}x` },
      { ...oauth, 'x-api-key': apiKey },
      { 'x-api-key': apiKey },
    ]) {
      expectUnauthorized(await ask(path, headers));
    }
    expect((await ask(`${path}?wid=${workspaceId}`)).body['error']).toBe('forbidden');
  });

  it('NFT holdings require the scope portfolios:read [access.legacy-nfts, not-shown.other-scopes]', async () => {
    const tokens = await logIn(sandbox, { scopes: ['transactions:read'] });
    const headers = { ...client, authorization: `Bearer ${text(tokens['access_token'])}` };
    const refused = await ask('/api/v1/nft-holdings', headers);
    expect([refused.status, refused.body['error']]).toEqual([403, 'insufficient_scope']);
    expect(refused.body['error_description']).toContain('portfolios:read');
    expect((await ask('/v0/defi-holdings', headers)).status).toBe(200);
  });

  it('legacy userinfo returns the same user as the current API [legacy.userinfo, silent.legacy-holdings]', async () => {
    expect((await ask('/api/v1/userinfo')).body).toEqual({ user_id: truth.uid, timestamp: now });
  });
});

function expectInvalid({ status, body }: Answer, path: readonly (string | number)[]) {
  expect([path, status]).toEqual([path, 400]);
  expect(Object.keys(body)).toEqual(['error', 'message', 'details']);
  expect(body['error']).toBe('invalid_parameters');
  expect(list(body['details']).map((detail) => detail['path'])).toEqual([path]);
}

describe('legacy holdings', () => {
  it('legacy holdings use the legacy field names, and `roi` is 0 instead of null [legacy.holdings, rename.costbasis, rename.roi, rename.24hrChange, silent.legacy-holdings]', async () => {
    const old = await ask('/api/v1/holdings?limit=1000');
    expect(Object.keys(old.body)).toEqual(['holdings', 'pagination', 'user_id', 'timestamp']);
    expect([old.body['user_id'], old.body['timestamp']]).toEqual([truth.uid, now]);
    const current = list((await get(sandbox, '/v1/holdings', { limit: 200 })).body['data']);
    expect(list(old.body['holdings'])).toEqual(
      current.map(({ asset, costBasis, roiPercentage, change24hPercentage }) => ({
        asset,
        costbasis: costBasis,
        roi: roiPercentage ?? 0,
        '24hrChange': change24hPercentage,
      })),
    );
    expect(current.some(({ roiPercentage }) => roiPercentage === null)).toBe(true);
    const page = await ask('/api/v1/holdings?limit=10&offset=40');
    expect(list(page.body['holdings'])).toEqual(list(old.body['holdings']).slice(40, 50));
    expect(object(page.body['pagination'])['totalCount']).toBe(truth.holdings);
    expectInvalid(await ask('/api/v1/holdings?limit=0'), ['limit']);
  });
});

describe('NFT holdings', () => {
  const nfts = async (query = '') => (await ask(`/api/v1/nft-holdings?${query}`)).body;
  const of = async (query: string) => list((await nfts(`limit=1000&${query}`))['holdings']);

  it('NFT holdings contain the specified fields', async () => {
    const rows = await of('');
    expect(rows).toHaveLength(truth.nftHoldings);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual([
        'id',
        'contractAddress',
        'tokenId',
        'name',
        'description',
        'contentType',
        'nftUrl',
        'thumbnailUrl',
        'source',
        'ercType',
        'amount',
        'price',
        'isNftSpam',
        'collection',
        'lastSale',
      ]);
      expect(Object.keys(object(row['source']))).toEqual(['provider', 'walletId', 'publicAddress']);
      expect(Object.keys(object(row['price']))).toEqual(['price', 'baseCurrency']);
      expect(Object.keys(object(row['collection']))).toEqual([
        'collectionId',
        'name',
        'description',
        'imageUrl',
        'floorPrice',
        'ownerCount',
        'totalQuantity',
        'socialLinks',
      ]);
      const sale = object(row['lastSale']);
      expect(Object.keys(sale)).toEqual([
        'fromAddress',
        'toAddress',
        'quantity',
        'timestamp',
        'transactionHash',
        'marketplaceName',
        'totalPrice',
      ]);
      expect(new Date(text(sale['timestamp'])).toISOString()).toBe(sale['timestamp']);
      if (row['ercType'] === 'ERC-721') expect(row['amount']).toBe(1);
      else expect(row['ercType']).toBe('ERC-1155');
    }
    expect(rows.some(({ tokenId }) => text(tokenId).length > 60)).toBe(true);
  });

  it('NFT holdings are returned in pages, in the legacy envelope [legacy.nfts.endpoint, legacy.nfts.envelope, legacy.nfts.limit.default, legacy.nfts.offset.default, legacy.nfts.offset, legacy.nfts.hasPreviousPage]', async () => {
    const total = truth.nftHoldings;
    const first = await nfts();
    expect(Object.keys(first)).toEqual(['holdings', 'pagination', 'user_id']);
    expect(first['user_id']).toBe(truth.uid);
    expect(first['pagination']).toEqual({
      limit: 100,
      offset: 0,
      returned_count: 100,
      totalCount: total,
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const second = await nfts('offset=100');
    expect(second['pagination']).toEqual({
      limit: 100,
      offset: 100,
      returned_count: total - 100,
      totalCount: total,
      hasNextPage: false,
      hasPreviousPage: true,
    });
    expect([...list(first['holdings']), ...list(second['holdings'])]).toEqual(await of(''));
  });

  it('NFT holdings can be filtered by source, collection, contract, token id and chain [legacy.nfts.source, legacy.nfts.collection, legacy.nfts.chain, legacy.nfts.tokenId, legacy.nfts.contract, silent.legacy-filters]', async () => {
    const rows = await of('');
    const [row = {}] = rows;
    const source = object(row['source']);
    const collection = (one: Json) => object(one['collection'])['collectionId'];
    const walletOf = (one: Json) => object(one['source'])['walletId'];
    for (const name of [source['walletId'], source['provider'], source['publicAddress']]) {
      expect(await of(`source=${name}`)).toEqual(rows.filter((one) => walletOf(one) === source['walletId']));
    }
    const wallets = [...new Set(rows.map(walletOf))].slice(0, 2);
    expect(wallets).toHaveLength(2);
    expect(await of(`source=${wallets.join(',')}`)).toEqual(
      rows.filter((one) => wallets.includes(walletOf(one))),
    );
    const others = [...new Set(rows.map(collection))].slice(0, 2);
    expect(await of(`collection=${others.join(',')}`)).toEqual(
      rows.filter((one) => others.includes(collection(one))),
    );
    const { contractAddress, tokenId } = row;
    const sameContract = rows.filter((one) => one['contractAddress'] === contractAddress);
    expect(await of(`contract=${contractAddress}`)).toEqual(sameContract);
    expect(sameContract.length).toBeLessThan(rows.length);
    expect(await of(`contract=${contractAddress}&tokenId=${tokenId}`)).toContainEqual(row);
    const sameToken = await of(`tokenId=${tokenId}`);
    expect(sameToken).toEqual(rows.filter((one) => one['tokenId'] === tokenId));
    expect(sameToken.length).toBeLessThan(rows.length);
    expect(await of('tokenId=none')).toEqual([]);
    const [ethereum, polygon] = [await of('chain=ethereum'), await of('chain=polygon')];
    expect(ethereum.length * polygon.length).toBeGreaterThan(0);
    expect(ethereum.length + polygon.length).toBe(rows.length);
    expect(new Set([...ethereum, ...polygon].map(({ id }) => id)).size).toBe(rows.length);
  });

  it('a request for NFT holdings is rejected if a parameter is out of bounds [legacy.nfts.limit, bounds.legacy-nfts]', async () => {
    const path = '/api/v1/nft-holdings';
    for (const limit of ['0', '1001', 'x', '-1'])
      expectInvalid(await ask(`${path}?limit=${limit}`), ['limit']);
    expectInvalid(await ask(`${path}?offset=-1`), ['offset']);
    expectInvalid(await ask(`${path}?chain=solana`), ['chain']);
    for (const name of ['source', 'collection']) {
      const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(',');
      expect((await ask(`${path}?${name}=${many(30)}`)).status).toBe(200);
      expectInvalid(await ask(`${path}?${name}=${many(31)}`), [name]);
    }
    expect((await ask(`${path}?limit=1000`)).status).toBe(200);
  });
});

describe('DeFi holdings', () => {
  const defi = async (query = '') => (await ask(`/v0/defi-holdings?${query}`)).body;
  const value = (row: Json) => Number(object(row['stats'])['net_usd_value']);

  it('DeFi holdings are returned in the legacy envelope, highest value first [legacy.defi.endpoint, legacy.defi.envelope, legacy.defi.sortByHighestValue.default, defi.snake-case, format.case]', async () => {
    const body = await defi();
    expect(Object.keys(body)).toEqual([
      'holdings',
      'user_id',
      'base_currency',
      'total_defi_value',
      'total_count',
      'sorted_by_highest_value',
    ]);
    const rows = list(body['holdings']);
    expect(rows).toHaveLength(truth.defiHoldings);
    expect(body).toMatchObject({
      user_id: truth.uid,
      total_defi_value: truth.defiValue,
      total_count: truth.defiHoldings,
      sorted_by_highest_value: true,
    });
    const cents = rows.reduce((sum, row) => sum + Math.round(value(row) * 100), 0);
    expect(cents / 100).toBe(body['total_defi_value']);
    const values = rows.map(value);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    for (const row of rows) {
      const stats = object(row['stats']);
      expect(Object.keys(row)).toEqual(['id', 'name', 'chain', 'type', 'stats', 'portfolio_entry', 'source']);
      expect(Object.keys(stats)).toEqual([
        'net_usd_value',
        'asset_usd_value',
        'debt_usd_value',
        'converted_net_value',
        'converted_currency',
      ]);
      expect(Number(stats['asset_usd_value']) - Number(stats['debt_usd_value'])).toBeCloseTo(value(row), 6);
      expect(Object.keys(object(row['source']))).toEqual(['walletId', 'address']);
      expect(Object.keys(object(row['portfolio_entry']))).toEqual(['supply_token_list']);
    }
  });

  it('a request for DeFi holdings can contain docId, limit and sortByHighestValue [legacy.defi.docId, legacy.defi.limit, legacy.defi.sortByHighestValue, bounds.legacy-defi, silent.legacy-filters]', async () => {
    const rows = list((await defi('sortByHighestValue=false'))['holdings']);
    expect(rows.map(value)).not.toEqual([...rows.map(value)].sort((a, b) => b - a));
    expect((await defi('sortByHighestValue=false'))['sorted_by_highest_value']).toBe(false);
    const three = await defi('limit=3');
    expect(list(three['holdings'])).toHaveLength(3);
    expect([three['total_count'], three['total_defi_value']]).toEqual([truth.defiHoldings, truth.defiValue]);
    const one = await defi(`docId=${rows[4]?.['id']}`);
    expect([one['holdings'], one['total_count'], one['total_defi_value']]).toEqual([
      [rows[4]],
      1,
      value(rows[4] ?? {}),
    ]);
    expect((await defi('docId=none'))['holdings']).toEqual([]);
    for (const limit of ['0', '1001'])
      expectInvalid(await ask(`/v0/defi-holdings?limit=${limit}`), ['limit']);
    expectInvalid(await ask('/v0/defi-holdings?sortByHighestValue=1'), ['sortByHighestValue']);
  });
});

it('generates the same legacy data for the same seed', async () => {
  const [same, other] = [await start({ rows: 1 }), await start({ rows: 1, seed: 'other' })];
  const read = async (from: typeof sandbox) => {
    const headers = {
      authorization: `Bearer ${from.env['CRYPTODATA_ACCESS_TOKEN']}`,
      'x-client-id': from.clientId,
      'x-client-secret': from.clientSecret,
    };
    const { body } = await call(`${from.url}/api/v1/nft-holdings`, { headers });
    return list(body['holdings']).map((row) => (isObject(row) ? row['id'] : undefined));
  };
  expect(await read(same)).toEqual(await read(sandbox));
  expect(await read(other)).not.toEqual(await read(sandbox));
});
