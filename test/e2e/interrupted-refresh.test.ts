import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { run, start, temporary } from './harness.ts';
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
