import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { cheapVault } from '../auth/expired.ts';
import { KEYRING_PROGRAMS, startKeyring } from '../auth/keyring.ts';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import { cases } from '../runs.ts';
import { consent } from './browser.ts';
import { type Env, type Result, type Running, sandboxed, start, temporary } from './harness.ts';
import { Seen, spellingsOf, watch } from './leaks.ts';
import { loginUrl } from './newcomer.ts';
import { sendJson, stub } from './stub.ts';

// Runs commands from login to logout, each with --debug, against a service that echoes every request. Then searches for
// secrets in the output, in files, in command lines and in environments.

const WRONG = {
  'wrong client secret': 'Wr0ng+client/secret=of the-user',
  'wrong access token': 'opaque-wrong-access-token-0123456789',
  'wrong API key': 'key_wrong0123456789wrong',
  'typed secret': 'typed-on-the-command-line-42',
};
const PROXY_PASSWORD = 'proxy-p4ss%2Bword';
const PASSPHRASE = 'Tr0ub4dor & "three" horses / 7';

let now = Date.now();
const sandbox = await sandboxed({ rows: 30, oneOrigin: true, clock: () => now });

type Odd = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** Returns a text that repeats the whole request. A service in debug mode may send such a text in a response. */
const told = ({ headers, url }: IncomingMessage, body: string) =>
  `You sent ${url}: ${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')}; ${body}`;
/**
 * Like `told`, but returns only the values of headers and form fields, not their names. Without a name, the tool can mask a
 * secret only if it knows the secret.
 */
const bare = ({ headers }: IncomingMessage, body: string) =>
  `${Object.values(headers).join(' or ')} ${[...new URLSearchParams(body).values()].join(' or ')}`.replace(
    /bearer /gi,
    'the ',
  );

const ODD: Readonly<Record<string, Odd>> = {
  description: (request, body, response) => {
    const error = JSON.stringify({ error: 'invalid_client', error_description: told(request, body) });
    sendJson(response, 400, error);
  },
  bare: (request, body, response) => {
    sendJson(
      response,
      400,
      JSON.stringify({ error: 'invalid_grant', error_description: bare(request, body) }),
    );
  },
  html: (request, body, response) => {
    const page = `<html><head><title>${bare(request, body)}</title></head><body>${told(request, body)}</body></html>`;
    response.writeHead(501, { 'content-type': 'text/html' }).end(page);
  },
  text: (request, body, response) => {
    response.writeHead(400, { 'content-type': 'text/plain' }).end(`Bad: ${bare(request, body)}`);
  },
  details: (request, body, response) => {
    const details = {
      request: { headers: request.headers, body },
      raw: [told(request, body), bare(request, body)],
    };
    const encoded = encodeURIComponent(bare(request, body));
    const error = { success: false, error: `Refused: ${encoded}`, code: 'VALIDATION', details };
    sendJson(response, 422, JSON.stringify(error));
  },
  base64: (request, body, response) => {
    const echo = Buffer.from(`${bare(request, body)}`);
    sendJson(
      response,
      400,
      JSON.stringify({ error: 'bad', message: echo.toString('base64url'), details: echo.toString('hex') }),
    );
  },
  headers: (request, body, response) => {
    response.setHeader('x-echo', bare(request, body).replaceAll(/[\r\n]/g, ''));
    sendJson(response, 200, '{}');
  },
  redirect: (request, body, response) => {
    response
      .writeHead(302, {
        location: `https://else.example/?${new URLSearchParams({ was: bare(request, body) })}`,
      })
      .end();
  },
  broken: (request, body, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' });
    response.write(`{"data": "${bare(request, body)}`);
    setImmediate(() => response.destroy());
  },
};

const GAINED = ['code', 'code_verifier', 'access_token', 'refresh_token', 'id_token'];

/**
 * Starts a server in front of the sandbox. The server records every secret. If `state.odd` is set, it sends faulty responses.
 */
