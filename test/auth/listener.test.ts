import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForRedirect } from '../../src/auth/listener.ts';
import { freePort } from '../free-port.ts';
import { runs } from '../runs.ts';
import { failure } from './support.ts';

async function start() {
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  const listener = await listenForRedirect(redirectUri, 'the-state');
  onTestFinished(() => listener.close());
  const ask = async (path: string, method = 'GET') => {
    const dispatcher = new Agent();
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, {
      method,
      dispatcher,
    });
    return { status: statusCode, headers, text: await body.text() };
  };
  return { port, redirectUri, listener, ask };
}

describe('the redirect', () => {
  it('the listener returns the authorization code; the page in the browser loads nothing and sends no referrer', async () => {
    const { listener, ask } = await start();
    const answer = await ask('/callback?code=a%2Bb&state=the-state&iss=https%3A%2F%2Felsewhere');
    expect(await listener.code).toBe('a+b');
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('close this window');
    expect(answer.text).not.toMatch(/a\+b|the-state|https?:|<script|<img|<link/);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
  });

  it.each([
    ['two codes', 'code=c&code=d&state=the-state', 'CALLBACK_INVALID'],
    ['two errors', 'error=a&error=b&state=the-state', 'CALLBACK_INVALID'],
    ['a missing code', 'state=the-state', 'CALLBACK_INVALID'],
    ['an empty code', 'code=&state=the-state', 'CALLBACK_INVALID'],
    ['a denial', 'error=access_denied&state=the-state', 'ACCESS_DENIED'],
    ['a code and an error', 'code=c&error=access_denied&state=the-state', 'ACCESS_DENIED'],
    ['the error invalid_scope', 'error=invalid_scope&error_description=x&state=the-state', 'INVALID_SCOPE'],
  ])('a redirect with %s ends the login with a specific error', async (_, query, code) => {
    const { listener, ask } = await start();
    const answer = await ask(`/callback?${query}`);
    expect(answer.status).toBe(400);
    expect((await failure(listener.code)).code).toBe(code);
  });

  it.each([
    ['no query', '/callback'],
    ['an empty query', '/callback?'],
    ['a missing state', '/callback?code=c'],
    ['an empty state', '/callback?code=c&state='],
    ['a forged state', '/callback?code=c&state=forged'],
    ['a longer state', '/callback?code=c&state=the-state1'],
    ['two states', '/callback?code=c&state=the-state&state=the-state'],
    ['an error and a forged state', '/callback?error=access_denied&state=forged'],
    ['an error and no state', '/callback?error=server_error'],
  ])('a request with %s gets an error page, and the login continues to wait', async (_, path) => {
    const { listener, ask } = await start();
    for (let count = 0; count < 20; count++) {
      const { status, text } = await ask(path);
      expect([status, text]).toEqual([400, expect.stringContaining('does not belong to the login')]);
    }
    expect((await ask('/callback?code=right&state=the-state')).status).toBe(200);
    expect(await listener.code).toBe('right');
  });

  it('the page after a redirect shows the error description as plain text', async () => {
    const { ask } = await start();
    const script = encodeURIComponent('<script>alert("1")</script>');
    const { text } = await ask(`/callback?error=${script}&error_description=%3Cb%3E'&state=the-state`);
    expect(text).not.toMatch(/<script|<b>/);
    expect(text).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;');
  });

  it('the redirect is accepted only once', async () => {
    const { listener, ask } = await start();
    await ask('/callback?code=first&state=the-state');
    expect((await ask('/callback?code=second&state=the-state')).status).toBe(410);
    expect(await listener.code).toBe('first');
  });
});

