import { createSandbox } from 'cryptodata/sandbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { negativeLegs } from '../src/books.js';
import { beginLogin, finishLogin } from '../src/login.js';
import { browse } from '../support/browser.js';

const redirectUri = 'http://127.0.0.1:8976/callback';

let sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ rows: 500, autoConsent: true });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

test('logs a user in and finds all negative legs', async () => {
  const { env, clientId, clientSecret } = sandbox;
  const authUrl = env.CRYPTODATA_AUTH_URL;
  const app = { authUrl, clientId, clientSecret, redirectUri, scope: 'openid transactions:read' };
  const login = beginLogin(app);
  const { access_token } = await finishLogin(app, login, await browse(login.url, redirectUri));
  const legs = await negativeLegs({ baseUrl: env.CRYPTODATA_BASE_URL, accessToken: access_token });
  expect(legs).toHaveLength(sandbox.truth.negative);
});

test('finds a negative leg that is added after the first read', async () => {
  const accessToken = sandbox.env.CRYPTODATA_ACCESS_TOKEN;
  const before = await negativeLegs({ baseUrl: sandbox.url, accessToken });
  const [id] = sandbox.ledgers.insert({
    type: 'outgoing',
    quantity: '1000000000',
    timestamp: Date.UTC(2030, 0, 1),
  });
  const legs = await negativeLegs({ baseUrl: sandbox.url, accessToken });
  expect(legs.map((leg) => leg.id)).toEqual([...before.map((leg) => leg.id), id]);
});