async function front(secrets: Map<string, string>) {
  const state: { odd: string | undefined; at: string } = { odd: undefined, at: '/' };
  const keep = (name: string, value: unknown) => {
    if (!GAINED.includes(name) || typeof value !== 'string') return;
    if (![...secrets.values()].includes(value)) secrets.set(`${name} ${secrets.size}`, value);
  };
  const { url } = await stub(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    for (const [name, value] of new URLSearchParams(body)) keep(name, value);
    const odd = request.url?.startsWith(state.at) ? ODD[state.odd ?? ''] : undefined;
    if (odd) return odd(request, body, response);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if (text.startsWith('{')) for (const [name, value] of Object.entries(JSON.parse(text))) keep(name, value);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  });
  return { url, state };
}

/**
 * Creates a home that contains every directory that the tool could write to. Also creates a browser command that records the
 * environment it gets.
 */
async function home(secrets: Map<string, string>, more: Env) {
  const { url, state } = await front(secrets);
  const root = temporary();
  const bin = temporary();
  const seen = new Seen();
  const [tmp, cwd, runtime] = ['tmp', 'cwd', 'run'].map((name) => join(root, name));
  for (const directory of [tmp, cwd, runtime]) mkdirSync(directory ?? '', { mode: 0o700 });
  const opened = join(bin, 'opened');
  // The fake browser prints its environment to stderr, and runs until the test has seen its process.
  const observed = join(bin, 'observed');
  const wait = `until [ -e '${observed}' ]; do sleep 0.05; done`;
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nenv > '${opened}'\nenv >&2\n${wait}\n`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const env: Env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: root,
    XDG_RUNTIME_DIR: runtime,
    TMPDIR: tmp,
    CRYPTODATA_CONFIG_DIR: undefined,
    CRYPTODATA_AUTH_URL: url,
    CRYPTODATA_BASE_URL: url,
    CRYPTODATA_LEGACY_BASE_URL: url,
    CRYPTODATA_CLIENT_ID: sandbox.clientId,
    HTTPS_PROXY: `http://proxy-user:${PROXY_PASSWORD}@127.0.0.1:9`,
    ...more,
  };
  const config = join(root, '.config', 'cryptodata');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const redirect = `redirect_uri = "http://127.0.0.1:${await freePort()}/callback"`;
  writeFileSync(join(config, 'config.toml'), `[profiles.default]\n${redirect}\n`);
  if (more['CRYPTODATA_KEYCHAIN'] === 'file') await cheapVault(config, PASSPHRASE, {});

  interface Step {
    readonly env?: Env;
    readonly meanwhile?: (running: Running) => Promise<unknown>;
    /** Set if the command prints a secret on purpose. */
    readonly secretOutput?: true;
  }
  const step = async (args: readonly string[], options: Step = {}): Promise<Result> => {
    const running = start([...args, '--debug'], { env: { ...env, ...options.env }, cwd: cwd ?? '' });
    const stop = watch(seen, running.child.pid ?? 0, root);
    try {
      await options.meanwhile?.(running);
      const result = await running.ended;
      if (!options.secretOutput) seen.add(`stdout of ${args.join(' ')}`, result.stdout);
      seen.add(`stderr of ${args.join(' ')}`, result.stderr);
      return result;
    } finally {
      await stop();
      seen.files(root);
    }
  };
  const answer = async (running: Running) =>
    fetch(await consent((await loginUrl(running)).replace(url, sandbox.url)));
  const answerInBrowser = async (running: Running) => {
    const isObserved = () =>
      /sh \S*xdg-open/.test(seen.text('command lines')) && seen.text('environments of children') !== '';
    await vi.waitUntil(isObserved, { timeout: 60_000 });
    writeFileSync(observed, '');
    return answer(running);
  };
  return { step, answer, answerInBrowser, seen, state, opened, root };
}

const KNOWN = new Map(Object.entries(WRONG));

