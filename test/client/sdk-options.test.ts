import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { MockAgent } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import {
  type AttemptEvent,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type ServiceError,
  stringifyJson,
  type WithResponse,
} from '../../src/index.ts';
import { atEnd } from '../at-end.ts';
import { failure } from './helpers.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const RECORD = '{"uid":"u1"}';
const LIST = '{"data":[{"id":"1"}],"meta":{"total":1,"limit":50,"offset":0}}';

async function world(options: ClientOptions = {}, answer?: Answer) {
  const seen: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    seen.push(request);
    let body = '';
    for await (const part of request) body += part;
    bodies.push(body);
    if (answer) return answer(request, response);
    const { pathname } = new URL(request.url ?? '', 'http://x');
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': `req_${seen.length}` });
    response.end(/me$|batch$|upload$|post|userinfo$/.test(pathname) ? RECORD : LIST);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({
    ...{ baseUrl, legacyBaseUrl: baseUrl, legacyPublicUrl: baseUrl, accessToken: 'secret-token-1' },
    ...options,
  });
  atEnd(() => client.close());
  return { client, seen, bodies };
}

type Call = (client: Client, options: CallOptions) => Promise<unknown>;
const CALLS: Readonly<Record<string, Call>> = {
  record: (client, options) => client.users.meAsServed(options),
  page: (client, options) => client.labels.list({}, options).page(),
  rows: async (client, options) => {
    for await (const _ of client.labels.list({}, options));
  },
  batch: (client, options) => client.transactions.batch({}, options),
  upload: (client, options) =>
    client.csv.upload({ field: 'files', files: [new File(['a,b'], 'a.csv')] }, options),
  legacy: (client, options) => client.legacy.userinfo({}, options),
  catalogue: (client, options) => client.providers.list({}, options).asServed().page(),
  request: (client, options) =>
    client.request({
      method: 'POST',
      api: 'current',
      path: ['v1', 'post'],
      auth: true,
      body: {},
      ...options,
    }),
  negative: (client, options) => client.negative({}, options).catch(() => undefined),
};

describe('the option headers', () => {
  test.each(Object.entries(CALLS))(
    'the option headers adds its headers to each request of a call: %s',
    async (_, call) => {
      const { client, seen } = await world();
      await call(client, {
        headers: { 'X-Trace-Id': 'trace 1', 'User-Agent': 'own/1', 'X-Unset': undefined },
      });
      expect(seen.length).toBeGreaterThan(0);
      for (const { headers } of seen) {
        expect(headers).toMatchObject({ 'x-trace-id': 'trace 1', 'user-agent': 'own/1' });
        expect(headers).not.toHaveProperty('x-unset');
      }
    },
  );

  test.each([
    ['Authorization', 'Bearer other-secret'],
    ['x-api-key', 'other-secret'],
    ['X-Client-Secret', 'other-secret'],
    ['Host', 'evil.example'],
    ['content-length', '1'],
    ['Expect', '100-continue'],
    ['Upgrade', 'h2c'],
    ['Keep-Alive', '1'],
    ['Connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ['bad name', 'x'],
    ['x-split', 'other-secret\r\nx: y'],
    ['', 'x'],
  ])('rejects the header %j before anything is sent, without printing its value', async (name, value) => {
    const { client, seen } = await world();
    const error = await failure(client.users.me({ headers: { [name]: value } }));
    expect(error).toMatchObject({ kind: 'usage', code: 'BAD_HEADER' });
    expect(JSON.stringify(error) + String(error)).not.toContain('other-secret');
    expect(seen).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a Headers object', new Headers({ 'x-a': '1' })],
    ['a Map', new Map([['x-a', '1']])],
    ['a list of pairs', [['x-a', '1']]],
    ['a text', 'x-a: 1'],
    ['null', null],
    ['a header that is null', { 'x-a': null }],
    ['a header that is a list', { 'x-a': ['1', '2'] }],
    ['a header that is a number', { 'x-a': 1 }],
  ])('rejects %s', async (_, headers) => {
    const { client, seen } = await world();
    const error = await failure(client.users.me({ headers } as CallOptions));
    expect(error).toMatchObject({ kind: 'usage', code: 'BAD_HEADER' });
    expect(seen).toEqual([]);
  });
});

describe('withResponse()', () => {
  test.each<[string, (client: Client) => { withResponse(): Promise<unknown> }]>([
    ['a record', (client) => client.users.me()],
    ['a record as served', (client) => client.users.meAsServed()],
    ['a page', (client) => client.labels.list().page()],
    ['a batch', (client) => client.transactions.batch({})],
    ['a legacy record', (client) => client.legacy.userinfo()],
  ])('returns the data and the response of %s, and sends one request', async (_, call) => {
    const { client, seen } = await world();
    const promise = call(client);
    const { data, response, requestId } = (await promise.withResponse()) as WithResponse<unknown>;
    expect(data).toEqual(await promise);
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: 200, ok: true });
    expect(response.headers.get('X-Request-Id')).toBe('req_1');
    expect(requestId).toBe('req_1');
    expect(seen).toHaveLength(1);
  });

  test('withResponse() fails with the error of the call, and leaves no unhandled rejection', async () => {
    const { client } = await world({ retries: 0 }, (_, response) => response.writeHead(404).end());
    expect(await failure(client.users.me().withResponse())).toMatchObject({ kind: 'notFound' });
    expect(await failure(client.labels.list().page().withResponse())).toMatchObject({ kind: 'notFound' });
  });
});

