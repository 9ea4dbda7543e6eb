import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';
import { createSandbox } from 'cryptodata/sandbox';
import { negativeLegs } from '../src/books.js';
import { beginLogin, finishLogin, refresh } from '../src/login.js';
import { createReceiver } from '../src/webhooks.js';
import { browse } from '../support/browser.js';

const DAY = 24 * 60 * 60 * 1000;
const signature = { header: 'x-signature', secret: 'agreed', encoding: 'hex' };
const redirectUri = 'http://127.0.0.1:8976/callback';

let sandbox;
let app;
before(async () => {
  sandbox = await createSandbox({ rows: 500, autoConsent: true, signature });
  const { env, clientId, clientSecret } = sandbox;
  app = {
    authUrl: env.CRYPTODATA_AUTH_URL,
    baseUrl: env.CRYPTODATA_BASE_URL,
    clientId,
    clientSecret,
    redirectUri,
    scope: 'openid offline_access transactions:read',
  };
});
beforeEach(() => sandbox.reset());
after(() => sandbox.close());

test('logs a user in and refreshes the session a day later', async () => {
  const login = beginLogin(app);
  const tokens = await finishLogin(app, login, await browse(login.url, redirectUri));
  const ask = (token) => negativeLegs({ baseUrl: app.baseUrl, accessToken: token });
  assert.equal((await ask(tokens.access_token)).length, sandbox.truth.negative);

  sandbox.clock.advance(DAY);
  await assert.rejects(ask(tokens.access_token), { status: 401 });
  const fresh = await refresh(app, tokens.refresh_token);
  assert.equal((await ask(fresh.access_token)).length, sandbox.truth.negative);
  // The old refresh token is no longer valid. If a client sends it again, the session ends.
  await assert.rejects(refresh(app, tokens.refresh_token), /invalid_grant/);
});

test('finds all negative legs even if the first response has the status 429', async () => {
  await fetch(`${sandbox.url}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: '/v1/ledgers', status: 429 }),
  });
  const accessToken = sandbox.env.CRYPTODATA_ACCESS_TOKEN;
  const legs = await negativeLegs({ baseUrl: sandbox.url, accessToken });
  assert.equal(legs.length, sandbox.truth.negative);
  const asked = sandbox.truth.requests().map(({ path, status }) => `${status} ${path}`);
  assert.equal(asked[0], '429 /v1/ledgers');
});

test('handles a signed event, and rejects an unsigned event with 401', async () => {
  const events = [];
  const receiver = createReceiver({ ...signature, onEvent: (event) => events.push(event) });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  try {
    sandbox.events.addReceiver(url);
    const sent = sandbox.events.emit('costbasis.completed', {
      action: 'ACCOUNT_MANAGER',
      status: 'completed',
      reason: null,
      timestamp: sandbox.clock.now(),
    });
    await sandbox.events.settled();
    assert.deepEqual(events, [sent]);
    assert.equal(sandbox.events.list()[0].deliveries[0].state, 'delivered');
    assert.equal((await fetch(url, { method: 'POST', body: JSON.stringify(sent) })).status, 401);
    assert.equal(events.length, 1);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
});