describe.runIf(process.platform === 'linux')('no secret leaks anywhere', () => {
  test('with CRYPTODATA_CLIENT_SECRET and a keychain file, no secret leaks from login to logout', async () => {
    const secrets = new Map([
      ...KNOWN,
      ['client secret', sandbox.clientSecret],
      ['passphrase', PASSPHRASE],
      ['proxy password', PROXY_PASSWORD],
      ['proxy password as meant', decodeURIComponent(PROXY_PASSWORD)],
    ]);
    const { step, answerInBrowser, seen, state, opened } = await home(secrets, {
      CRYPTODATA_CLIENT_SECRET: sandbox.clientSecret,
      CRYPTODATA_KEYCHAIN: 'file',
      CRYPTODATA_PASSPHRASE: PASSPHRASE,
      // The user has unrelated variables that contain the same secret.
      MY_CLIENT_SECRET: sandbox.clientSecret,
      MY_HEADER: `x-client-secret: ${sandbox.clientSecret}`,
      HARMLESS: 'stays',
    });

    // At first, logins fail at the token endpoint. Then a login succeeds.
    for (const odd of cases(['bare', 'html'], 1)) {
      const { code } = await step(['login', '--no-browser'], {
        async meanwhile(running) {
          const ended = await consent((await loginUrl(running)).replace(/http:\/\/127[^/]+/, sandbox.url));
          state.odd = odd;
          await fetch(ended);
        },
      });
      state.odd = undefined;
      expect(code).not.toBe(0);
    }
    const login = await step(['login'], { meanwhile: answerInBrowser });
    expect(login.code, login.stderr).toBe(0);
    expect(readFileSync(opened, 'utf8')).toContain('HARMLESS=stays');
    seen.add('environment of the browser', readFileSync(opened, 'utf8'));

    const token = await step(['token'], { secretOutput: true });
    expect([...secrets.values()]).toContain(token.stdout.trim());
    for (const args of [
      ['whoami', '--fresh'],
      ['token', '--introspect'],
    ]) {
      expect(await step(args)).toMatchObject({ code: 0 });
    }
    // The access token expires. The first refresh fails because of a wrong client secret, and the second refresh because of a
    // failing endpoint. The third refresh succeeds.
    now += 25 * 3600 * 1000;
    const wrong = { CRYPTODATA_CLIENT_SECRET: WRONG['wrong client secret'] };
    expect((await step(['ledgers', '--json'], { env: wrong })).code).toBe(3);
    Object.assign(state, { odd: 'description', at: '/oidc/' });
    expect((await step(['ledgers', '--json'])).code).toBe(3);
    Object.assign(state, { odd: undefined, at: '/' });
    expect(await step(['ledgers', 'list', '--all'])).toMatchObject({ code: 0 });
    expect([...secrets.keys()].filter((name) => name.startsWith('refresh_token'))).toHaveLength(2);
    expect((await step(['ledgers', 'export', '--out', 'ledgers.csv'])).code).toBe(0);
    expect((await step(['api', '/api/v1/integrations', '--legacy', '--include'])).stderr).toContain(
      '[debug] GET',
    );

    for (const args of [
      ['login', `--client-secret=${WRONG['typed secret']}`],
      ['config', 'set', 'client_secret', WRONG['typed secret']],
      [
        'ledgers',
        '-q',
        `api_key=${WRONG['typed secret']}`,
        '--base-url',
        `https://u:${WRONG['typed secret']}@x`,
      ],
    ]) {
      expect((await step(args)).code).toBe(2);
    }
    // The user typed this secret as an argument. The tool cannot hide command lines from other users.
    secrets.delete('typed secret');
    expect(seen.find(KNOWN).filter((place) => !place.includes('command lines'))).toEqual([]);

    state.odd = 'details';
    const unrevoked = await step(['logout', '--json']);
    expect(JSON.parse(unrevoked.stdout)).toMatchObject({ hadSession: true, revoked: false });

    expect([...secrets.keys()].map((name) => name.replace(/ \d+$/, ''))).toEqual(
      expect.arrayContaining(GAINED),
    );
    expect(seen.places()).toContain('file .config/cryptodata/secrets.enc');
    expect(seen.places()).toContain('file cwd/ledgers.csv');
    expect(seen.text('command lines')).toContain('xdg-open');
    expect(seen.text('environments of children')).toContain('HARMLESS=stays');
    // The browser may need the proxy, so its environment keeps HTTPS_PROXY.
    const found = seen.find(secrets).filter((one) => !/^proxy password.* in environment/.test(one));
    expect(found).toEqual([]);
  });

  test('commands with credentials in the environment leak no secret, not even in a crash', async () => {
    const accessToken = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
    const secrets = new Map([
      ...KNOWN,
      ['access token', accessToken],
      ['API key', sandbox.apiKey],
      ['client secret', sandbox.clientSecret],
    ]);
    const { step, seen, state } = await home(secrets, {});
    const key = { CRYPTODATA_API_KEY: sandbox.apiKey, CRYPTODATA_WORKSPACE: sandbox.workspaceId };
    const bearer = { CRYPTODATA_ACCESS_TOKEN: accessToken };

    expect((await step(['api', '/v1/users/me', '--include'], { env: key })).code).toBe(0);
    const wrongKey = { ...key, CRYPTODATA_API_KEY: WRONG['wrong API key'] };
    expect((await step(['ledgers'], { env: wrongKey })).code).toBe(3);
    const wrongToken = { CRYPTODATA_ACCESS_TOKEN: WRONG['wrong access token'] };
    expect((await step(['ledgers'], { env: wrongToken })).code).toBe(3);
    for (const [odd, env] of [
      ['details', key],
      ['text', wrongToken],
      ['details', bearer],
    ] as const) {
      state.odd = odd;
      expect((await step(['ledgers', '--json'], { env })).code).toBe(7);
    }
    for (const odd of cases(['headers', 'redirect', 'broken', 'base64', 'text', 'html', 'details'], 4)) {
      state.odd = odd;
      const format = odd === 'details' || odd === 'base64' ? ['--json'] : ['--include'];
      // The legacy API also receives the client secret. A POST is not retried.
      const { code, stderr } = await step(['api', 'POST', '/v0/x', '--legacy', '--yes', ...format], {
        env: { ...bearer, CRYPTODATA_CLIENT_SECRET: sandbox.clientSecret },
      });
      expect([odd, code === 0]).toEqual([odd, odd === 'headers']);
      expect([odd, stderr.includes('***')]).toEqual([odd, odd !== 'redirect']);
      const [json = '{}'] = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
      expect(JSON.parse(json)).toEqual(format.includes('--json') ? { error: expect.anything() } : {});
    }
    state.odd = undefined;

    // Test two credentials at once, and then a token that is not a valid header value.
    expect((await step(['ledgers'], { env: { ...key, ...bearer } })).code).toBe(2);
    expect((await step(['ledgers'], { env: { CRYPTODATA_ACCESS_TOKEN: `${accessToken}\nx` } })).code).toBe(2);
    const gone = `http://127.0.0.1:${await freePort()}`;
    expect((await step(['ledgers'], { env: { ...bearer, CRYPTODATA_BASE_URL: gone } })).code).toBe(13);

    // Cause an uncaught error during a request.
    const crashes = ['process.emitWarning(error); throw error', 'Promise.reject(error)', 'throw error'];
    for (const thrown of cases(crashes, 1)) {
      const script = `const token = process.env.CRYPTODATA_ACCESS_TOKEN;
        if (token) setInterval(() => {
          if (process.listenerCount('uncaughtException') === 0) return;
          const error = new Error('Bug with ' + token, { cause: new Error(Buffer.from(token).toString('hex')) });
          ${thrown};
        }, 5)`;
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
      const { code, stderr } = await step(['ledgers'], { env: { ...bearer, NODE_OPTIONS } });
      expect([code, stderr]).toEqual([1, expect.stringContaining('This is a bug in cryptodata')]);
    }
    expect(seen.find(secrets)).toEqual([]);
  });

  test("sandbox exec and its command receive none of the user's credentials", async () => {
    const { step, seen } = await home(new Map(), {});
    // The sandbox has its own credentials. The user's credentials must not reach the sandbox or the command.
    const inside = await step(['sandbox', 'exec', '--rows', '1', '--', 'sh', '-c', 'env >&2; sleep 0.1'], {
      env: {
        CRYPTODATA_ACCESS_TOKEN: WRONG['wrong access token'],
        cryptodata_api_key: WRONG['wrong API key'],
        CRYPTODATA_CLIENT_SECRET: WRONG['wrong client secret'],
        OWN: 'stays',
      },
    });
    expect(inside).toMatchObject({ code: 0, stderr: expect.stringContaining('OWN=stays') });
    expect(inside.stderr).toContain('CRYPTODATA_ACCESS_TOKEN=');
    expect(seen.text('environments of children')).toContain('OWN=stays');
    expect(seen.find(KNOWN)).toEqual([]);
  });

  test.skipIf(!needs(...KEYRING_PROGRAMS))(
    'with the system keychain, no secret leaks from login to logout',
    async () => {
      const secrets = new Map([['client secret', sandbox.clientSecret]]);
      const { XDG_DATA_HOME: _, HOME: __, PATH: ___, ...bus } = await startKeyring();
      const { step, answer, seen, state } = await home(secrets, { ...bus, HTTPS_PROXY: undefined });
      const env = { CRYPTODATA_CLIENT_SECRET: sandbox.clientSecret, MY_CLIENT_SECRET: sandbox.clientSecret };
      const login = await step(['login', '--no-browser'], { env, meanwhile: answer });
      expect(login.code, login.stderr).toBe(0);
      now += 25 * 3600 * 1000;
      expect((await step(['ledgers'])).code).toBe(0);
      state.odd = 'description';
      expect((await step(['whoami', '--fresh', '--json'])).code).not.toBe(0);
      state.odd = undefined;
      expect((await step(['logout'])).code).toBe(0);
      expect(secrets.size).toBeGreaterThan(7);
      // The command line of the keychain's helper process was recorded.
      expect(seen.text('command lines')).toContain('keyring');
      expect(seen.text('environments of children')).toContain('DBUS_SESSION_BUS_ADDRESS=');
      expect(seen.find(secrets)).toEqual([]);
    },
  );
});

