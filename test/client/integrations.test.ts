import { File } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { readAliasExists } from '../../src/api/integrations.ts';
import { parseJson } from '../../src/core/json.ts';
import { BASE, bench, failure, headersOf } from './helpers.ts';
import { http, wired } from './servers.ts';

/** Answers every request with the same body, and records the requests. */
function answering(body: unknown, status = 200) {
  const made = bench();
  const sent: { method: string; path: string; body: unknown; type: string | undefined }[] = [];
  for (const method of ['GET', 'POST']) {
    made.agent
      .get(BASE)
      .intercept({ path: /./, method })
      .reply(({ path, body: given, headers }) => {
        const type = headersOf(headers)['content-type'];
        sent.push({ method, path, body: typeof given === 'string' ? parseJson(given) : given, type });
        return { statusCode: status, data: typeof body === 'string' ? body : JSON.stringify(body) };
      })
      .persist();
  }
  return { ...made, sent };
}

describe('client.integrations', () => {
  const record = {
    providerId: 'kraken',
    isCustomWallet: false,
    provider: 'kraken',
    providerPublicName: 'Kraken',
    publicAddress: '',
    walletId: 'wal_1',
    logoUrl: '',
    isContract: false,
    alias: '',
    status: 'FAILED',
    errorMessage: 'why',
    addedOn: 0,
    lastSyncedAt: 1767225599999,
    category: 'exchange',
    type: 'api',
    totalTransactions: 5,
    unknown: [1],
  };

  test('returns accounts unchanged, but the typed list rejects an invalid account [GET /v1/integrations]', async () => {
    const { client, sent } = answering({ success: true, data: [record], totalCount: 1 });
    expect((await client.integrations.list({ limit: 5, extra: { x: 'y' } }).page()).rows).toEqual([record]);
    expect(sent[0]?.path).toBe('/v1/integrations?limit=5&x=y');
    const odd = { ...record, walletId: 7 };
    const other = answering({ success: true, data: [odd], totalCount: 1 }).client.integrations.list();
    expect(await failure(other.page())).toMatchObject({ code: 'BAD_RECORD' });
    expect((await other.asServed().page()).rows).toEqual([odd]);
  });

  test('the typed list accepts an account that has an id instead of a walletId [GET /v1/integrations]', async () => {
    const { walletId: _, ...account } = { ...record, id: 'i1' };
    const { client } = answering({ success: true, data: [account], totalCount: 1 });
    const [first] = (await client.integrations.list().page()).rows;
    expect(first).toEqual(account);
    expect(first?.walletId).toBeUndefined();
  });

  test('returns the assets of the account with the given id [GET /v1/integrations/{id}/assets]', async () => {
    const { client, sent } = answering({ success: true, data: [{ any: 1 }] });
    expect((await client.integrations.assets('w:1').page()).rows).toEqual([{ any: 1 }]);
    expect(sent[0]?.path).toBe('/v1/integrations/w%3A1/assets');
    expect(await failure(client.integrations.assets('../x').page())).toMatchObject({ code: 'BAD_PATH' });
  });

  test('sends the alias in the parameter "alias" or in a given parameter, and accepts any response [GET /v1/integrations/alias-exists]', async () => {
    const { client, sent } = answering({ success: true, data: true });
    expect(await client.integrations.aliasExists('A&b')).toEqual({ success: true, data: true });
    await client.integrations.aliasExists('x', { parameter: 'name', extra: { q: '1' } });
    expect(sent.map(({ path }) => path)).toEqual([
      '/v1/integrations/alias-exists?alias=A%26b',
      '/v1/integrations/alias-exists?q=1&name=x',
    ]);
    expect(await answering('true').client.integrations.aliasExists('x')).toEqual({ data: true });
    expect(await answering({ exists: false }).client.integrations.aliasExists('x')).toEqual({
      exists: false,
    });
  });

  test.each<[boolean | undefined, Record<string, unknown>]>([
    [true, { success: true, data: true }],
    [false, { success: true, data: false }],
    [true, { exists: true }],
    [true, { aliasExists: true, alias: 'x' }],
    [false, { alias_exists: false }],
    [undefined, { available: true }],
    [undefined, { success: true }],
    [undefined, {}],
    [undefined, { exists: 'true' }],
    [undefined, { exists: 1 }],
    [undefined, { exists: true, aliasExists: false }],
    [undefined, { data: 'true' }],
  ])('aliasExists() returns %j for the response %j', (taken, answer) => {
    expect(readAliasExists(answer)).toBe(taken);
  });

  test('sends the body unchanged and only once, and returns the failures in the response [POST /v1/integrations/test-credentials, POST /v1/integrations/batch-delete, POST /v1/integrations/resync-all]', async () => {
    const { client, sent } = answering({ success: true, data: { failed: ['a'] } });
    const body = { anything: [parseJson('12345678901234567890.5')] };
    expect(await client.integrations.batchDelete(body)).toEqual({ failed: ['a'] });
    expect(await client.integrations.resyncAll()).toEqual({ failed: ['a'] });
    await client.integrations.resyncAll({ x: 1 });
    expect(await client.integrations.testCredentials(body)).toEqual({ failed: ['a'] });
    expect(sent).toEqual([
      { method: 'POST', path: '/v1/integrations/batch-delete', body, type: 'application/json' },
      { method: 'POST', path: '/v1/integrations/resync-all', body: null, type: undefined },
      { method: 'POST', path: '/v1/integrations/resync-all', body: { x: 1 }, type: 'application/json' },
      { method: 'POST', path: '/v1/integrations/test-credentials', body, type: 'application/json' },
    ]);
    const down = answering({ success: false, code: 'EXTERNAL_SERVICE_ERROR', error: 'no' }, 502);
    expect(await failure(down.client.integrations.batchDelete({}))).toMatchObject({ status: 502 });
    expect(down.sent).toHaveLength(1);
  });
});

describe('upload', () => {
  test('sends a form with its content length, and sends the form again after a token refresh [POST /v1/csv/upload]', async () => {
    const bodies: { type: string | undefined; length: string | undefined; bytes: Buffer }[] = [];
    const server = await http((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { 'content-type': type, 'content-length': length } = request.headers;
        bodies.push({ type, length, bytes: Buffer.concat(parts) });
        response.writeHead(bodies.length === 1 ? 401 : 200, { 'content-type': 'application/json' });
        response.end('{"success":true,"data":{"failures":[]}}');
      });
    });
    const credentials = {
      headers: async () => ({ authorization: 'Bearer t' }),
      query: () => ({}),
      refresh: async () => true,
    };
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    try {
      const { client } = wired(server.origin, { credentials });
      const files = [new File([content], 'a ü.csv'), new File(['b'], 'b.xlsx')];
      const fields = [{ name: 'walletId', value: 'w' }];
      expect(await client.csv.upload({ field: 'docs', files, fields })).toEqual({ failures: [] });
    } finally {
      await server.close();
    }
    expect(bodies).toHaveLength(2);
    for (const { type = '', length, bytes } of bodies) {
      expect(length).toBe(String(bytes.length));
      const form = await new Response(new Uint8Array(bytes), {
        headers: { 'content-type': type },
      }).formData();
      expect([...form.keys()]).toEqual(['walletId', 'docs', 'docs']);
      const [first] = form.getAll('docs');
      if (typeof first !== 'object') throw new Error('no file');
      expect(first.name).toBe('a ü.csv');
      expect(Buffer.from(await first.arrayBuffer()).equals(content)).toBe(true);
    }
  });
});