function disconnected(): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  return agent;
}

describe('the option fetch', () => {
  test.each(Object.entries(CALLS))(
    'the function in the option fetch sends every request: %s',
    async (_, call) => {
      const used = vi.fn<typeof fetch>((...args) => fetch(...args));
      const plain = await world();
      await call(plain.client, {});
      const { client, seen, bodies } = await world({ fetch: used });
      await call(client, {});
      expect(used).toHaveBeenCalledTimes(seen.length);
      expect(seen.map(({ method, url }) => [method, url])).toEqual(
        plain.seen.map(({ method, url }) => [method, url]),
      );
      const withoutBoundary = (text: string) => text.replace(/--[\w-]{8,}/g, '--boundary');
      expect(bodies.map(withoutBoundary)).toEqual(plain.bodies.map(withoutBoundary));
      expect(seen[0]?.headers.authorization).toBe(plain.seen[0]?.headers.authorization);
    },
  );

  test('reads a compressed response', async () => {
    const { client } = await world({ fetch }, (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(RECORD)),
    );
    expect(await client.users.me()).toEqual({ uid: 'u1' });
  });

  test('does not follow a redirect', async () => {
    const { client, seen } = await world({ fetch, retries: 0 }, (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:1/` }).end(),
    );
    expect(await failure(client.users.me())).toMatchObject({ code: 'REDIRECTED' });
    expect(seen).toHaveLength(1);
  });

  test('with the option fetch, a call is retried, times out, and reports a refused connection as usual', async () => {
    let count = 0;
    const { client } = await world({ fetch }, (_, response) => {
      count += 1;
      response.writeHead(count === 1 ? 503 : 200).end(RECORD);
    });
    expect(await client.users.me()).toEqual({ uid: 'u1' });
    const silent = await world({ fetch }, () => {});
    expect(await failure(silent.client.users.me({ timeout: 100 }))).toMatchObject({ code: 'CALL_TIMED_OUT' });
    const gone = createClient({ baseUrl: 'http://127.0.0.1:1', accessToken: 't', fetch, retries: 0 });
    expect(await failure(gone.users.me())).toMatchObject({ kind: 'network' });
  });

  test('close() waits for the requests in progress, and later requests fail', async () => {
    let done = false;
    const { client } = await world({ fetch }, (_, response) => {
      setTimeout(() => {
        done = true;
        response.writeHead(200).end(RECORD);
      }, 50);
    });
    const call = client.users.me();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await client.close();
    expect(done).toBe(true);
    await call;
    expect(await failure(client.users.me())).toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test.each<[string, () => ClientOptions, RegExp]>([
    [
      'the option fetch',
      () => ({ fetch: () => Promise.reject(new Error('lost')) }),
      /^Check the connection, and the fetch/,
    ],
    ['the option dispatcher', () => ({ dispatcher: disconnected() }), /^Check the connection, and the fetch/],
    ['neither option', () => ({}), /HTTPS_PROXY/],
  ])(
    'a network error suggests the proxy variables only if they have an effect: %s is set',
    async (_, options, expected) => {
      const { client } = await world({ retries: 0, ...options() }, (_, response) => response.destroy());
      expect(await failure(client.users.me())).toMatchObject({
        kind: 'network',
        hint: expect.stringMatching(expected),
      });
    },
  );

  test('the option fetch rejects a value that is not a function', () => {
    // @ts-expect-error not a function
    expect(() => createClient({ fetch: 'x' })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  });
});

describe('a faulty function in the option fetch', () => {
  const never = () => new Promise<never>(() => {});
  const stalled = (status: number) => async () => new Response(new ReadableStream({}), { status });
  test.each([
    ['it never answers', never],
    ['it returns a body that never ends', stalled(200)],
    ['it returns an error with a body that never ends', stalled(403)],
  ])('a faulty function does not delay the timeout or the signal of a call: %s', async (_, fetch) => {
    const { client } = await world({ fetch, retries: 0 });
    expect(await failure(client.users.me({ timeout: 50 }))).toMatchObject({ code: 'CALL_TIMED_OUT' });
    const signal = AbortSignal.timeout(50);
    expect(await failure(client.users.me({ signal }))).toMatchObject({ kind: 'interrupted' });
  });

  test('a fetch function that follows a redirect to another server causes an error', async () => {
    const other = await world();
    const { client } = await world(
      { fetch: (url, init) => fetch(url, { ...init, redirect: 'follow' }) },
      (request, response) => {
        const { port } = Object(other.seen[0]?.socket.address());
        response.writeHead(307, { location: `http://127.0.0.1:${port}${request.url}` }).end();
      },
    );
    await other.client.users.me();
    const error = await failure(client.users.me());
    expect(error).toMatchObject({ code: 'REDIRECTED', message: expect.stringContaining('followed') });
  });

  test.each([
    ['returns nothing', async () => undefined],
    ['returns a text', async () => 'text'],
    [
      'returns a response that was read',
      async () => {
        const response = new Response(RECORD);
        await response.text();
        return response;
      },
    ],
  ])('causes a usage error after one call if it %s', async (_, returns) => {
    const wrong = vi.fn(returns);
    const { client } = await world({ fetch: wrong as unknown as typeof fetch });
    expect(await failure(client.users.me())).toMatchObject({ kind: 'usage', code: 'BAD_OPTION' });
    expect(wrong).toHaveBeenCalledTimes(1);
  });
});

