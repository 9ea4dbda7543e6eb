import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { cheapVault, storeSession } from '../auth/expired.ts';
import { filesIn, run, start, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';

const RENEWED = '{"access_token":"at-1","refresh_token":"rt-1","token_type":"Bearer","expires_in":86400}';

/** Logs in a user at `url`. By default, the access token has expired. */
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

// The service accepts a refresh token only once. If Ctrl-C prevented the tool from storing the new token, the user would be
// logged out.
test('Ctrl-C during a refresh still stores the new session', async () => {
  const waiting: ServerResponse[] = [];
  let asked = () => {};
  const refreshAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const service = await stub((_, response) => {
    waiting.push(response);
    asked();
  });
  const { env } = await loggedIn(service.url);
  const interrupted = start(['token'], { env });
  await refreshAsked;
  interrupted.child.kill('SIGINT');
  await interrupted.said(/Storing the session/);
  for (const response of waiting) sendJson(response, 200, RENEWED);
  expect(await interrupted.ended).toMatchObject({ code: 130, stdout: '' });

  expect(await run(['token'], { env })).toEqual({ code: 0, stdout: 'at-1\n', stderr: '' });
  expect(service.requests).toHaveLength(1);
});

// test/auth/crash.test.ts tests SIGKILL at all other steps.
test('the next command warns about an interrupted refresh if the refresh token still works', async () => {
  let asked = () => {};
  let reply: ((response: ServerResponse) => void) | undefined;
  const service = await stub((_, response) => {
    if (reply) return reply(response);
    asked(); // never answers
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
  expect(JSON.parse(warning)).toEqual({
    warning: expect.stringMatching(/^An earlier command .* may already be used up/),
  });
  expect(JSON.parse(error)).toMatchObject({ error: { code: 'REFRESH_INTERRUPTED' } });

  // The warning also appears if the service still accepts the refresh token.
  reply = (response) => sendJson(response, 200, RENEWED);
  const found = await run(['token', '--quiet'], { env });
  expect(found).toMatchObject({ code: 0, stdout: 'at-1\n' });
  expect(found.stderr).toMatch(/may already be used up/);
  expect(await run(['token'], { env })).toEqual({ code: 0, stdout: 'at-1\n', stderr: '' });
  expect(filesIn(directory)).toEqual(['secrets.enc', 'sessions/default.session']);
});

test('after a 401, an unexpired token is refreshed once; a second 401 is reported as an error', async () => {
  const service = await stub((request, response) => {
    if (request.url === '/oidc/token') return sendJson(response, 200, RENEWED);
    sendJson(response, 401, '{"error":"unauthorized","error_description":"not today"}');
  });
  const { env } = await loggedIn(service.url, Date.now());
  const { code, stderr } = await run(['ledgers', '--limit', '1'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('not today');
  expect(service.requests).toHaveLength(3);
  expect(service.requests.filter((path) => path === '/oidc/token')).toHaveLength(1);
});
