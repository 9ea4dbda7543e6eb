import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { saveApiKey } from '../../src/auth/api-key.ts';
import { type LoginOptions, login } from '../../src/auth/login.ts';
import { deleteApiKey } from '../../src/auth/secrets.ts';
import { openSession } from '../../src/auth/session.ts';
import { refreshLogFile } from '../../src/auth/session-file.ts';
import { introspect } from '../../src/auth/token.ts';
import { Settings } from '../../src/config/settings.ts';
import { freePort } from '../free-port.ts';
import { AUTH, failure, type HostOptions, jwt, type TestHost, testHost } from './support.ts';

// The default scopes in the specification.
const SCOPES =
  'openid profile offline_access email portfolios:read transactions:read integrations:read tax:read accounting:read reports:read workspace:read users:read';

async function start(options: HostOptions = {}) {
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  const host = testHost({ ...options, profile: { redirect_uri: redirectUri, ...options.profile } });
  return { host, port, redirectUri };
}

/** Requests the redirect URI, as a browser does after the user has given consent. */
async function browse(url: string, change: (parameters: URLSearchParams) => void = () => undefined) {
  const asked = new URL(url).searchParams;
  const parameters = new URLSearchParams({ code: 'the-code', state: asked.get('state') ?? '' });
  change(parameters);
  const { body } = await request(`${asked.get('redirect_uri')}?${parameters}`, { dispatcher: new Agent() });
  await body.dump();
}

function tokens(host: TestHost, body: Record<string, unknown> = {}, status = 200, authUrl = AUTH) {
  const forms: URLSearchParams[] = [];
  const answer = {
    access_token: jwt({ sub: 'u1', workspaceId: 'ws_1', workspaceName: 'Books', plan: 'pro' }),
    token_type: 'Bearer',
    expires_in: 86400,
    refresh_token: 'rt-1',
    scope: SCOPES,
    id_token: 'not looked at',
  };
  host.dispatcher
    .get(authUrl)
    .intercept({ path: '/oidc/token', method: 'POST' })
    .reply(
      status,
      ({ body: form }) => {
        forms.push(new URLSearchParams(String(form)));
        return status === 200 ? { ...answer, ...body } : body;
      },
      { headers: { 'content-type': 'application/json' } },
    );
  return forms;
}

/** Returns settings in which the profile `acme` has the same address and client as the host. */
function acmeOf({ settings, env }: TestHost): Settings {
  const keys = ['auth_url', 'client_id', 'redirect_uri'] as const;
  const profile = Object.fromEntries(keys.map((key) => [key, settings.require(key)]));
  return new Settings({ flags: {}, env, profileFlag: 'acme', file: { profiles: { acme: profile } } });
}

const quiet: LoginOptions = { onUrl: () => undefined };

/** Asserts that a failed login leaves nothing behind: no open port, no secret, no file. */
async function nothingLeft(host: TestHost, port: number) {
  expect([...host.keychain.entries]).toEqual([]);
  const sessions = join(host.directory, 'sessions');
  expect(existsSync(sessions) ? readdirSync(sessions) : []).toEqual([]);
  const server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  server.close();
}