describe.runIf(process.platform === 'linux')('the search for secrets', () => {
  const secret = 'planted/secret+of "40" characters, so long';

  test.each(spellingsOf(secret).map((spelling) => [spelling]))(
    'the leak search finds a secret in this spelling: %s',
    (spelling) => {
      const seen = new Seen();
      seen.add('stderr', `before ${spelling} after`);
      expect(seen.find(new Map([['it', secret]]))).toHaveLength(1);
      expect(seen.find(new Map([['another', 'no secret that was ever planted']]))).toEqual([]);
    },
  );

  test('the leak search finds a secret in a deleted file, a command line and an environment', async () => {
    const seen = new Seen();
    const directory = temporary();
    const script = `const { spawn } = require('node:child_process');
      const fs = require('node:fs');
      fs.writeFileSync('kept', '');
      spawn('sleep', ['60'], { env: { HIDDEN: process.env.PLANTED } });
      spawn('sh', ['-c', 'sleep 60; : ' + Buffer.from(process.env.PLANTED).toString('hex')]);
      fs.mkdirSync('deep');
      fs.writeFileSync('deep/file', process.env.PLANTED);
      process.stdin.once('data', () => { fs.rmSync('deep', { recursive: true }); process.exit(); });`;
    const child = spawn('setsid', ['-w', process.execPath, '-e', script], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', PLANTED: secret },
    });
    const stop = watch(seen, child.pid ?? 0, directory);
    const places = () => seen.find(new Map([['it', secret]])).map((one) => /in (\w+ ?\S*)/.exec(one)?.[1]);
    const wanted = ['command lines', 'environments of', 'file deep/file'];
    while (!wanted.every((place) => places().includes(place))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.stdin.end('done');
    await once(child, 'exit');
    await stop();
    expect(existsSync(join(directory, 'deep'))).toBe(false);
    expect(seen.places()).toContain('file kept');
  });
});
