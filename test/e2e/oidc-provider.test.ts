import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { beforeAll, expect, test, vi } from 'vitest';
import { cheapVault } from '../auth/expired.ts';
import { freePort } from '../free-port.ts';
import { Browser } from './browser.ts';
import { atEnd, begin, filesIn, run, temporary } from './harness.ts';

// Runs the tool against oidc-provider. Unlike our sandbox, this authorization server does not depend on our reading of the
// specification. The server is mounted at /oidc, so its endpoints have the same paths as the endpoints of the service. The
// login page and the consent page are the development pages of oidc-provider.

// Silence the warnings of oidc-provider that this setup is only for development.
beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

const CLIENT = { client_id: 'books', client_secret: 'a secret of more than thirty-two characters' };

/** A successful token request. `spent` is the refresh token that was sent, and `refreshToken` the one in the response. */
interface Granted {
  readonly type: unknown;
  readonly spent: unknown;
  readonly refreshToken: unknown;
}

async function authorizationServer(redirectUri: string): Promise<{ authUrl: string; granted: Granted[] }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  atEnd(() => server.closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(`${url}/oidc`, {
    clients: [
      {
        ...CLIENT,
        application_type: 'native',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['only for this test'] },
    // Issue refresh tokens even if the scope offline_access was not requested. That scope requires prompt=consent, which is
    // not among the seven parameters in the specification.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    features: { revocation: { enabled: true } },
    routes: {
      token: '/token',
      revocation: '/token/revocation',
      userinfo: '/userinfo',
      authorization: '/auth',
    },
  });
  const granted: Granted[] = [];
  provider.on('grant.success', ({ oidc: { params }, body }) => {
    const refreshToken: unknown = Object(body).refresh_token;
    granted.push({ type: params?.['grant_type'], spent: params?.['refresh_token'], refreshToken });
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    // Change the URL of the request in the same way as Express does for a handler at /oidc.
    Object.assign(request, { originalUrl: request.url, url: request.url?.replace(/^\/oidc/, '') });
    callback(request, response);
  });
  return { authUrl: url, granted };
}

test('logs in, refreshes the token and logs out with oidc-provider', async () => {
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  const { authUrl, granted } = await authorizationServer(callback);
  const directory = temporary();
  const env = {
    CRYPTODATA_AUTH_URL: authUrl,
    CRYPTODATA_CLIENT_ID: CLIENT.client_id,
    CRYPTODATA_CLIENT_SECRET: CLIENT.client_secret,
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse',
  };
  await cheapVault(directory, env.CRYPTODATA_PASSPHRASE, {});
  expect((await run(['config', 'set', 'redirect_uri', callback], { env })).code).toBe(0);

  const login = begin(['login', '--no-browser', '--json'], { env });
  const browser = new Browser(authUrl);
  const signIn = await browser.visit(await login.said(/http:[^\s"\\]+\/oidc\/auth\?[^\s"\\]+/));
  const consent = await browser.submit(signIn, [
    ['login', 'ada'],
    ['password', 'any'],
  ]);
  const end = await browser.submit(consent, []);
  expect(end.url.startsWith(`${callback}?code=`)).toBe(true);
  await fetch(end.url);
  const { code, stdout, stderr } = await login.ended;
  expect(code, stderr).toBe(0);
  // This server does not know the scopes that the service defines, so it does not grant them.
  expect(JSON.parse(stdout)).toMatchObject({ scopesGranted: ['openid'] });
  expect(JSON.parse(stdout).scopesNotGranted).toContain('transactions:read');
  expect(stderr).toContain('Not granted: ');

  const whoami = JSON.parse((await run(['whoami', '--json'], { env })).stdout);
  expect(whoami.userinfo).toEqual({ sub: 'ada' });
  const first = (await run(['token'], { env })).stdout;
  // Access tokens of this server are valid for one hour. Requiring a full hour therefore causes a refresh.
  const refreshed = await run(['token', '--min-ttl', '3600'], { env });
  expect(refreshed.code, refreshed.stderr).toBe(0);
  expect(refreshed.stdout).not.toBe(first);
  const userinfo = await fetch(`${authUrl}/oidc/userinfo`, {
    headers: { authorization: `Bearer ${refreshed.stdout.trim()}` },
  });
  expect(await userinfo.json()).toEqual({ sub: 'ada' });
  // For a confidential client, this server does not replace a recent refresh token. The tool must use the same token again.
  expect((await run(['token', '--min-ttl', '3600'], { env })).code).toBe(0);
  expect(granted.map(({ type }) => type)).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
  const refreshToken = String(granted[0]?.refreshToken);
  expect(granted.slice(1).map(({ spent }) => spent)).toEqual([refreshToken, refreshToken]);
  const kept = await run(['token'], { env });

  const logout = await run(['logout', '--json'], { env });
  expect(JSON.parse(logout.stdout)).toEqual({
    profile: 'default',
    hadSession: true,
    hadApiKey: false,
    revoked: true,
  });
  expect(filesIn(directory)).toEqual(['config.toml']);
  const after = await fetch(`${authUrl}/oidc/userinfo`, {
    headers: { authorization: `Bearer ${kept.stdout.trim()}` },
  });
  expect(after.status).toBe(401);
  const spent = await fetch(`${authUrl}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...CLIENT,
    }),
  });
  expect(await spent.json()).toMatchObject({ error: 'invalid_grant' });
  expect((await run(['token'], { env })).code).toBe(3);
});

test('explains that oidc-provider rejected the client secret', async () => {
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  const { authUrl } = await authorizationServer(callback);
  const env = {
    CRYPTODATA_AUTH_URL: authUrl,
    CRYPTODATA_CLIENT_ID: CLIENT.client_id,
    CRYPTODATA_CLIENT_SECRET: 'wrong',
    CRYPTODATA_CONFIG_DIR: temporary(),
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse',
  };
  await run(['config', 'set', 'redirect_uri', callback], { env });
  const login = begin(['login', '--no-browser'], { env });
  const address = new URL(await login.said(/http:[^\s"\\]+\/oidc\/auth\?[^\s"\\]+/));
  await fetch(`${callback}?code=whatever&state=${address.searchParams.get('state')}`);
  const { code, stderr } = await login.ended;
  expect(code).toBe(3);
  expect(stderr).toContain('The client id or the client secret is wrong');
});