describe('a login', () => {
  it('login sends only the specified parameters, uses PKCE, and stores the tokens', async () => {
    const { host, redirectUri } = await start();
    const forms = tokens(host);
    const urls: [string, string][] = [];
    const result = await login(host, {
      onUrl: (url, redirect) => urls.push([url, redirect]),
      openBrowser: browse,
      clientSecret: 'typed',
    });
    const [[url = '', told] = []] = urls;
    expect(told).toBe(redirectUri);
    expect(url.startsWith(`${AUTH}/oidc/auth?`)).toBe(true);
    const asked = new URL(url).searchParams;
    expect([...asked.keys()].sort()).toEqual([
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ]);
    expect(asked.get('scope')).toBe(SCOPES);
    expect([asked.get('response_type'), asked.get('code_challenge_method')]).toEqual(['code', 'S256']);
    const verifier = forms[0]?.get('code_verifier') ?? '';
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    expect(asked.get('code_challenge')).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect([forms[0]?.get('code'), forms[0]?.get('client_secret')]).toEqual(['the-code', 'typed']);
    expect(result.info).toEqual({
      source: 'session',
      sub: 'u1',
      workspaceId: 'ws_1',
      workspaceName: 'Books',
      workspaceType: null,
      role: null,
      plan: 'pro',
      scopesGranted: SCOPES.split(' '),
      scopesRequested: SCOPES.split(' '),
      obtainedAt: host.time,
      accessExpiresAt: host.time + 86_400_000,
      refreshExpiresAt: host.time + 30 * 86_400_000,
    });
    expect(result.notGranted).toEqual([]);
    expect(host.keychain.entries.get('default:refresh-token')).toBe('rt-1');
    expect(host.keychain.entries.get('default:client-secret')).toBe('typed');
    expect(host.lines.join()).not.toMatch(/rt-1|typed|the-code/);
  });

  it('each login uses a new state and a new PKCE verifier', async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const { host } = await start();
      const [forms] = [tokens(host)];
      await login(host, {
        onUrl: (url) => seen.add(new URL(url).searchParams.get('state') ?? ''),
        openBrowser: browse,
      });
      seen.add(forms[0]?.get('code_verifier') ?? '');
    }
    expect(seen.size).toBe(6);
  });

  it('a login reports the scopes that were not granted', async () => {
    const { host } = await start();
    tokens(host, { scope: 'openid email' });
    const result = await login(host, {
      ...quiet,
      openBrowser: browse,
      scopes: ['openid', 'email', 'contacts:read'],
    });
    expect([result.granted, result.notGranted]).toEqual([['openid', 'email'], ['contacts:read']]);
  });

  it('a login without offline_access removes the previous refresh token', async () => {
    const { host } = await start();
    host.keychain.entries.set('default:refresh-token', 'old');
    tokens(host, { refresh_token: undefined, scope: 'openid' });
    const { info } = await login(host, { ...quiet, openBrowser: browse });
    expect(info.refreshExpiresAt).toBeNull();
    expect(host.keychain.entries.has('default:refresh-token')).toBe(false);
  });

  it('a login deletes the refresh log of an interrupted refresh', async () => {
    const { host } = await start();
    mkdirSync(join(host.directory, 'sessions'));
    writeFileSync(refreshLogFile(host.directory, 'default'), '{}');
    tokens(host);
    await login(host, { ...quiet, openBrowser: browse });
    expect(readdirSync(join(host.directory, 'sessions'))).toEqual(['default.session']);
  });

  it('an interrupted login at a new server removes the refresh token of the previous server', async () => {
    const { host } = await start();
    tokens(host);
    await login(host, { ...quiet, openBrowser: browse });
    const { directory, keychain } = host;
    const authUrl = 'https://other.example.com';
    const { host: there } = await start({ directory, keychain, profile: { auth_url: authUrl } });
    tokens(there, {}, 200, authUrl);
    const { set } = keychain;
    keychain.set = async (account, secret) => {
      if (account === 'default:client-secret') throw new Error('the power went');
      return set.call(keychain, account, secret);
    };
    await expect(login(there, { ...quiet, openBrowser: browse })).rejects.toThrow('the power went');
    expect((await failure(openSession(there).accessToken())).code).toBe('NOT_LOGGED_IN');
    expect(keychain.entries.has('default:client-secret')).toBe(false);
  });

  it.each([
    ['another server', { auth_url: 'https://other.example.com' }],
    ['another client', { client_id: 'another' }],
  ])('does not send the stored client secret to %s', async (_, profile) => {
    const { host } = await start();
    tokens(host);
    await login(host, { ...quiet, openBrowser: browse });
    const { directory, keychain } = host;
    const { host: there } = await start({ directory, keychain, env: {}, profile });
    const error = await failure(login(there, { ...quiet, openBrowser: browse }));
    expect(error.code).toBe('MISSING_CLIENT_SECRET');
    expect((await failure(introspect(there, async () => 'at'))).code).toBe('MISSING_CLIENT_SECRET');
    const { host: here } = await start({ directory, keychain, env: {} });
    expect(tokens(here)).toEqual([]);
    await login(here, { ...quiet, openBrowser: browse });
  });

  it('a login does not send a stored client secret if the server of the secret is unknown', async () => {
    const { host } = await start({ env: {} });
    host.keychain.entries.set('default:client-secret', 'whose?');
    expect((await failure(login(host, { ...quiet, openBrowser: browse }))).code).toBe(
      'MISSING_CLIENT_SECRET',
    );
  });

  it('accepts a pasted URL if the browser cannot be opened', async () => {
    const { host, port } = await start();
    tokens(host);
    const told: string[] = [];
    let give: (line: string) => void = () => undefined;
    const line = new Promise<string>((resolve) => {
      give = resolve;
    });
    async function* pasted() {
      yield 'what?';
      yield await line;
    }
    const result = await login(host, {
      onUrl: (url) =>
        give(`http://127.0.0.1:${port}/callback?code=pasted&state=${new URL(url).searchParams.get('state')}`),
      openBrowser: async () => {
        throw new Error('no browser');
      },
      pasted: pasted(),
      onBadPaste: (message) => told.push(message),
    });
    expect(result.granted).toContain('openid');
    expect(host.lines).toContain('cannot open a browser: no browser');
  });

  it('one redirect completes a login, whether the user pastes it or the browser sends it', async () => {
    const one = await start();
    tokens(one.host);
    let give: (line: string) => void = () => undefined;
    const text = new Promise<string>((resolve) => {
      give = resolve;
    });
    async function* pasted(line: Promise<string>) {
      yield await line;
    }
    const early = await login(one.host, {
      onUrl: (url) => give(`code=c&state=${new URL(url).searchParams.get('state')}`),
      pasted: pasted(text),
    });
    expect(early.granted).toContain('openid');
    for (const nothing of [pasted(new Promise(() => undefined)), (async function* () {})()]) {
      const { host } = await start();
      tokens(host);
      const result = await login(host, { ...quiet, openBrowser: browse, pasted: nothing });
      expect(result.granted).toContain('openid');
    }
  });

  it.each([[[]], [['half an address']]])(
    'a login reports nothing about the pasted lines %j after the redirect from the browser',
    async (typed: string[]) => {
      const { host } = await start();
      tokens(host);
      const told: string[] = [];
      let close: () => void = () => undefined;
      const closed = new Promise<void>((resolve) => {
        close = resolve;
      });
      async function* pasted() {
        yield* typed;
        await closed;
      }
      await login(host, {
        ...quiet,
        openBrowser: browse,
        pasted: pasted(),
        onBadPaste: (message) => told.push(message),
        onPasteEnd: () => told.push('end'),
      });
      close();
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(told).toEqual([]);
    },
  );
});

