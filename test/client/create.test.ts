import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/create.ts';
import { CryptodataError, createClient, field, LosslessNumber, UpstreamError } from '../../src/index.ts';
import { failure, headersOf } from './helpers.ts';
import { http } from './servers.ts';

/** Mocks the three base URLs, and records the path and headers of each request. */
function world() {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const seen: { path: string; headers: Record<string, string> }[] = [];
  for (const host of ['api', 'legacy', 'public']) {
    agent
      .get(`https://${host}.test`)
      .intercept({ path: /./ })
      .reply(({ path, headers }) => {
        seen.push({ path, headers: headersOf(headers) });
        return { statusCode: 200, data: '{"data":[]}' };
      })
      .persist();
  }
  const options: ClientOptions = {
    baseUrl: 'https://api.test/',
    legacyBaseUrl: 'https://legacy.test',
    legacyPublicUrl: 'https://public.test',
    dispatcher: agent,
  };
  return { seen, options };
}

describe('createClient', () => {
  test('sends the bearer token to both APIs, but the client headers only to the legacy API', async () => {
    const { seen, options } = world();
    const client = createClient({ ...options, accessToken: 'tok', clientId: 'id', clientSecret: 'sec' });
    await client.ledgers.list().page();
    await client.request({ method: 'GET', api: 'legacy', path: ['api', 'v1', 'nft-holdings'], auth: true });
    await client.request({
      method: 'GET',
      api: 'legacyPublic',
      path: ['integrations', 'public', 'list'],
      auth: false,
    });
    const [current, legacy, open] = seen;
    expect(current?.headers).toMatchObject({ authorization: 'Bearer tok' });
    expect(current?.headers).not.toHaveProperty('x-client-id');
    expect(legacy?.headers).toMatchObject({
      authorization: 'Bearer tok',
      'x-client-id': 'id',
      'x-client-secret': 'sec',
    });
    expect(open?.headers).not.toHaveProperty('authorization');
    expect(current?.headers['user-agent']).toMatch(/^cryptodata\//);
  });

  test('sends an API key and its workspace instead of a bearer token', async () => {
    const { seen, options } = world();
    const client = createClient({ ...options, apiKey: 'key', workspace: 'ws_1' });
    await client.ledgers.list().page();
    await client.request({ method: 'GET', api: 'legacy', path: ['api', 'v1', 'integrations'], auth: true });
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'key' });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
    expect(seen.map((request) => request.path)).toEqual([
      '/v1/ledgers?wid=ws_1',
      '/api/v1/integrations?wid=ws_1',
    ]);
  });

  test.each<[string, ClientOptions]>([
    ['a key without its workspace', { apiKey: 'k' }],
    ['a workspace with a token', { accessToken: 't', workspace: 'ws_1' }],
    ['a workspace alone', { workspace: 'ws_1' }],
    ['a key and a token', { apiKey: 'k', workspace: 'ws_1', accessToken: 't' }],
    ['two tokens', { accessToken: 't', getAccessToken: () => 't' }],
    ['a key that is not a valid header value', { apiKey: 'k\r\nx: y', workspace: 'ws_1' }],
    ['an empty key', { apiKey: '', workspace: 'ws_1' }],
    ['plain http', { baseUrl: 'http://api.test' }],
    ['no address', { baseUrl: 'api.test' }],
    ['a legacy address with plain http', { legacyBaseUrl: 'http://api.test' }],
  ])('rejects %s immediately', (_, options) => {
    expect(() => createClient(options)).toThrow(expect.objectContaining({ kind: 'usage' }));
  });

  test.each<[string, ClientOptions]>([
    ['no credentials', {}],
    ['an undefined token', { accessToken: undefined }],
    ['an empty token', { accessToken: '' }],
    // @ts-expect-error a program in JavaScript may return nothing
    ['a function that returns no token', { getAccessToken: () => undefined }],
    ['a function that returns an empty token', { getAccessToken: async () => '' }],
  ])('with %s, sends nothing that needs credentials, but reads the public catalogue', async (_, given) => {
    const { seen, options } = world();
    const client = createClient({ ...options, ...given });
    const calls = [
      () => client.ledgers.get('1'),
      () => client.ledgers.list().page(),
      () => client.ledgers.list().rows().next(),
      () => client.transactions.batch({}),
      () => client.users.me(),
      () => client.legacy.userinfo(),
      () => client.request({ method: 'GET', api: 'current', path: ['v1', 'ledgers'], auth: true }),
      () => client.negative(),
      () => client.exportLedgers({ out: join(tmpdir(), 'never-written.csv') }),
      () => client.syncs.watch('1').next(),
    ];
    for (const call of calls) {
      expect(await failure(call())).toMatchObject({ kind: 'usage', code: 'MISSING_CREDENTIALS' });
    }
    expect(seen).toEqual([]);
    await client.providers.list().page();
    expect(seen).toHaveLength(1);
  });

  test('rejects a token with characters that are invalid in a header, and does not print the token', async () => {
    const { seen, options } = world();
    const client = createClient({ ...options, accessToken: 'sec\r\nret' });
    const error = await failure(client.users.me());
    expect(error).toMatchObject({ kind: 'usage', code: 'BAD_CREDENTIALS' });
    expect(String(error)).not.toContain('sec');
    expect(seen).toEqual([]);
  });

  test('reports a missing base URL only when a request needs the URL', async () => {
    const { options } = world();
    const client = createClient({ legacyPublicUrl: 'https://public.test', dispatcher: options.dispatcher });
    expect(await failure(client.ledgers.list().page())).toMatchObject({
      code: 'MISSING_SETTING',
      kind: 'usage',
    });
  });

  test('calls getAccessToken with refresh: true after a 401', async () => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    const pool = agent.get('https://api.test');
    const at = (token: string) => ({ path: '/v1/users/me', headers: { authorization: `Bearer ${token}` } });
    pool.intercept(at('one')).reply(401, { error: 'unauthorized', error_description: 'expired' });
    pool.intercept(at('two')).reply(200, { data: { uid: 'u' } });
    const asks: boolean[] = [];
    let token = 'one';
    const client = createClient({
      baseUrl: 'https://api.test',
      dispatcher: agent,
      getAccessToken: async ({ refresh }) => {
        asks.push(refresh);
        if (refresh) token = 'two';
        return token;
      },
    });
    expect(await client.users.me()).toEqual({ uid: 'u' });
    expect(asks).toEqual([false, true, false]);
  });

  test('close() closes the connections of the client, but not a dispatcher that the caller passed in', async () => {
    const server = await http((_, response) => response.end('{"data":{"uid":"u"}}'));
    const client = createClient({ baseUrl: server.origin, accessToken: 't', retries: 0 });
    await client.users.me();
    await client.close();
    expect(await failure(client.users.me())).toMatchObject({ kind: 'network' });
    const { options } = world();
    const handed = createClient({ ...options, accessToken: 't' });
    await handed.close();
    await handed.ledgers.list().page();
    await server.close();
  });

  test('onRequest receives an event for each request, and the event contains no secrets', async () => {
    const { options } = world();
    const events: unknown[] = [];
    const client = createClient({
      ...options,
      accessToken: 'hush',
      onRequest: (event) => events.push(event),
    });
    await client.ledgers.list({ limit: 1 }).page();
    expect(events).toEqual([
      {
        method: 'GET',
        url: 'https://api.test/v1/ledgers?limit=1',
        status: 200,
        attempt: 1,
        ms: expect.any(Number),
      },
    ]);
  });

  test('the example in the package documentation works', async () => {
    const token = 't';
    const server = await http((_, response) =>
      response.end(
        '{"data":[{"id":"led_1","quantity":"-1","n":1234567890123456789}],"meta":{"total":1,"limit":200,"offset":0}}',
      ),
    );
    const printed: unknown[] = [];
    const client = createClient({ baseUrl: server.origin, accessToken: token });
    for await (const ledger of client.ledgers.list({ ltAfterBalance: '0', sortOrder: 'asc' })) {
      printed.push(ledger.id, ledger.quantity, field(ledger, 'n') instanceof LosslessNumber);
    }
    await client.close();
    expect(printed).toEqual(['led_1', '-1', true]);
    expect(new UpstreamError('X', 'x')).toBeInstanceOf(CryptodataError);
    await server.close();
  });
});