function recorder() {
  const lines: string[] = [];
  const add =
    (level: string) =>
    (...parts: unknown[]) =>
      void lines.push(`${level} ${parts.map(String).join(' ')}`);
  return {
    lines,
    logger: { error: add('error'), warn: add('warn'), info: add('info'), debug: add('debug') },
  };
}

describe('the option logger', () => {
  test('a logger receives each attempt, and failed attempts at the level info', async () => {
    const { lines, logger } = recorder();
    let count = 0;
    const { client } = await world({ logger, logLevel: 'debug' }, (_, response) => {
      count += 1;
      response.writeHead(count === 1 ? 503 : 200).end(RECORD);
    });
    await client.users.me();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^info cryptodata: GET http:.*\/v1\/users\/me 503 .*retry in/);
    expect(lines[1]).toMatch(/^debug cryptodata: GET http:.*\/v1\/users\/me 200 \d+ ms, attempt 2$/);
  });

  test.each([
    ['off', []],
    ['error', []],
    ['warn', ['warn']],
    ['info', ['info', 'warn']],
    ['debug', ['debug', 'info', 'warn']],
  ] as const)('a logger receives only messages of the level %s or above', async (logLevel, levels) => {
    const { lines, logger } = recorder();
    let count = 0;
    const { client } = await world({ logger, logLevel, retries: 1 }, (_, response) => {
      count += 1;
      // The page is smaller than requested, which is a notice.
      const page = '{"data":[{"id":"1"}],"meta":{"total":3,"limit":1,"offset":0}}';
      response.writeHead(count === 1 ? 503 : 200).end(page);
    });
    await client.labels.list({ limit: 3 }).page();
    expect([...new Set(lines.map((line) => line.split(' ')[0]))].sort()).toEqual([...levels]);
  });

  test('a logger never receives a secret that the service repeats', async () => {
    for (const [given, secrets] of [
      [{}, ['secret-token-1']],
      [{ accessToken: undefined, getAccessToken: () => 'secret-token-2' }, ['secret-token-2']],
      [{ accessToken: undefined, apiKey: 'secret-key-3', workspace: 'ws_1' }, ['secret-key-3']],
      [{ clientId: 'client', clientSecret: 'secret-client-4' }, ['secret-token-1', 'secret-client-4']],
    ] as const) {
      const { lines, logger } = recorder();
      const { client } = await world(
        { ...given, logger, logLevel: 'debug', retries: 0 },
        (request, response) => {
          const { authorization, 'x-api-key': key, 'x-client-secret': secret } = request.headers;
          response.writeHead(400).end(JSON.stringify({ error: `E${authorization}${key}${secret}` }));
        },
      );
      for (const secret of secrets) {
        await failure(client.legacy.userinfo({ extra: { echo: secret, api_key: 'unknown-secret-5' } }));
        await failure(client.ledgers.get(secret));
      }
      expect(lines.length).toBeGreaterThan(1);
      for (const secret of [...secrets, 'unknown-secret-5']) expect(lines.join('\n')).not.toContain(secret);
    }
  });

  test('a logger that throws does not make a call fail', async () => {
    const { logger } = recorder();
    const debug = () => {
      throw new Error('disk full');
    };
    const { client } = await world({ logger: { ...logger, debug }, logLevel: 'debug' });
    expect(await client.users.me()).toEqual({ uid: 'u1' });
  });

  test('a logger that lacks a required method is rejected', () => {
    // @ts-expect-error a method is missing
    expect(() => createClient({ logger: { warn() {} } })).toThrow(
      expect.objectContaining({ code: 'BAD_OPTION' }),
    );
  });

  test.each<unknown>([null, 'console', 5])('rejects the value %j', (logger) => {
    expect(() => createClient({ logger } as ClientOptions)).toThrow(
      expect.objectContaining({ code: 'BAD_OPTION' }),
    );
  });

  test('logLevel is checked even without a logger', async () => {
    const { client } = await world({ logLevel: 'debug' });
    expect(await client.users.me()).toEqual({ uid: 'u1' });
    // @ts-expect-error not a level
    expect(() => createClient({ logLevel: 'loud' })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  });

  test('rejects an unknown logLevel', () => {
    const { logger } = recorder();
    // @ts-expect-error not a level
    expect(() => createClient({ logger, logLevel: 'loud' })).toThrow(
      expect.objectContaining({ code: 'BAD_OPTION' }),
    );
  });
});

