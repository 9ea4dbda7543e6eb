// Tests the provider catalogue. The tests filter the whole catalogue themselves, and compare responses with their own lists.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.ts';
import { call, isObject, type Json, list, object, start, text } from './helpers.ts';

const sandbox = await start({ rows: 1 });

async function providers(query: Record<string, string | number> = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  const answer = await call(`${sandbox.url}/v1/providers?${params}`);
  return { ...answer, params };
}

async function page(query: Record<string, string | number> = {}) {
  const { body } = await providers(query);
  const data = object(body['data']);
  return { rows: list(data['providers']), pagination: object(data['pagination']) };
}

const first = await page({ limit: 100 });
const catalogue = first.rows;
const ids = (rows: readonly Json[]) => rows.map(({ id }) => id);

describe('the provider catalogue', () => {
  it('one page of 100 contains the whole provider catalogue, in the specified envelope [providers.list, providers.envelope, envelopes.providers, service.public-catalogue]', async () => {
    const { body, status } = await providers({ limit: 100 });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'data']);
    expect(body['success']).toBe(true);
    expect(Object.keys(object(body['data']))).toEqual(['providers', 'pagination']);
    const total = sandbox.truth.providers;
    expect(first.pagination).toEqual({ page: 1, limit: 100, total, totalPages: 1, hasMore: false });
    expect(catalogue).toHaveLength(total);
    expect(total).toBeGreaterThan(70);
    expect(new Set(ids(catalogue)).size).toBe(total);
  });

  it('every provider in the catalogue has all specified fields, with the right types', () => {
    const nullable = (value: unknown, type: string) => value === null || typeof value === type;
    for (const entry of catalogue) {
      expect(Object.keys(entry)).toEqual([
        'id',
        'slug',
        'name',
        'publicName',
        'description',
        'type',
        'logo',
        'featured',
        'isWorking',
        'importMethods',
        'credentialFields',
        'capabilities',
        'walletSupportedChains',
        'functions',
        'integrationInfo',
        'walletLimitations',
        'metadata',
        'createdAt',
        'updatedAt',
      ]);
      expect(text(entry['slug'])).toMatch(/^[a-z0-9-]+$/);
      expect(['exchange', 'blockchain', 'wallet', 'service', 'aggregator']).toContain(entry['type']);
      expect(nullable(entry['description'], 'string') && nullable(entry['logo'], 'string')).toBe(true);
      expect([typeof entry['featured'], typeof entry['isWorking']]).toEqual(['boolean', 'boolean']);
      for (const method of Array.isArray(entry['importMethods']) ? entry['importMethods'] : [undefined]) {
        expect(['api', 'csv', 'oauth', 'address', 'wallet_connect', 'manual']).toContain(method);
      }
      for (const field of Object.values(object(entry['credentialFields'])).map(object)) {
        expect(['string', 'password', 'boolean']).toContain(field['type']);
        expect([typeof field['required'], typeof field['label']]).toEqual(['boolean', 'string']);
      }
      for (const flag of Object.values(object(entry['capabilities']))) expect(typeof flag).toBe('boolean');
      for (const each of entry['functions'] === null ? [] : list(entry['functions'])) {
        expect(Object.keys(each)).toEqual([
          'name',
          'public_name',
          'is_base',
          'categories',
          'enabled',
          'operational',
        ]);
      }
      for (const name of ['createdAt', 'updatedAt']) {
        expect(new Date(text(entry[name])).toISOString()).toBe(entry[name]);
      }
    }
  });

  it('the provider catalogue contains degraded functions, outages and credential keys [provider.function.degraded, provider.function.outage, provider.credential.keys]', () => {
    const functions = (entry: Json) => (entry['functions'] === null ? [] : list(entry['functions']));
    const failing = (base: boolean) => (entry: Json) =>
      functions(entry).some(
        (each) => each['is_base'] === base && each['enabled'] === true && each['operational'] === false,
      );
    const some = (test: (entry: Json) => boolean) => catalogue.filter(test).length;
    expect(some(failing(true))).toBeGreaterThan(3);
    expect(some((entry) => failing(false)(entry) && !failing(true)(entry))).toBeGreaterThan(3);
    expect(some((entry) => entry['functions'] === null)).toBeGreaterThan(1);
    expect(some((entry) => entry['description'] === null && entry['logo'] === null)).toBeGreaterThan(3);
    expect(some((entry) => Array.isArray(entry['walletSupportedChains']))).toBeGreaterThan(5);
    expect(some((entry) => isObject(entry['walletLimitations']))).toBeGreaterThan(3);
    expect(some((entry) => entry['isWorking'] === false)).toBeGreaterThan(5);
    const keys = new Set(catalogue.flatMap((entry) => Object.keys(object(entry['credentialFields']))));
    for (const key of [
      'apiKey',
      'secretKey',
      'address',
      'passphrase',
      'isTestnet',
      'vault-account.id',
      'communityId',
    ]) {
      expect(keys).toContain(key);
    }
  });

  it('the catalogue lists featured providers first and providers that do not work last, each group by name [providers.order]', () => {
    const rank = (entry: Json) =>
      `${entry['featured'] === true ? 0 : 1}${entry['isWorking'] === true ? 0 : 1}${text(entry['publicName']).toLowerCase()}`;
    expect(catalogue.map(rank)).toEqual([...catalogue].map(rank).sort());
    expect(new Set(catalogue.map((entry) => rank(entry).slice(0, 2)))).toEqual(new Set(['00', '10', '11']));
  });

  it('the provider catalogue is the same in every sandbox', async () => {
    const other = await start({ rows: 1, seed: 'other' });
    const answer = await call(`${other.url}/v1/providers?limit=100`);
    expect(answer.raw).toBe((await providers({ limit: 100 })).raw);
  });
});