describe('a failed login', () => {
  it('a failed login reports a denial and stores nothing', async () => {
    const { host, port } = await start();
    const deny = (url: string) => browse(url, (p) => p.set('error', 'access_denied'));
    const error = await failure(login(host, { ...quiet, openBrowser: deny }));
    expect([error.code, error.kind]).toEqual(['ACCESS_DENIED', 'auth']);
    await nothingLeft(host, port);
  });

  it('a login ignores forged and empty redirects, and ends at its own redirect or at the timeout', async () => {
    const forged: ((p: URLSearchParams) => void)[] = [
      (p) => p.set('state', 'forged'),
      (p) => p.delete('state'),
      (p) => [...p.keys()].forEach((key) => void p.delete(key)),
    ];
    const lone = await start();
    const openBrowser = async (url: string) => {
      for (const change of forged) await browse(url, change);
    };
    const error = await failure(login(lone.host, { ...quiet, openBrowser, timeoutSeconds: 2 }));
    expect(error.code).toBe('LOGIN_TIMEOUT');
    await nothingLeft(lone.host, lone.port);

    const { host } = await start();
    tokens(host);
    const both = async (url: string) => {
      await openBrowser(url);
      await browse(url);
    };
    expect((await login(host, { ...quiet, openBrowser: both })).granted).toContain('openid');
  });

  it.each([
    ['a line break', 'abc\n'],
    ['a space at the end', 'abc '],
    ['a character outside ASCII', 'abcé'],
    ['a control character', 'a\u0000bc'],
  ])('a login rejects a secret or a token with %s, and stores nothing', async (_, odd) => {
    const { host, port } = await start();
    const never = { onUrl: () => expect.unreachable() };
    expect((await failure(login(host, { ...never, clientSecret: odd }))).code).toBe('BAD_CREDENTIALS');
    for (const body of [{ access_token: odd }, { refresh_token: odd }]) {
      tokens(host, body);
      const error = await failure(login(host, { ...quiet, openBrowser: browse }));
      expect([error.kind, error.code]).toEqual(['service', 'BAD_TOKEN_RESPONSE']);
      expect(error.message).toMatch(/: the (access|refresh) token is empty, or contains spaces/);
      expect(error.message).not.toContain('abc');
    }
    await nothingLeft(host, port);
  });

  it.each([
    ['invalid_grant', 'INVALID_GRANT'],
    ['invalid_client', 'INVALID_CLIENT'],
  ])('a failed login reports %s from the code exchange, and stores nothing', async (error, code) => {
    const { host, port } = await start();
    tokens(host, { error }, 400);
    expect((await failure(login(host, { ...quiet, openBrowser: browse }))).code).toBe(code);
    await nothingLeft(host, port);
  });

  it('a failed login suggests a login command for the same profile', async () => {
    const { host } = await start();
    const acme = { ...host, settings: acmeOf(host) };
    const changes: [(p: URLSearchParams) => void, RegExp][] = [
      [(p) => p.delete('code'), /cryptodata login -p acme/],
      [(p) => p.set('error', 'access_denied'), /cryptodata login -p acme/],
      [(p) => p.set('error', 'invalid_scope'), /cryptodata login -p acme --scopes default/],
    ];
    for (const [change, says] of changes) {
      const openBrowser = (url: string) => browse(url, change);
      const scopes = ['openid', 'contacts:read', ...SCOPES.split(' ')];
      expect((await failure(login(acme, { ...quiet, openBrowser, scopes }))).hint).toMatch(says);
    }
    tokens(host, { error: 'invalid_grant' }, 400);
    expect((await failure(login(acme, { ...quiet, openBrowser: browse }))).hint).toMatch(/-p acme/);
    expect((await failure(login(acme, { ...quiet, timeoutSeconds: 0.05 }))).hint).toMatch(/-p acme/);
  });

  it('a login without consent times out and stores nothing', async () => {
    const { host, port } = await start();
    const error = await failure(login(host, { ...quiet, timeoutSeconds: 0.05 }));
    expect([error.kind, error.code]).toEqual(['auth', 'LOGIN_TIMEOUT']);
    expect(error.hint).not.toContain('paste');
    async function* pasted(): AsyncGenerator<string> {
      await new Promise(() => undefined);
    }
    const other = await failure(login(host, { ...quiet, timeoutSeconds: 0.05, pasted: pasted() }));
    expect(other.hint).toContain('paste');
    await nothingLeft(host, port);
  });

  it('a login stops at Ctrl-C and stores nothing', async () => {
    const { host, port } = await start();
    const error = await failure(login(host, { onUrl: () => host.abort.abort(new Error('SIGINT')) }));
    expect(error.kind).toBe('interrupted');
    expect((await failure(login(host, quiet))).kind).toBe('interrupted');
    await nothingLeft(host, port);
  });

  it('a login stores nothing if the caller cannot show the URL', async () => {
    const { host, port } = await start();
    const show = () => {
      throw new Error('no terminal');
    };
    await expect(login(host, { onUrl: show })).rejects.toThrow('no terminal');
    await nothingLeft(host, port);
  });

  it('revokes the new session if another process stored an API key during the login', async () => {
    const { host, port } = await start();
    tokens(host);
    const revoked: string[] = [];
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token/revocation', method: 'POST' })
      .reply(200, ({ body }) => {
        revoked.push(new URLSearchParams(String(body)).get('token') ?? '');
        return '';
      });
    const openBrowser = async (url: string) => {
      await saveApiKey(host, 'the-key', async () => undefined);
      await browse(url);
    };
    const error = await failure(login(host, { ...quiet, openBrowser }));
    expect([error.kind, error.code]).toEqual(['usage', 'PROFILE_HAS_API_KEY']);
    expect(error.message).toMatch(/^An API key was stored.* was revoked$/);
    expect(revoked).toEqual(['rt-1']);
    expect([...host.keychain.entries]).toEqual([['default:api-key', expect.stringContaining('"the-key"')]]);
    await deleteApiKey(host);
    await nothingLeft(host, port);
  });

  it('the error of a rejected login says that the service did not revoke the new session', async () => {
    const { host } = await start();
    tokens(host);
    const openBrowser = async (url: string) => {
      await saveApiKey(host, 'the-key', async () => undefined);
      await browse(url);
    };
    const error = await failure(login(host, { ...quiet, openBrowser }));
    expect([error.code, error.message]).toEqual([
      'PROFILE_HAS_API_KEY',
      expect.stringMatching(/did not revoke it.*30 days/),
    ]);
  });

  it('a failed login keeps the existing session', async () => {
    const { host } = await start();
    tokens(host);
    await login(host, { ...quiet, openBrowser: browse });
    const before = new Map(host.keychain.entries);
    await failure(login(host, { ...quiet, openBrowser: (url) => browse(url, (p) => p.delete('code')) }));
    expect(host.keychain.entries).toEqual(before);
    expect(readdirSync(join(host.directory, 'sessions'))).toEqual(['default.session']);
  });
});