describe('an error', () => {
  /** All text of an error that a program can log. */
  const shown = (error: unknown) =>
    [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error)].join('\n');

  const LOGINS: readonly (readonly [string, ClientOptions, readonly string[]])[] = [
    ['accessToken', {}, ['secret-token-1']],
    [
      'getAccessToken',
      { accessToken: undefined, getAccessToken: () => 'secret-token-2' },
      ['secret-token-2'],
    ],
    ['apiKey', { accessToken: undefined, apiKey: 'secret-key-3', workspace: 'ws_1' }, ['secret-key-3']],
    [
      'clientSecret',
      { clientId: 'c', clientSecret: 'secret-client-4' },
      ['secret-token-1', 'secret-client-4'],
    ],
  ];
  const ECHOES: Readonly<Record<string, (all: string) => [number, string, object?]>> = {
    'in its message': (all) => [403, JSON.stringify({ error: 'forbidden', error_description: `not ${all}` })],
    'in its code': (all) => [400, JSON.stringify({ error: all.replaceAll(' ', '.') })],
    'in its details': (all) => [
      422,
      JSON.stringify({ error: 'x', details: [{ path: ['a'], message: all }] }),
    ],
    'in another field': (all) => [409, JSON.stringify({ error: 'x', request: { headers: [all] } })],
    'in a page': (all) => [500, `<html><title>${all}</title>`, { 'content-type': 'text/html' }],
    'as text': (all) => [404, all],
    'in its id': (all) => [401, '{}', { 'x-request-id': all }],
    'in a redirect': (all) => [302, '', { location: `http://${all.replaceAll(' ', '.')}/` }],
    'in damaged JSON': (all) => [200, `{"data": "${all}`],
    'in a record of the wrong form': (all) => [200, JSON.stringify({ uid: [all], data: all, id: all })],
    'in a failure with the status 200': (all) => [200, JSON.stringify({ success: false, error: all })],
  };
  const answering = (echo: (all: string) => [number, string, object?]): Answer => {
    return ({ headers }, response) => {
      const sent = [headers.authorization, headers['x-api-key'], headers['x-client-secret']];
      const [status, body, more = {}] = echo(sent.filter(Boolean).join(' ').replace('Bearer ', ''));
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body);
    };
  };

  describe.each(LOGINS)('with %s', (_, login, secrets) => {
    test.each(Object.entries(ECHOES))(
      'an error never contains a secret that the service returns %s',
      async (_, echo) => {
        const seen: AttemptEvent[] = [];
        const onRequest = (event: AttemptEvent) => void seen.push(event);
        const { client } = await world({ retries: 0, ...login, onRequest }, answering(echo));
        for (const call of Object.values(CALLS)) {
          const error = await call(client, {}).then(
            () => undefined,
            (error: unknown) => error,
          );
          for (const secret of secrets) expect(shown(error)).not.toContain(secret);
        }
        expect(seen.length).toBeGreaterThan(5);
        for (const secret of secrets) expect(JSON.stringify(seen)).not.toContain(secret);
      },
    );

    test('an error never contains a secret from an error of the function in the option fetch', async () => {
      const given: typeof fetch = async (url, init) => {
        const { headers } = new Request(url, init);
        const error = new Error(`cannot send ${[...headers].join(' ')}`, { cause: { headers } });
        throw Object.assign(error, { config: init });
      };
      const { client } = await world({ retries: 0, ...login, fetch: given });
      for (const call of [CALLS['record'], CALLS['page'], CALLS['legacy'], CALLS['request']]) {
        const error = await failure(call?.(client, {}) ?? Promise.resolve());
        expect(error).toMatchObject({
          code: 'NETWORK_FAILED',
          message: expect.stringContaining('cannot send'),
        });
        for (const secret of secrets) expect(shown(error)).not.toContain(secret);
      }
    });

    test('a secret that was first used as an id is masked in errors and in the log', async () => {
      const { lines, logger } = recorder();
      const { client } = await world({ retries: 0, ...login, logger, logLevel: 'debug' }, (_, response) =>
        response.writeHead(400).end(JSON.stringify({ error: 'E', message: secrets.join(' ') })),
      );
      for (const secret of secrets) {
        const error = await failure(client.ledgers.get(secret));
        expect(error).toMatchObject({ status: 400 });
        for (const one of secrets) expect(shown(error) + lines.join('\n')).not.toContain(one);
      }
    });
  });

  test('an error omits its body and its details if they are too long to be searched for secrets', async () => {
    const details = Array.from({ length: 20_000 }, () => 'a long reason');
    const { client } = await world({ retries: 0 }, (_, response) =>
      response.writeHead(400).end(JSON.stringify({ error: 'E', message: 'too many rows', details })),
    );
    expect(await failure(client.users.me())).toMatchObject({
      ...{ status: 400, code: 'E', reason: 'too many rows', details: undefined, body: undefined },
    });
  });

  test('an error without secrets keeps its cause and its body', async () => {
    const cause = new RangeError('own failure');
    const { client } = await world({ retries: 0, fetch: () => Promise.reject(cause) });
    expect(await failure(client.users.me())).toMatchObject({ code: 'NETWORK_FAILED', cause });
    const served = await world({ retries: 0 }, (_, response) => response.writeHead(400).end('{"n":1.10}'));
    const { body } = (await failure(served.client.users.me())) as ServiceError;
    expect(stringifyJson(body)).toBe('{"n":1.1}');
  });
});

