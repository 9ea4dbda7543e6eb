import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { LosslessNumber, stringifyJson } from '../../src/core/json.ts';
import { failure, PLAIN } from './helpers.ts';
import { http, type Running, raw, wired } from './servers.ts';

const open: Running[] = [];
async function kept<T extends Running>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\nconnection: close\r\n\r\n{"data":[]}';

describe('real connections', () => {
  test.each([
    [
      'a body shorter than its content length',
      'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data":[{"id":"led',
    ],
    [
      'a truncated chunked body',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n13\r\n{"data":[{"id":"led\r\n',
    ],
    [
      'a complete answer with truncated JSON',
      'HTTP/1.1 200 OK\r\ncontent-length: 19\r\nconnection: close\r\n\r\n{"data":[{"id":"led',
    ],
  ])('retries after %s, and the final error shows the first bytes of the response', async (_, torn) => {
    const once = await kept(raw([torn, GOOD]));
    expect((await wired(once.origin).client.request(PLAIN)).body).toEqual({ data: [] });
    const always = await kept(raw([torn]));
    const { client, clock } = wired(always.origin);
    const error = await failure(client.request(PLAIN));
    expect(error).toMatchObject({ kind: 'service', code: 'BAD_ANSWER', status: 200 });
    expect(error).toMatchObject({ message: expect.stringContaining('{"data":[{"id":"led') });
    expect(clock.slept).toHaveLength(4);
  });

  test('does not retry a POST after a truncated response', async () => {
    const server = await kept(raw(['HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"da', GOOD]));
    const error = await failure(wired(server.origin).client.request({ ...PLAIN, method: 'POST', body: {} }));
    expect(error).toMatchObject({ code: 'BAD_ANSWER' });
    expect(server.requests).toHaveLength(1);
  });

  test('the error shows at most 200 bytes of a response, and escapes control characters', async () => {
    const text = `\u001b[31m${'x'.repeat(500)}`;
    const server = await kept(raw([`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`]));
    const error = await failure(wired(server.origin, { retries: 0 }).client.request(PLAIN));
    const { message } = error as Error;
    expect(message).toContain(`\\u001b[31m${'x'.repeat(195)}…`);
    expect(message).not.toContain('x'.repeat(196));
  });

  test('retries after a connection reset', async () => {
    const server = await kept(raw(['RESET', GOOD]));
    expect((await wired(server.origin).client.request(PLAIN)).status).toBe(200);
    expect(server.requests).toHaveLength(2);
    const always = await kept(raw(['RESET']));
    const error = await failure(wired(always.origin, { retries: 1 }).client.request(PLAIN));
    expect(error).toMatchObject({ kind: 'network', code: 'CONNECTION_RESET' });
  });

  test('times out if no response arrives', async () => {
    const server = await kept(http(() => {}));
    const { client } = wired(server.origin, { idleTimeout: 50, retries: 1 });
    expect(await failure(client.request(PLAIN))).toMatchObject({ kind: 'network', code: 'TIMED_OUT' });
  });

  test('times out if a response stops in the middle', async () => {
    const server = await kept(
      http((_, response) => {
        response.writeHead(200).write('{"data"');
      }),
    );
    const { client } = wired(server.origin, { idleTimeout: 50, retries: 0 });
    expect(await failure(client.request(PLAIN))).toMatchObject({ kind: 'network', code: 'TIMED_OUT' });
  });

  test('retries a refused connection only if an earlier request reached the host', async () => {
    const server = await http((_, response) => response.end('{}'));
    const never = wired(server.origin);
    const before = wired(server.origin);
    await before.client.request(PLAIN);
    await server.close();
    const refused = { kind: 'network', code: 'CONNECTION_REFUSED' };
    expect(await failure(never.client.request(PLAIN))).toMatchObject(refused);
    expect(never.clock.slept).toEqual([]);
    expect(await failure(before.client.request(PLAIN))).toMatchObject({ kind: 'network' });
    expect(before.clock.slept).toHaveLength(4);
  });

  test('reports an unknown host name', async () => {
    const { client } = wired('https://host.invalid');
    const error = await failure(client.request(PLAIN));
    expect(error).toMatchObject({ kind: 'network', hint: expect.stringContaining('address') });
    expect(error).toMatchObject({ code: expect.stringMatching(/^NAME_(NOT_FOUND|LOOKUP_FAILED)$/) });
  });

  test('reports a server that does not support TLS', async () => {
    const server = await kept(http((_, response) => response.end('{}')));
    const { client, clock } = wired(`https://127.0.0.1:${server.port}`);
    expect(await failure(client.request(PLAIN))).toMatchObject({ kind: 'network', code: 'TLS_FAILED' });
    expect(clock.slept).toEqual([]);
  });

  test('the client reuses connections', async () => {
    const ports = new Set<number | undefined>();
    const server = await kept(
      http((request, response) => {
        ports.add(request.socket.remotePort);
        response.end('{}');
      }),
    );
    const { client } = wired(server.origin);
    for (let n = 0; n < 10; n += 1) await client.request(PLAIN);
    // undici may open a second connection before it returns the first one to the pool.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test('reconnects after the server closes an idle connection', async () => {
    let count = 0;
    const server = await kept(
      http((request, response) => {
        count += 1;
        response.end('{}', () => setImmediate(() => request.socket.destroy()));
      }),
    );
    const { client } = wired(server.origin);
    for (let n = 0; n < 5; n += 1) await client.request(PLAIN);
    expect(count).toBe(5);
  });

  test('accepts gzip, and decompresses the response without losing a digit', async () => {
    let accepted: string | undefined;
    const text = '{"data":{"value":0.123456789012345678901234567890,"s":"ä€😀"}}';
    const server = await kept(
      http((request, response) => {
        accepted = request.headers['accept-encoding'];
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
      }),
    );
    const { body } = await wired(server.origin).client.request(PLAIN);
    expect(accepted).toBe('gzip');
    expect(stringifyJson(body)).toBe(text);
    expect(body).toMatchObject({ data: { value: expect.any(LosslessNumber) } });
  });

  test('rejects a truncated compressed body', async () => {
    const packed = gzipSync(JSON.stringify({ data: 'x'.repeat(100) })).subarray(0, 25);
    const server = await kept(
      http((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)),
    );
    const { client } = wired(server.origin, { retries: 0 });
    expect(await failure(client.request(PLAIN))).toMatchObject({ code: 'BAD_ANSWER' });
  });

  const TEXT = '{"data":[{"id":"led_1"}]}';
  test.each<[string, string, string | Buffer]>([
    ['gzip, identity', 'gzip, identity', gzipSync(TEXT)],
    ['gzip after gzip', 'gzip, gzip', gzipSync(gzipSync(TEXT))],
    ['deflate, then gzip', 'deflate, gzip', gzipSync(deflateSync(TEXT))],
    ['raw deflate', 'deflate', deflateRawSync(TEXT)],
    ['deflate', 'Deflate', deflateSync(TEXT)],
    ['brotli', 'br', brotliCompressSync(TEXT)],
    ['x-gzip', 'x-gzip', gzipSync(TEXT)],
    ['no coding', 'none', TEXT],
    ['a charset', 'utf-8', TEXT],
    ['an object property', 'toString', TEXT],
    ['a coding that a proxy removed', 'gzip', TEXT],
    ['an empty list', ' , ', TEXT],
  ])('reads a body with the content encoding %s', async (_, coding, body) => {
    const server = await kept(
      http((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body)),
    );
    const answer = await wired(server.origin, { retries: 0 }).client.request(PLAIN);
    expect(answer.body).toEqual({ data: [{ id: 'led_1' }] });
  });

  test.each<[string, Buffer]>([
    ['zstd', Buffer.from('28b52ffd2001410a000000', 'hex')],
    ['gzip, gzip, gzip, gzip, gzip, gzip', gzipSync(TEXT)],
    ['deflate', Buffer.from('ff', 'hex')],
  ])('rejects a body with the content encoding %s that cannot be decoded', async (encoding, body) => {
    const server = await kept(
      http((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)),
    );
    const { client } = wired(server.origin, { retries: 0 });
    expect(await failure(client.request(PLAIN))).toMatchObject({ code: 'BAD_ANSWER' });
  });

  test('rejects invalid UTF-8 instead of replacing bytes', async () => {
    const server = await kept(http((_, response) => response.end(Buffer.from('7b2261223a22ff227d', 'hex'))));
    const { client } = wired(server.origin, { retries: 0 });
    expect(await failure(client.request(PLAIN))).toMatchObject({ code: 'BAD_ANSWER' });
  });

  test('accepts an empty body in a response with status 200, 202 or 204', async () => {
    for (const status of [200, 202, 204]) {
      const server = await kept(http((_, response) => response.writeHead(status).end()));
      const answer = await wired(server.origin).client.request(PLAIN);
      expect(answer).toMatchObject({ status, body: undefined, requestUrl: `${server.origin}/v1/things` });
    }
  });
});

describe('an error response whose body cannot be read', () => {
  const head = (status: number, more: string) => `HTTP/1.1 ${status} No\r\n${more}connection: close\r\n\r\n`;
  const BODIES: readonly [string, (status: number) => string][] = [
    ['is in Latin-1', (status) => `${head(status, '')}<title>Zugriff verweigert f\xfcr Sie</title>`],
    ['is cut short', (status) => `${head(status, 'content-length: 999\r\n')}{"error":"forb`],
    ['is in a broken chunk', (status) => `${head(status, 'transfer-encoding: chunked\r\n')}ff\r\nabc`],
    ['is not in its content encoding', (status) => `${head(status, 'content-encoding: gzip\r\n')}\xff\xfe`],
    ['is too large', (status) => `${head(status, 'content-length: 9000\r\n')}${'x'.repeat(9000)}`],
    ['repeats a code of the client', (status) => `${head(status, '')}{"error":"BAD_ANSWER"}`],
  ];
  const KINDS = [
    [400, 'rejected'],
    [401, 'auth'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [409, 'conflict'],
    [413, 'rejected'],
    [422, 'rejected'],
  ] as const;

  test.each(BODIES)(
    'if the body of an error response %s, the status determines the error, and the request is not retried',
    async (_, answer) => {
      for (const [status, kind] of KINDS) {
        const server = await kept(raw([answer(status)]));
        const { client } = wired(server.origin, { maxBodyBytes: 5000 });
        expect(await failure(client.request(PLAIN))).toMatchObject({ kind, status });
        expect([status, server.requests.length]).toEqual([status, 1]);
      }
    },
  );

  const torn = 'HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 99\r\n\r\n{"err';

  test('if the body of a 429 is cut short, the client still waits for the requested time', async () => {
    const server = await kept(raw([torn, GOOD]));
    const { client, clock } = wired(server.origin);
    expect((await client.request(PLAIN)).status).toBe(200);
    expect(clock.slept).toEqual([7000]);
  });

  test('the error contains the readable beginning of the body, or says that nothing can be read', async () => {
    const always = await kept(raw([torn]));
    const error = await failure(wired(always.origin, { retries: 1 }).client.request(PLAIN));
    expect(error).toMatchObject({ kind: 'rateLimited', retryAfter: 7, reason: '{"err' });
    const packed = 'HTTP/1.1 403 No\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n\xff\xff';
    const opaque = await kept(raw([packed]));
    expect(await failure(wired(opaque.origin).client.request(PLAIN))).toMatchObject({
      message: 'The reason cannot be read (GET /v1/things answered 403)',
    });
  });

  test('if the body of a 401 is cut short, the credentials are still refreshed', async () => {
    const server = await kept(raw(['HTTP/1.1 401 No\r\ncontent-length: 99\r\n\r\n{"err', GOOD]));
    let refreshes = 0;
    const credentials = {
      headers: async () => ({ authorization: `Bearer ${refreshes}` }),
      query: () => ({}),
      refresh: async () => {
        refreshes += 1;
        return true;
      },
    };
    const { client } = wired(server.origin, { credentials });
    expect((await client.request({ ...PLAIN, auth: true })).status).toBe(200);
    expect(refreshes).toBe(1);
  });
});

describe('large responses', () => {
  const big = JSON.stringify({ data: 'x'.repeat(100_000) });
  test.each(['announced', 'streamed', 'packed'])(
    'a response that is too large fails without a retry (%s)',
    async (how) => {
      let count = 0;
      const server = await kept(
        http((_, response) => {
          count += 1;
          if (how === 'announced') response.writeHead(200, { 'content-length': big.length }).end(big);
          else if (how === 'packed')
            response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(big));
          else {
            const more = () => {
              while (response.write('x'.repeat(1000)));
              response.once('drain', more);
            };
            more();
          }
        }),
      );
      const { client } = wired(server.origin, { maxBodyBytes: 50_000 });
      const error = await failure(client.request(PLAIN));
      expect(error).toMatchObject({ kind: 'service', code: 'ANSWER_TOO_LARGE' });
      expect(count).toBe(1);
    },
  );
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %i fails, and the target receives no request',
    async (status) => {
      let visits = 0;
      const target = await kept(
        http((_, response) => {
          visits += 1;
          response.end('{}');
        }),
      );
      const location = `${target.origin}/v1/things?token=1`;
      const server = await kept(http((_, response) => response.writeHead(status, { location }).end('moved')));
      const { client, clock } = wired(server.origin, {
        credentials: {
          headers: async () => ({ authorization: 'x' }),
          query: () => ({}),
          refresh: async () => true,
        },
      });
      const error = await failure(client.request({ ...PLAIN, auth: true }));
      expect(error).toMatchObject({ code: 'REDIRECTED', status });
      expect((error as Error).message).toContain(target.origin);
      expect((error as Error).message).not.toContain('token');
      expect(visits).toBe(0);
      expect(clock.slept).toEqual([]);
    },
  );

  test('a redirect without a location also fails', async () => {
    const server = await kept(http((_, response) => response.writeHead(302).end()));
    expect(await failure(wired(server.origin).client.request(PLAIN))).toMatchObject({ code: 'REDIRECTED' });
  });
});

describe('an aborted request', () => {
  const interrupted = { kind: 'interrupted', code: 'INTERRUPTED' };

  test('a request fails without being sent if its signal is already aborted', async () => {
    const server = await kept(raw([GOOD]));
    const { client } = wired(server.origin);
    expect(await failure(client.request({ ...PLAIN, signal: AbortSignal.abort() }))).toMatchObject(
      interrupted,
    );
    expect(server.requests).toEqual([]);
  });

  test.each(['headers', 'body'])(
    'a request fails after an abort while it waits for the response %s',
    async (part) => {
      const controller = new AbortController();
      const server = await kept(
        http((_, response) => {
          if (part === 'body') response.writeHead(200).write('{"data"');
          setTimeout(() => controller.abort(), 20);
        }),
      );
      const { client } = wired(server.origin);
      expect(await failure(client.request({ ...PLAIN, signal: controller.signal }))).toMatchObject(
        interrupted,
      );
    },
  );

  test('a request that waits for a retry fails if the signal of the client aborts', async () => {
    const controller = new AbortController();
    const server = await kept(raw(['HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nretry-after: 60\r\n\r\n']));
    const { client } = wired(server.origin, {
      signal: controller.signal,
      clock: {
        now: Date.now,
        sleep: async (_, signal) => {
          setImmediate(() => controller.abort());
          await new Promise((_, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('stop'))),
          );
        },
      },
    });
    expect(await failure(client.request(PLAIN))).toMatchObject(interrupted);
  });

  test('a request fails after an abort while the credentials are being requested', async () => {
    const controller = new AbortController();
    const { client } = wired('http://127.0.0.1:9', {
      credentials: {
        headers: () => {
          setImmediate(() => controller.abort());
          return new Promise(() => {});
        },
        query: () => ({}),
        refresh: async () => false,
      },
    });
    const { signal } = controller;
    expect(await failure(client.request({ ...PLAIN, auth: true, signal }))).toMatchObject(interrupted);
  });
});