describe('a login is rejected before the browser opens', () => {
  it.each([
    ['without an authorization server', { profile: { auth_url: '' } }, {}, 'BAD_ADDRESS'],
    ['without a client secret', { env: {} }, {}, 'MISSING_CLIENT_SECRET'],
    [
      'with a token in the environment',
      { env: { CRYPTODATA_ACCESS_TOKEN: 't' } },
      {},
      'ACCESS_TOKEN_IN_ENVIRONMENT',
    ],
    ['without the scope openid', {}, { scopes: ['email'] }, 'MISSING_OPENID'],
    ['with an invalid scope', {}, { scopes: ['openid', 'a"b'] }, 'BAD_SCOPE'],
  ])(
    'a login %s is rejected before the browser opens',
    async (_, options: HostOptions, more: Partial<LoginOptions>, code) => {
      const { host } = await start(options);
      let opened = false;
      const error = await failure(() =>
        login(host, {
          onUrl: () => {
            opened = true;
          },
          ...more,
        }),
      );
      expect([error.kind, error.code, opened]).toEqual(['usage', code, false]);
    },
  );

  it('a login is rejected before the browser opens if the keychain is unavailable', async () => {
    const { host } = await start();
    host.keychain.broken = new Error('locked');
    let opened = false;
    await expect(login(host, { onUrl: () => (opened = true) })).rejects.toThrow('locked');
    expect(opened).toBe(false);
  });
});