describe('the redirect listener', () => {
  it.each([
    ['GET', '/', 404],
    ['GET', '/favicon.ico', 404],
    ['GET', '/callback/', 404],
    ['GET', '/callback/../callback?code=c&state=the-state', 404],
    ['GET', '/CALLBACK?code=c&state=the-state', 404],
    ['GET', '//callback?code=c&state=the-state', 404],
    ['POST', '/callback?code=c&state=the-state', 405],
    ['HEAD', '/callback?code=c&state=the-state', 405],
    ['PUT', '/', 404],
  ])('responds to %s %s with an error and keeps waiting for the redirect', async (method, path, status) => {
    const { port, listener, ask } = await start();
    // Send the request as raw bytes, because HTTP clients normalise paths.
    const text = await raw(port, `${method} ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text.split('\r\n\r\n')[1]).toBe('');
    await ask('/callback?code=right&state=the-state');
    expect(await listener.code).toBe('right');
  });

  it.each([
    ['a request that is not HTTP', '\u0016\u0003\u0001 TLS, perhaps\r\n\r\n'],
    ['endless headers', `GET /callback HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['an endless request line', `GET /callback?code=${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('rejects %s and keeps waiting for the redirect', async (_, bytes) => {
    const { port, listener, ask } = await start();
    expect(await raw(port, bytes)).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    await ask('/callback?code=right&state=the-state');
    expect(await listener.code).toBe('right');
  });

  it('a query without the correct state does not end the login', async () => {
    const name = fc.constantFrom(
      'code',
      'state',
      'error',
      'error_description',
      'iss',
      'x',
      '',
      '%',
      '__proto__',
    );
    const value = fc.oneof(
      fc.constantFrom('the-stat', 'THE-STATE', 'the-state%00', '', '%zz', '%00'),
      fc.webQueryParameters(),
    );
    const query = fc
      .array(
        fc.tuple(name, value).map(([n, v]) => `${n}=${v}`),
        { maxLength: 5 },
      )
      .map((parts) => parts.join('&'));
    const agent = new Agent();
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const port = await freePort();
        const listener = await listenForRedirect(`http://127.0.0.1:${port}/callback`, 'the-state');
        const answer = await raw(port, `GET /callback?${text} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1.1 400 /);
        await request(`http://127.0.0.1:${port}/callback?code=right&state=the-state`, { dispatcher: agent });
        expect(await listener.code).toBe('right');
        await listener.close();
      }),
      { numRuns: runs(60) },
    );
  });
});