describe('the option appInfo', () => {
  test.each([
    [{ name: 'acme' }, / acme$/],
    [{ name: 'acme', version: '1.2' }, / acme\/1\.2$/],
    [
      { name: 'acme', version: '1.2', url: 'https://acme.example/app' },
      / acme\/1\.2 \(https:\/\/acme\.example\/app\)$/,
    ],
  ])('adds %j to the user agent', async (appInfo, expected) => {
    const { client, seen } = await world({ appInfo });
    await client.users.me();
    expect(seen[0]?.headers['user-agent']).toMatch(/^cryptodata\/\d\S+ node\/\d/);
    expect(seen[0]?.headers['user-agent']).toMatch(expected);
  });

  test.each<[unknown]>([
    [{ name: '' }],
    [{ name: 'two words' }],
    [{ name: 'a\r\nx: y' }],
    [{ name: 'a', version: '1 (x)' }],
    [{ name: 'a', url: 'javascript:x' }],
    [{ name: 'a', url: 'https://a.example/) x' }],
    [null],
    ['acme'],
    [{}],
    [{ version: '1' }],
    [{ name: 5 }],
    [{ name: null }],
    [{ name: ['a'] }],
    [{ name: 'ä' }],
    [{ name: 'a', version: 1 }],
    [{ name: 'a', version: null }],
    [{ name: 'a', url: new URL('https://a.example') }],
  ])('rejects %j', (appInfo) => {
    expect(() => createClient({ appInfo } as ClientOptions)).toThrow(
      expect.objectContaining({ code: 'BAD_OPTION' }),
    );
  });
});
