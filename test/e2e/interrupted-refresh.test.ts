import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { cheapVault, storeSession } from '../auth/expired.ts';
import { filesIn, run, start, temporary } from './harness.ts';
import { loginUrl } from './newcomer.ts';
import { freePort, sendJson, stub } from './stub.ts';

// A refresh token is spent the moment the service takes it: Ctrl-C between that and the storing of its successor
// would log the user out.
test('Ctrl-C in the middle of a refresh still stores the new session', async () => {
  const waiting: ServerResponse[] = [];
  let asked = () => {};
  const refreshAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const tokens = (name: string, seconds: number) =>
    JSON.stringify({
      access_token: `access-${name}`,
      refresh_token: `refresh-${name}`,
      token_type: 'Bearer',
      expires_in: seconds,
      scope: 'openid offline_access',
    });
  let refreshes = 0;
  const service = await stub((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (!body.includes('grant_type=refresh_token')) return sendJson(response, 200, tokens('first', 30));
      refreshes += 1;
      waiting.push(response);
      asked();
    });
  });
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  const env = {
    CRYPTODATA_AUTH_URL: service.url,
    CRYPTODATA_CLIENT_ID: 'client',
    CRYPTODATA_CLIENT_SECRET: 'secret',
    CRYPTODATA_CONFIG_DIR: temporary(),
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
  };
  await run(['config', 'set', 'redirect_uri', callback], { env });
  const login = start(['login', '--no-browser'], { env });
  const state = new URL(await loginUrl(login)).searchParams.get('state');
  await fetch(`${callback}?code=code&state=${state}`);
  expect(await login.ended).toMatchObject({ code: 0 });

  const interrupted = start(['token'], { env });
  await refreshAsked;
  interrupted.child.kill('SIGINT');
  await interrupted.said(/Storing the session first/);
  for (const response of waiting) sendJson(response, 200, tokens('second', 86_400));
  expect(await interrupted.ended).toMatchObject({ code: 130, stdout: '' });

  expect(await run(['token'], { env })).toMatchObject({ code: 0, stdout: 'access-second\n' });
  expect(refreshes).toBe(1);
});

/** Somebody who is logged in at `url`; the access token has run out, unless it was got `obtainedAt` lately. */
async function loggedIn(url: string, obtainedAt = 0) {
  const directory = temporary();
  const env = {
    CRYPTODATA_BASE_URL: url,
    CRYPTODATA_AUTH_URL: url,
    CRYPTODATA_CLIENT_ID: 'the-client',
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
  };
  await cheapVault(directory, env.CRYPTODATA_PASSPHRASE);
  const keychain = openKeychain({ kind: 'file', directory, env });
  await storeSession({ directory, keychain, authUrl: url }, { obtainedAt });
  return { directory, env };
}

// SIGKILL at every other step: test/auth/crash.test.ts.
test('a refresh that was killed is told by the next command, and what it means when the session is lost', async () => {
  let asked = () => {};
  let reply: ((response: ServerResponse) => void) | undefined;
  const service = await stub((_, response) => {
    if (reply) return reply(response);
    asked(); // and no answer
  });
  const { directory, env } = await loggedIn(service.url);
  const refreshAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const killed = start(['token'], { env });
  await refreshAsked;
  killed.child.kill('SIGKILL');
  await killed.ended;

  reply = (response) => sendJson(response, 400, '{"error":"invalid_grant"}');
  const lost = await run(['token', '-o', 'json'], { env });
  expect(lost).toMatchObject({ code: 3, stdout: '' });
  const [warning = '', error = ''] = lost.stderr.split('\n');
  expect(warning).toMatch(/^An earlier command .* may be spent/);
  expect(JSON.parse(error)).toMatchObject({ error: { code: 'REFRESH_INTERRUPTED' } });

  // The same where the service had not taken it.
  reply = (response) =>
    sendJson(response, 200, '{"access_token":"at-1","refresh_token":"rt-1","token_type":"Bearer"}');
  const found = await run(['token', '--quiet'], { env });
  expect(found).toMatchObject({ code: 0, stdout: 'at-1\n' });
  expect(found.stderr).toMatch(/may be spent/);
  expect(await run(['token'], { env })).toEqual({ code: 0, stdout: 'at-1\n', stderr: '' });
  expect(filesIn(directory)).toEqual(['secrets.enc', 'sessions/default.session']);
});

test('a 401 on a token that is good by its time: one refresh, and a second 401 is told', async () => {
  const service = await stub((request, response) => {
    if (request.url === '/oidc/token')
      return sendJson(response, 200, '{"access_token":"at-1","refresh_token":"rt-1","token_type":"Bearer"}');
    sendJson(response, 401, '{"error":"unauthorized","error_description":"not today"}');
  });
  const { env } = await loggedIn(service.url, Date.now());
  const { code, stderr } = await run(['ledgers', '--limit', '1'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('not today');
  expect(service.requests).toHaveLength(3);
  expect(service.requests.filter((path) => path === '/oidc/token')).toHaveLength(1);
});