describe('filters of the provider catalogue', () => {
  it.each(['exchange', 'blockchain', 'wallet', 'service', 'aggregator'])(
    'filters providers by type=%s [providers.type]',
    async (type) => {
      const { rows } = await page({ type, limit: 100 });
      expect(rows.length).toBeGreaterThan(5);
      expect(ids(rows)).toEqual(ids(catalogue.filter((entry) => entry['type'] === type)));
    },
  );

  it.each(['featured', 'isWorking'])('filters providers by %s', async (flag) => {
    for (const wanted of [true, false]) {
      const { rows } = await page({ [flag]: String(wanted), limit: 100 });
      expect(rows.length).toBeGreaterThan(5);
      expect(ids(rows)).toEqual(ids(catalogue.filter((entry) => entry[flag] === wanted)));
    }
  });

  it('search matches part of the name, public name or slug, and ignores case [providers.search]', async () => {
    const words = catalogue.flatMap((entry) => [
      text(entry['name']),
      text(entry['publicName']),
      text(entry['slug']),
    ]);
    const part = fc
      .constantFrom(...words)
      .chain((word) =>
        fc
          .tuple(fc.nat(word.length), fc.nat(word.length))
          .map(([a, b]) => word.slice(Math.min(a, b), Math.max(a, b))),
      );
    const sought = fc.oneof(
      part,
      part.map((word) => word.toUpperCase()),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(sought, async (search) => {
        const needle = search.toLowerCase();
        const expected = catalogue.filter((entry) =>
          ['name', 'publicName', 'slug'].some((field) => text(entry[field]).toLowerCase().includes(needle)),
        );
        expect(ids((await page({ search, limit: 100 })).rows)).toEqual(ids(expected));
      }),
      { numRuns: runs(60) },
    );
    expect((await page({ search: 'binance' })).rows.length).toBeGreaterThan(1);
  });

  it('returns only providers that match every filter', async () => {
    const { rows } = await page({
      type: 'exchange',
      featured: 'false',
      isWorking: 'true',
      search: 'bit',
      limit: 100,
    });
    const expected = catalogue.filter(
      (entry) =>
        entry['type'] === 'exchange' &&
        entry['featured'] === false &&
        entry['isWorking'] === true &&
        text(entry['slug']).includes('bit'),
    );
    expect(expected.length).toBeGreaterThan(2);
    expect(ids(rows)).toEqual(ids(expected));
  });
});