// Requests that a local program or a web page might send. None of these requests is the redirect.
describe('malformed and foreign requests', () => {
  const REDIRECT = '/callback?code=c&state=the-state';

  const host = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`];
  const wrongHost = (port: number) =>
    fc.constantFrom(
      ['Host: evil.example'],
      [`Host: evil.example:${port}`],
      [`Host: 127.0.0.1:${port}.evil.example`],
      [`Host: evil.example@127.0.0.1:${port}`],
      ['Host: 127.0.0.1'],
      [`Host: [::1]:${port}`],
      ['Host:'],
      [],
      ['Host: evil.example', `Host: 127.0.0.1:${port}`],
      [`X-Forwarded-Host: 127.0.0.1:${port}`],
    );
  const rightHost = (port: number) => fc.constantFrom(...host(port).map((name) => [`Host: ${name}`]));

  const header = fc.oneof(
    fc.constantFrom(
      'Connection: keep-alive',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Expect: 100-continue',
      'Expect: nothing',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Origin: https://evil.example',
      'Cookie: state=the-state; code=c',
      `X: ${'x'.repeat(20_000)}`,
      'X\0Y: z',
      ' folded',
      ':',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 30 }),
  );

  /** Generates the bytes of a request that is not the redirect. */
  function request(port: number): fc.Arbitrary<string> {
    const other = fc.record({
      method: fc.oneof(
        fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'PUT', 'TRACE', 'CONNECT', 'PRI', 'get', 'G\0T', ''),
        fc.string({ maxLength: 8 }).filter((text) => text.trim() !== 'GET'),
      ),
      target: fc.constant(REDIRECT),
      host: rightHost(port),
    });
    const elsewhere = fc.record({
      method: fc.constantFrom('GET', 'POST'),
      target: fc.oneof(
        fc.constantFrom(
          `http://127.0.0.1:${port}${REDIRECT}`,
          `/%63allback${REDIRECT.slice(9)}`,
          `//127.0.0.1${REDIRECT}`,
          `/x/..${REDIRECT}`,
          `/.${REDIRECT}`,
          `/callback/${REDIRECT.slice(9)}`,
          `/callback;${REDIRECT.slice(9)}`,
          `/callback%3F${REDIRECT.slice(10)}`,
          `/callback#${REDIRECT.slice(9)}`,
          `/callback\0${REDIRECT.slice(9)}`,
          `/CALLBACK${REDIRECT.slice(9)}`,
          `\\callback${REDIRECT.slice(9)}`,
          '*',
          '',
          '/',
          `/${'x'.repeat(20_000)}`,
        ),
        fc.webPath(),
        fc.string({ unit: 'binary-ascii' }).map((text) => `/x${text}`),
      ),
      host: rightHost(port),
    });
    const rebound = fc.record({
      method: fc.constant('GET'),
      target: fc.constant(REDIRECT),
      host: wrongHost(port),
    });
    return fc
      .tuple(
        fc.oneof(other, elsewhere, rebound),
        fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 ', 'RTSP/1.0', ''),
        fc.array(header, { maxLength: 3 }),
        fc.oneof(
          fc.constant(''),
          fc.string({ unit: 'binary-ascii' }),
          fc.constant('5\r\nhello\r\n0\r\n\r\n'),
        ),
      )
      .map(([{ method, target, host }, version, headers, body]) =>
        [`${method} ${target} ${version}`, ...host, ...headers, '', body].join('\r\n'),
      );
  }

  it('malformed and foreign requests get an error or no response, and do not end the login', async () => {
    const { port, listener, ask } = await start();
    let over = false;
    listener.code.then(
      () => (over = true),
      () => (over = true),
    );
    const pieces = fc.array(fc.nat(400), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request(port), { minLength: 1, maxLength: 3 }),
        pieces,
        async (requests, cuts) => {
          const answer = await raw(port, requests.join(''), '127.0.0.1', cuts);
          const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
          expect(statuses.filter((status) => status !== 100 && status < 400)).toEqual([]);
          // A response contains only the usual headers. The line "0" is an empty chunked body.
          const headers = 'allow|content-length|transfer-encoding|connection|date|keep-alive';
          const usual = new RegExp(`^(HTTP/1\\.1 \\d+ [\\w -]+|(?:${headers}): [^\\r]*|0)?\\r\\n`, 'gim');
          expect(answer.replace(usual, '')).toBe('');
          expect(over).toBe(false);
        },
      ),
      { numRuns: runs(300) },
    );
    const { status } = await ask('/callback?code=right&state=the-state');
    expect([status, await listener.code]).toEqual([200, 'right']);
  });

  it('incomplete requests do not block a login', async () => {
    const { port, listener, ask } = await start();
    // Each connection sends only the beginning of a request.
    const idle = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => undefined).write('GET /callback?code=c&sta');
    await ask('/callback?code=right&state=the-state');
    expect(await listener.code).toBe('right');
    await listener.close();
    await Promise.all(idle.map((socket) => socket.closed || once(socket, 'close')));
  });
});

describe('the port of the listener', () => {
  it('a port that is already in use causes a usage error that mentions redirect_uri', async () => {
    const { redirectUri } = await start();
    const error = await failure(listenForRedirect(redirectUri, 's'));
    expect([error.kind, error.code]).toEqual(['usage', 'PORT_IN_USE']);
    expect(error.hint).toContain('redirect_uri');
  });

  it('closing the listener closes its port and all connections, including idle connections', async () => {
    const { port, listener } = await start();
    const idle = connect(port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const closed = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => undefined);
    await listener.close();
    await closed;
    await expect(raw(port, '')).rejects.toThrow('ECONNREFUSED');
  });

  it('the listener is bound to 127.0.0.1 only', async () => {
    const { port } = await start();
    await expect(raw(port, '', '127.0.0.2')).rejects.toThrow('ECONNREFUSED');
  });
});

/**
 * Sends bytes and returns the whole response. If `cuts` is set, the bytes are sent in pieces, and then the connection is ended.
 */
function raw(port: number, bytes: string, host = '127.0.0.1', cuts?: readonly number[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true });
    let text = '';
    socket.on('connect', async () => {
      if (!cuts) return void socket.write(bytes);
      let start = 0;
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        if (cut > start) socket.write(bytes.slice(start, cut), 'latin1');
        start = Math.max(start, cut);
        await new Promise(setImmediate);
      }
      socket.end(bytes.slice(start), 'latin1');
    });
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(text) : reject(error),
    );
  });
}
