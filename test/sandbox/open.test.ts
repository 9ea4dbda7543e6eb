// Tests lists whose records the specification does not define. The sandbox serves only the user's records, unchanged.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadData } from '../../src/sandbox/index.ts';
import { bearer, call, get, isObject, logIn, start, text } from './helpers.ts';

const LISTS = [
  ['/v1/nfts', 'nfts'],
  ['/v1/defi', 'defi'],
  ['/v1/calculated-balances', 'calculated-balances'],
  ['/v1/labels', 'labels'],
  ['/v1/spam', 'spam'],
  ['/v1/assets/search', 'assets'],
  ['/v1/contacts', 'contacts'],
  ['/v1/counter-parties', 'counter-parties'],
] as const;
const registered = { rows: 1, registeredScopes: ['contacts:read'] };
const bare = await start(registered);

describe('a list without user-supplied records', () => {
  it.each(LISTS)('%s returns an empty list in the specified envelope', async (path) => {
    const { status, body } = await get(bare, path);
    expect(status).toBe(200);
    const totals = path === '/v1/nfts' ? { totalEstimatedValueUsd: 0 } : {};
    const envelope = { success: true, data: [], totalCount: 0, offset: 0, limit: 50, hasMore: false };
    expect(body).toEqual({ ...envelope, ...totals });
    expect((await get(bare, path, { limit: 0 })).body['code']).toBe('VALIDATION_ERROR');
    expect((await call(`${bare.url}${path}`)).status).toBe(401);
  });

  it('returns an empty object for DeFi totals [current.defi-totals, holding.defi-value]', async () => {
    const { status, body } = await get(bare, '/v1/defi/totals');
    expect([status, body]).toEqual([200, { success: true, data: {} }]);
  });
});

describe('user-supplied records', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-data-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
  const LONG = '[{"n":123456789012345678901234567890.5,"e":1E+3,"z":1.0,"big":9007199254740993,"s":"é\\n"}]';

  it('limit and offset select a page of the user-supplied records [silent.list-paging]', async () => {
    const labels = Array.from({ length: 120 }, (_, n) => ({ n }));
    const given = await start({ rows: 1, data: { labels } });
    const page = await get(given, '/v1/labels', { limit: 50, offset: 100 });
    expect(page.body).toMatchObject({
      data: labels.slice(100),
      totalCount: 120,
      offset: 100,
      limit: 50,
      hasMore: false,
    });
    expect((await get(given, '/v1/labels', { limit: 20, offset: 99 })).body['hasMore']).toBe(true);
  });

  it('user-supplied records that are loaded from a directory keep every digit', async () => {
    for (const [, resource] of LISTS) write(`${resource}.json`, LONG);
    write('defi-totals.json', '{"total":0.12345678901234567890123}');
    write('holdings.json', `{"data":${LONG},"totalValue":1234567890123456789.25}`);
    write('notes.txt', 'no JSON');
    const given = await start({ ...registered, data: await loadData(directory) });
    for (const [path] of LISTS) expect((await get(given, path)).raw).toContain(`"data":${LONG}`);
    expect((await get(given, '/v1/defi/totals')).raw).toBe(
      '{"success":true,"data":{"total":0.12345678901234567890123}}',
    );
    const holdings = await get(given, '/v1/holdings');
    expect(holdings.raw).toContain(LONG);
    expect(holdings.raw).toContain('"totalValue":1234567890123456789.25}');
  });

  it('user-supplied records can include totals [current.nfts, holding.nft-value]', async () => {
    const nfts = { data: [{ a: null }, 'text', 7n], totalEstimatedValueUsd: 12.5 };
    const given = await start({ rows: 1, data: { nfts } });
    const { raw, body } = await get(given, '/v1/nfts');
    expect(raw).toContain('"data":[{"a":null},"text",7]');
    expect(body).toMatchObject({ totalCount: 3, totalEstimatedValueUsd: 12.5 });
  });

  it('the asset search finds user-supplied records by contract address [current.assets-search.contractAddress, silent.asset-search]', async () => {
    const assets = [{ contractAddress: '0xAbC', n: 1 }, { contractAddress: '0xdef', n: 2 }, { n: 3 }];
    const given = await start({ rows: 1, data: { assets } });
    const search = async (query: Record<string, string>) =>
      (await get(given, '/v1/assets/search', query)).body['data'];
    expect(await search({ contractAddress: '0xabc' })).toEqual([assets[0]]);
    expect(await search({ contractAddress: '0xab' })).toEqual([]);
    expect(await search({})).toEqual(assets);
  });

  it('rejects user-supplied records of an unknown resource, and records that are not a list', async () => {
    await expect(start({ data: { labels: { no: 'list' } } })).rejects.toThrow(RangeError);
    const unknown: Record<string, unknown[]> = { portfolio: [] };
    await expect(start({ data: unknown })).rejects.toThrow(/Unknown resource data\.portfolio/);
    const other = mkdtempSync(join(directory, 'other-'));
    writeFileSync(join(other, 'labels.json'), '[1,');
    await expect(loadData(other)).rejects.toThrow(/labels\.json.*invalid JSON/);
    writeFileSync(join(other, 'labels.json'), '"text"');
    await expect(loadData(other)).rejects.toThrow(RangeError);
    writeFileSync(join(other, 'labels.json'), '[]');
    writeFileSync(join(other, 'portfolio.json'), '[]');
    await expect(loadData(other)).rejects.toThrow(/unknown resource/);
  });
});

describe('contacts and counter-parties', () => {
  const paths = ['/v1/contacts', '/v1/counter-parties'];

  it('contacts and counter-parties require a client that is registered for contacts:read [scope.contacts, access.contacts]', async () => {
    const plain = await start({ rows: 1 });
    for (const path of paths) {
      const { status, body } = await get(plain, path);
      expect([path, status, body['error']]).toEqual([path, 403, 'insufficient_scope']);
      expect(body['error_description']).toContain('contacts:read');
    }
  });

  it('contacts and counter-parties require a token with the scope contacts:read [scope.registered]', async () => {
    const tokens = await logIn(bare, { scopes: ['portfolios:read'] });
    for (const path of paths) {
      const answer = await call(`${bare.url}${path}`, bearer(text(tokens['access_token'])));
      expect(answer.status).toBe(403);
    }
    const wide = await logIn(bare, {}, { scope: 'openid contacts:read' });
    expect(wide['scope']).toBe('openid contacts:read');
    for (const path of paths) {
      expect((await call(`${bare.url}${path}`, bearer(text(wide['access_token'])))).status).toBe(200);
    }
  });

  it('no endpoint returns a single contact or counter-party [current.counter-parties, rename.counterparty]', async () => {
    for (const path of paths) expect((await get(bare, `${path}/1`)).status).toBe(404);
    await expect(start({ registeredScopes: ['contacts:all'] })).rejects.toThrow(RangeError);
  });
});

it('responds 404 to a request for a removed path', async () => {
  for (const path of [
    '/v1/profiling',
    '/v1/holdings/graph',
    '/v1/defi-holdings',
    '/v1/nft-holdings',
    '/v1/userinfo',
    '/v1/transactions/label-types',
    '/v1/integrations/providers',
    '/v1/counterparties',
    '/v1/counterparties/1',
    '/v1/assets/lookup',
    '/v0/wallets',
    '/v0/transactions',
    '/v0/nft-holdings',
    '/v1/portfolios',
  ]) {
    const { status, body } = await get(bare, path);
    const code = isObject(body['error']) ? body['error']['code'] : body['code'];
    expect([path, status, code]).toEqual([path, 404, 'NOT_FOUND']);
  }
});