describe('paging of the provider catalogue', () => {
  it('returns 50 providers per page by default [providers.limit.default, providers.page.default]', async () => {
    const { rows, pagination } = await page();
    expect(rows).toHaveLength(50);
    const total = sandbox.truth.providers;
    expect(pagination).toEqual({ page: 1, limit: 50, total, totalPages: 2, hasMore: true });
  });

  it('returns every provider exactly once, for any page size [providers.page]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (limit) => {
        const seen: unknown[] = [];
        for (let number = 1; ; number += 1) {
          const { rows, pagination } = await page({ limit, page: number });
          seen.push(...ids(rows));
          expect(pagination['totalPages']).toBe(Math.ceil(catalogue.length / limit));
          expect(pagination['hasMore']).toBe(seen.length < catalogue.length);
          if (pagination['hasMore'] !== true) break;
        }
        expect(seen).toEqual(ids(catalogue));
      }),
      { numRuns: runs(12) },
    );
  });

  it.each([
    [0, 1],
    [-7, 1],
    [101, 100],
    [999_999_999, 100],
  ])('silently clamps limit=%s to %s [providers.limit, bounds.providers]', async (limit, clamped) => {
    const { rows, pagination } = await page({ limit });
    expect(pagination['limit']).toBe(clamped);
    expect(rows).toHaveLength(Math.min(clamped, catalogue.length));
  });

  it('returns an empty page after the end of the catalogue', async () => {
    const { rows, pagination } = await page({ page: 99 });
    expect(rows).toEqual([]);
    expect(pagination).toMatchObject({ page: 99, total: catalogue.length, hasMore: false });
  });
});

describe('invalid parameters of the provider catalogue', () => {
  it.each([
    ['type', 'foo'],
    ['featured', 'maybe'],
    ['isWorking', '1'],
    ['page', '0'],
    ['page', 'two'],
    ['limit', '1.5'],
    ['limit', ''],
  ])('%s=%s is reported as a validation error [wrapped.VALIDATION_ERROR.issues]', async (name, value) => {
    const { status, body } = await providers({ [name]: value });
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(['success', 'error', 'code', 'details']);
    expect([body['success'], body['code']]).toEqual([false, 'VALIDATION_ERROR']);
    const issues = list(object(body['details'])['issues']);
    expect(issues).toHaveLength(1);
    expect(Object.keys(object(issues[0])).sort()).toEqual([
      'code',
      'expected',
      'message',
      'path',
      'received',
    ]);
    expect(object(issues[0])['path']).toEqual([name]);
  });

  it('reports all invalid parameters in one response', async () => {
    const { body } = await providers({ type: 'foo', featured: 'x', limit: 'y' });
    expect(list(object(body['details'])['issues']).map(({ path }) => path)).toEqual([
      ['type'],
      ['featured'],
      ['limit'],
    ]);
  });

  it('rejects a repeated parameter of the provider catalogue', async () => {
    const answer = await call(`${sandbox.url}/v1/providers?type=wallet&type=exchange`);
    expect(answer.status).toBe(400);
  });
});

describe('a single provider', () => {
  it('returns a single provider by id [providers.get]', async () => {
    for (const entry of [catalogue[0], catalogue.at(-1)]) {
      const answer = await call(`${sandbox.url}/v1/providers/${entry?.['id']}`);
      expect(answer.body).toEqual({ success: true, data: entry });
    }
  });

  it('returns 404 in the wrapped error format for an unknown provider id [providers.get.not-found, wrapped.NOT_FOUND]', async () => {
    for (const id of ['nope', 'KRAKEN', 'binance-us', '%00', 'constructor']) {
      const { status, body } = await call(`${sandbox.url}/v1/providers/${id}`);
      expect([id, status]).toEqual([id, 404]);
      expect(Object.keys(body)).toEqual(['success', 'error', 'code', 'details']);
      expect([body['success'], body['code']]).toEqual([false, 'NOT_FOUND']);
    }
  });

  it('never lists the internal custom wallet as a provider [provider.no-custom-wallet]', () => {
    expect(ids(catalogue).filter((id) => text(id).includes('custom'))).toEqual([]);
  });
});
