import { createServer } from 'node:http';
import { type AddressInfo, connect as tcpConnect } from 'node:net';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../src/core/dispatcher.ts';
import { bench, failure, PLAIN } from './helpers.ts';
import { http, type Running } from './servers.ts';

/** Requests that the proxy received. */
const asked: string[] = [];
let refuse: number | undefined;
let target: Running;
let proxy: string;
const proxyServer = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.writeHead(500).end();
});
// The proxy connects every host name to the target on this machine.
proxyServer.on('connect', (request, socket) => {
  asked.push(`CONNECT ${request.url}`);
  if (refuse !== undefined) {
    socket.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
    return;
  }
  const onward = tcpConnect(target.port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    onward.pipe(socket).pipe(onward);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
});

beforeAll(async () => {
  target = await http((request, response) => response.end(JSON.stringify({ host: request.headers.host })));
  await new Promise<void>((resolve) => proxyServer.listen(0, '127.0.0.1', resolve));
  proxy = `http://127.0.0.1:${(proxyServer.address() as AddressInfo).port}`;
});
afterEach(() => {
  asked.length = 0;
  refuse = undefined;
});
afterAll(async () => {
  proxyServer.closeAllConnections();
  await new Promise((resolve) => proxyServer.close(resolve));
  await target.close();
});

/** Sends a request to `address` with the proxy variables in `env`. */
async function ask(address: string, env: NodeJS.ProcessEnv) {
  const dispatcher = createDispatcher({ env });
  const { client } = bench({ addresses: () => address, dispatcher, retries: 0 });
  try {
    return (await client.request(PLAIN)).body;
  } finally {
    await dispatcher.close();
  }
}

describe('proxy variables', () => {
  test.each(['http_proxy', 'HTTP_PROXY'])('the proxy in %s is used for http', async (name) => {
    expect(await ask('http://service.test', { [name]: proxy })).toEqual({ host: 'service.test' });
    expect(asked).toEqual(['CONNECT service.test:80']);
  });

  test.each(['https_proxy', 'HTTPS_PROXY'])(
    'the proxy in %s is used for https, through a tunnel',
    async (name) => {
      // The target does not support TLS, so only the tunnel request matters.
      expect(await failure(ask('https://service.test', { [name]: proxy }))).toMatchObject({
        kind: 'network',
      });
      expect(asked).toEqual(['CONNECT service.test:443']);
    },
  );

  test.each(['127.0.0.1', 'localhost', '127.8.9.1'])(
    'a proxy is never used for the local machine: %s',
    async (host) => {
      const address = `http://${host}:${target.port}`;
      const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
      // The request may fail, because only Linux reserves all of 127.0.0.0/8. The proxy must not receive the request.
      await ask(address, env).catch(() => {});
      expect(asked).toEqual([]);
    },
  );

  test.each(['no_proxy', 'NO_PROXY'])(
    'the proxy is not used for a host that is listed in %s',
    async (name) => {
      const env = { HTTP_PROXY: proxy, [name]: 'other.test, .invalid' };
      expect(await failure(ask('http://service.invalid', env))).toMatchObject({
        code: expect.stringMatching(/^NAME_/),
      });
      expect(asked).toEqual([]);
      await ask('http://service.test', env);
      expect(asked).toHaveLength(1);
    },
  );

  test.each([
    [403, 'does not allow this connection (HTTP 403)', /NO_PROXY/],
    [407, 'requires a valid user name and password (HTTP 407)', /USER:PASSWORD@/],
    [502, 'cannot reach the server (HTTP 502)', /Try again later/],
  ])(
    'a proxy that answers %i causes a PROXY_FAILED error that contains the address of the proxy',
    async (status, says, hint) => {
      refuse = status;
      const { host } = new URL(proxy);
      const env = { HTTP_PROXY: `http://me:hunter2@${host}` };
      const error = await failure(ask('http://service.test', env));
      expect(error).toMatchObject({
        kind: 'network',
        code: 'PROXY_FAILED',
        message: `The proxy ${says}: ${proxy}, for http://service.test`,
        hint: expect.stringMatching(hint),
        details: { proxy, proxyStatus: status },
      });
    },
  );

  test('the error for a proxy address at which nothing listens mentions the proxy, not the sandbox', async () => {
    const error = await failure(ask('http://service.test', { HTTP_PROXY: 'http://me:hunter2@127.0.0.1:9' }));
    expect(error).toMatchObject({
      kind: 'network',
      code: 'PROXY_FAILED',
      message: 'Connection refused: the proxy http://127.0.0.1:9 [ECONNREFUSED]',
      hint: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
    });
  });

  test('an unknown host in NO_PROXY is reported as an unknown name, not as a failure of the proxy', async () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'service.invalid' };
    expect(await failure(ask('http://service.invalid', env))).toMatchObject({
      code: expect.stringMatching(/^NAME_/),
    });
  });

  test.each(['', ' '])('if no_proxy is %j, NO_PROXY is used', async (blank) => {
    const env = { HTTP_PROXY: proxy, no_proxy: blank, NO_PROXY: 'service.invalid' };
    await failure(ask('http://service.invalid', env));
    expect(asked).toEqual([]);
  });

  test('no proxy is used if no proxy variable is set', async () => {
    await ask(target.origin, {});
    expect(asked).toEqual([]);
  });

  test('closing the dispatcher closes direct connections', async () => {
    const dispatcher = createDispatcher({ env: { HTTP_PROXY: proxy } });
    const { client } = bench({ addresses: () => target.origin, dispatcher, retries: 0 });
    await client.request(PLAIN);
    await dispatcher.close();
    expect(await failure(client.request(PLAIN))).toMatchObject({ kind: 'network' });
  });
});

test('if the dispatcher is destroyed, the connections that go through a proxy are closed', async () => {
  const dispatcher = createDispatcher({ env: { HTTP_PROXY: proxy } });
  const { client } = bench({ addresses: () => 'http://service.test', dispatcher, retries: 0 });
  await client.request(PLAIN);
  await dispatcher.destroy();
  expect(await failure(client.request(PLAIN))).toMatchObject({ code: 'CLIENT_CLOSED' });
});

test.each(['http://', 'ftp://proxy:21', 'http://[', 'user:hunter2@['])(
  'rejects the proxy URL %j without printing the URL',
  (value) => {
    expect(() => createDispatcher({ env: { HTTPS_PROXY: value } })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        code: 'BAD_PROXY',
        message: 'HTTPS_PROXY is not the address of an HTTP proxy',
      }),
    );
  },
);

test('uses http for a proxy URL without a scheme, and ignores a blank proxy variable', async () => {
  expect(await ask('http://service.test', { HTTP_PROXY: ` ${new URL(proxy).host} ` })).toEqual({
    host: 'service.test',
  });
  expect(asked).toEqual(['CONNECT service.test:80']);
  expect(createDispatcher({ env: { HTTP_PROXY: ' ' } })).toBeInstanceOf(Agent);
});
