// Tests rules of the specification about access, renames, removals and retries. Also tests how the sandbox behaves where the
// specification leaves a detail open.

import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { exampleEventData } from '../../src/sandbox/nouns/integrations/entities.ts';
import {
  type Answer,
  bearer,
  call,
  consent,
  control,
  exchange,
  get,
  introspect,
  isObject,
  list,
  logIn,
  loginUrl,
  object,
  post,
  postForm,
  refresh,
  start,
  text,
} from './helpers.ts';

let now = Date.UTC(2026, 0, 15);
const sandbox = await start({ rows: 400, clock: () => now });
const { url, apiKey, clientId, clientSecret, workspaceId } = sandbox;
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
const old = { ...bearer(token).headers, 'x-client-id': clientId, 'x-client-secret': clientSecret };
const HOUR = 3_600_000;

const RESOURCES =
  'portfolios transactions integrations contacts tax accounting reports invoices swaps workspace users'.split(
    ' ',
  );
const DATA_SCOPES = RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]);

describe('identity', () => {
  it('exchanges the code for a token that can read data [oidc.token.endpoint, flow.data]', async () => {
    const login = loginUrl(sandbox);
    const { status, body } = await exchange(sandbox, login, await consent(sandbox, login));
    expect(status).toBe(200);
    expect(Object.keys(body)).toContain('access_token');
    expect((await call(`${url}/v1/ledgers`, bearer(text(body['access_token'])))).status).toBe(200);
  });

  it('rejects a token request in JSON [oidc.token.form]', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const answer = await call(`${url}/oidc/token`, { method: 'POST', headers, body });
    expect([answer.status >= 400, answer.body['error']]).toEqual([true, 'invalid_request']);
  });

  it('accepts only verifiers with 43 to 128 characters [flow.challenge]', async () => {
    for (const [length, status] of [
      [42, 400],
      [43, 200],
      [128, 200],
      [129, 400],
    ] as const) {
      const verifier = 'v'.repeat(length);
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const login = { ...loginUrl(sandbox, { code_challenge: challenge }), verifier };
      const answer = await exchange(sandbox, login, await consent(sandbox, login));
      expect([length, answer.status]).toEqual([length, status]);
    }
  });

  it('revocation requires the client id and the client secret [oidc.revocation.client_id, oidc.revocation.client_secret]', async () => {
    const { refresh_token: kept } = await logIn(sandbox);
    const form = { token: text(kept), client_id: clientId, client_secret: clientSecret };
    for (const name of ['client_id', 'client_secret'] as const) {
      const { [name]: _, ...without } = form;
      const answer = await postForm(`${url}/oidc/token/revocation`, without);
      expect([name, answer.status >= 400]).toEqual([name, true]);
    }
    expect((await refresh(sandbox, text(kept))).status).toBe(200);
  });

  it('grants read and write scopes for eleven resources [scope.resources]', async () => {
    const registeredScopes = DATA_SCOPES;
    const wide = await start({ rows: 1, registeredScopes });
    const tokens = await logIn(wide, {}, { scope: ['openid', ...DATA_SCOPES].join(' ') });
    expect(text(tokens['scope']).split(' ').sort()).toEqual(['openid', ...DATA_SCOPES].sort());
    expect(DATA_SCOPES).toHaveLength(22);
  });

  it('the role claim contains the role of the member who consents [access-token.role]', async () => {
    const roles = [];
    for (const member of [0, 1, 2]) {
      roles.push(decodeJwt(text((await logIn(sandbox, { member }))['access_token']))['role']);
    }
    expect(roles).toEqual(['owner', 'accountant', 'viewer']);
  });
});

describe('access', () => {
  it('serves the lists of providers without a credential [access.public]', async () => {
    for (const path of ['/v1/providers', '/v1/providers/binance', '/integrations/public/list']) {
      expect([path, (await call(`${url}${path}`)).status]).toEqual([path, 200]);
    }
  });

  it('one access token works in both the current and the legacy API [versions.same-login]', async () => {
    const tokens = await logIn(sandbox);
    const { headers } = bearer(text(tokens['access_token']));
    const both = { ...headers, 'x-client-id': clientId, 'x-client-secret': clientSecret };
    expect((await call(`${url}/v1/holdings`, { headers })).status).toBe(200);
    expect((await call(`${url}/api/v1/holdings`, { headers: both })).status).toBe(200);
  });

  it.each([
    ['[address.auth_url]', 'CRYPTODATA_AUTH_URL', '/oidc/jwks'],
    ['[address.base_url]', 'CRYPTODATA_BASE_URL', '/v1/providers'],
    ['[address.legacy_base_url]', 'CRYPTODATA_LEGACY_BASE_URL', '/api/v1/holdings'],
    ['[address.legacy_public_url]', 'CRYPTODATA_LEGACY_PUBLIC_URL', '/integrations/public/list'],
  ])('%s: the address in %s responds to requests', async (_, name, path) => {
    expect((await call(`${sandbox.env[name]}${path}`, { headers: old })).status).toBe(200);
  });

  it('accepts any valid token if the specification requires no scope for the endpoint [not-shown.other-scopes]', async () => {
    const tokens = await logIn(sandbox, { scopes: [] });
    for (const path of ['/v1/holdings', '/v1/integrations', '/v1/transactions', '/v1/labels', '/v1/nfts']) {
      const answer = await call(`${url}${path}`, bearer(text(tokens['access_token'])));
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it('accepts a token without client credentials, until the grant is revoked [versions.current]', async () => {
    const tokens = await logIn(sandbox);
    const own = bearer(text(tokens['access_token']));
    expect((await call(`${url}/v1/holdings`, own)).status).toBe(200);
    await postForm(`${url}/oidc/token/revocation`, {
      token: text(tokens['refresh_token']),
      client_id: clientId,
      client_secret: clientSecret,
    });
    expect((await call(`${url}/v1/holdings`, own)).status).toBe(401);
  });
});

describe('endpoints whose records the specification does not define', () => {
  it.each([
    ['[current.users-me]', '/v1/users/me'],
    ['[current.labels]', '/v1/labels'],
    ['[current.assets-search]', '/v1/assets/search'],
    ['[current.defi]', '/v1/defi'],
    ['[current.defi-totals]', '/v1/defi/totals'],
    ['[current.nfts]', '/v1/nfts'],
    ['[current.spam]', '/v1/spam'],
    ['[current.calculated-balances]', '/v1/calculated-balances'],
  ])('%s: the response contains `success` and `data`', async (_, path) => {
    const { status, body } = await get(sandbox, path);
    expect([status, body['success']]).toEqual([200, true]);
    expect(body).toHaveProperty('data');
  });

  it.each([
    ['[current.contacts]', '/v1/contacts'],
    ['[current.counter-parties]', '/v1/counter-parties'],
  ])('%s: the endpoint responds to a registered client', async (_, path) => {
    const registered = await start({ rows: 1, registeredScopes: ['contacts:read'] });
    expect((await get(registered, path)).body).toMatchObject({ success: true, data: [] });
  });

  it('the user record contains only the field uid [not-shown.user-record]', async () => {
    const { body } = await get(sandbox, '/v1/users/me');
    expect(body['data']).toEqual({ uid: sandbox.truth.uid });
  });

  it('returns an empty list of records that the specification does not define, and 404 for unknown paths [not-shown.records, current.portfolios]', async () => {
    for (const path of ['/v1/labels', '/v1/assets/search', '/v1/spam', '/v1/calculated-balances']) {
      expect([path, (await get(sandbox, path)).body['data']]).toEqual([path, []]);
    }
    for (const path of ['/v1/portfolios', '/v1/reports', '/v1/tax', '/v1/accounting', '/v1/credentials']) {
      expect([path, (await get(sandbox, path)).status]).toEqual([path, 404]);
    }
  });

  it('batch-delete finds ids anywhere in the request body [not-shown.current-shapes]', async () => {
    const rows = list((await get(sandbox, '/v1/integrations')).body['data']);
    const ids = rows.slice(0, 3).map(({ walletId }) => text(walletId));
    for (const [index, body] of [
      [ids[0]],
      { walletIds: [ids[1]] },
      { a: { b: [{ id: ids[2] }] } },
    ].entries()) {
      const { body: answer } = await post(sandbox, '/v1/integrations/batch-delete', body);
      expect([index, answer]).toEqual([index, { success: true, data: { failed: [] } }]);
    }
    await sandbox.reset();
  });

  it('returns only transactions that match the type, wallet and date filters [transactions.combine]', async () => {
    const { body } = await get(sandbox, '/v1/ledgers', { types: 'outgoing', limit: 200 });
    const legs = list(body['data']);
    const middle = Number(legs[Math.floor(legs.length / 2)]?.['timestamp']);
    const { walletId } = legs[0] ?? {};
    const asked = { types: 'trade', startTime: middle, notWalletIds: text(walletId), limit: 200 };
    const found = list((await get(sandbox, '/v1/transactions', asked)).body['data']);
    const wider = list((await get(sandbox, '/v1/transactions', { types: 'trade', limit: 200 })).body['data']);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(wider.length);
    const legsOf = (row: Record<string, unknown>) => [
      ...list(row['incomingAssets']),
      ...list(row['outgoingAssets']),
      ...(isObject(row['fee']) ? [row['fee']] : []),
    ];
    for (const leg of found.flatMap(legsOf)) {
      expect(leg['walletId']).not.toBe(walletId);
      expect(Number(leg['timestamp'])).toBeGreaterThanOrEqual(middle);
    }
  });

  it.each([
    ['[providers.featured]', 'featured'],
    ['[providers.isWorking]', 'isWorking'],
  ])('%s: the filter splits the provider catalogue into two parts', async (_, name) => {
    const found = async (value: string) =>
      list(object((await call(`${url}/v1/providers?limit=100&${name}=${value}`)).body['data'])['providers']);
    const [yes, no] = [await found('true'), await found('false')];
    expect(yes.length * no.length).toBeGreaterThan(0);
    expect(yes.length + no.length).toBe(sandbox.truth.providers);
    expect(yes.every((entry) => entry[name] === true)).toBe(true);
    expect(no.every((entry) => entry[name] === false)).toBe(true);
  });
});

describe('posted transactions', () => {
  const body = async () => {
    const headers = { 'x-api-key': apiKey };
    const wallets = list((await call(`${url}/api/v1/integrations`, { headers })).body['data']);
    const walletId = text(wallets[0]?.['walletId']);
    return { walletId, transactions: [FULL] };
  };
  const FULL: Record<string, unknown> = {
    timestamp: 1_700_000_000_000,
    transactionType: 'trade',
    transactionId: '0xabc',
    description: { title: 'a', desc: 'b' },
    sentCurrency: { currency: 'ETH', amount: 1 },
    receivedCurrency: { currency: 'USDC', amount: 2 },
    fee: { currency: 'ETH', amount: 0.1 },
    feeValue: { fiatValue: 1, baseCurrency: 'USD', priceAccuracy: 'high' },
    netValue: { fiatValue: 1, baseCurrency: 'USD', priceAccuracy: 'high' },
    sender: { name: 'KRAKEN', publicName: 'Kraken' },
    receiver: { address: '0x1' },
    label: 'Trade',
  };
  const send = (payload: unknown) =>
    call(`${url}/api/v0/transactions`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
  const statusOf = async (changed: Record<string, unknown>) => {
    const { walletId } = await body();
    const { status, body: answer } = await send({ walletId, transactions: [{ ...FULL, ...changed }] });
    const [detail] = status === 400 ? list(answer['details']) : [];
    return [status, detail === undefined ? undefined : Object.values(Object(detail['path']))[2]];
  };

  it.each([
    ['[posted.timestamp]', 'timestamp', '1700000000000'],
    ['[posted.transactionType]', 'transactionType', 'swap'],
    ['[posted.transactionId]', 'transactionId', ''],
  ])('%s: the posted field is required and must have the right type', async (_, name, wrong) => {
    expect(await statusOf({})).toEqual([201, undefined]);
    expect(await statusOf({ [name]: undefined })).toEqual([400, name]);
    expect(await statusOf({ [name]: wrong })).toEqual([400, name]);
  });

  it.each([
    ['[posted.description]', 'description', { title: 'a' }],
    ['[posted.sentCurrency]', 'sentCurrency', { currency: 'ETH', amount: '1' }],
    ['[posted.receivedCurrency]', 'receivedCurrency', { amount: 1 }],
    ['[posted.fee]', 'fee', []],
    ['[posted.feeValue]', 'feeValue', { fiatValue: 1, baseCurrency: 'USD' }],
    ['[posted.netValue]', 'netValue', { fiatValue: 1, priceAccuracy: 'high' }],
    ['[posted.feeValue]', 'feeValue', { fiatValue: '1', baseCurrency: 'USD', priceAccuracy: 'high' }],
    ['[posted.netValue]', 'netValue', { fiatValue: 1, baseCurrency: 'USD', priceAccuracy: 1 }],
    ['[posted.sender]', 'sender', { name: 'Kraken' }],
    ['[posted.receiver]', 'receiver', { address: 1 }],
    ['[posted.label]', 'label', 'trade'],
  ])('%s: the posted field is optional and must have the right form', async (_, name, wrong) => {
    expect(await statusOf({ [name]: undefined })).toEqual([201, undefined]);
    expect(await statusOf({ [name]: wrong })).toEqual([400, name]);
  });

  it.each([
    ['[posted.walletId]', 'walletId'],
    ['[posted.transactions]', 'transactions'],
  ])('%s: the posted field is required', async (_, name) => {
    const { status, body: answer } = await send({ ...(await body()), [name]: undefined });
    expect(status).toBe(400);
    expect(list(answer['details']).map(({ path }) => path)).toEqual([[name]]);
  });

  it('accepts all four values of transactionType in a posted transaction [posted.transactionType]', async () => {
    for (const transactionType of ['deposit', 'withdrawal', 'trade', 'payment']) {
      expect(await statusOf({ transactionType, label: undefined })).toEqual([201, undefined]);
    }
  });

  it('rejects a posted label with the wrong case, or with the wrong transaction type [posted.label]', async () => {
    expect(await statusOf({ transactionType: 'deposit', label: 'Deposit' })).toEqual([201, undefined]);
    expect(await statusOf({ transactionType: 'deposit', label: 'deposit' })).toEqual([400, 'label']);
    expect(await statusOf({ transactionType: 'deposit', label: 'Withdrawal' })).toEqual([400, 'label']);
  });
});

describe('retries', () => {
  it('a request that failed with 429, 502 or 500 succeeds on a retry [retry.transient]', async () => {
    for (const status of [429, 502, 500]) {
      await control(sandbox, 'faults', { path: '/v1/holdings', status, times: 1 });
      const statuses = [await get(sandbox, '/v1/holdings'), await get(sandbox, '/v1/holdings')];
      expect(statuses.map((answer) => answer.status)).toEqual([status, 200]);
    }
  });

  it('a request that failed with 401 needs a refreshed token to succeed [retry.401]', async () => {
    const tokens = await logIn(sandbox);
    now += 25 * HOUR;
    const late = bearer(text(tokens['access_token']));
    for (let turn = 0; turn < 2; turn += 1) expect((await call(`${url}/v1/users/me`, late)).status).toBe(401);
    const renewed = await refresh(sandbox, text(tokens['refresh_token']));
    expect((await call(`${url}/v1/users/me`, bearer(text(renewed.body['access_token'])))).status).toBe(200);
    now -= 25 * HOUR;
  });

  it('a request that failed with 400, 403 or 404 fails again on each retry [retry.never]', async () => {
    for (const [path, status] of [
      ['/v1/ledgers?limit=0', 400],
      ['/v1/contacts', 403],
      ['/v1/ledgers/none', 404],
    ] as const) {
      for (let turn = 0; turn < 3; turn += 1) {
        expect([path, (await call(`${url}${path}`, bearer(token))).status]).toEqual([path, status]);
      }
    }
  });
});

describe('renames', () => {
  it.each([
    ['[rename.defi-holdings]', '/v1/defi-holdings', '/v1/defi'],
    ['[rename.nft-holdings]', '/v1/nft-holdings', '/v1/nfts'],
    ['[rename.userinfo]', '/v1/userinfo', '/v1/users/me'],
    ['[rename.label-types]', '/v1/transactions/label-types', '/v1/labels'],
    ['[rename.integrations-providers]', '/v1/integrations/providers', '/v1/providers'],
    ['[rename.counterparties]', '/v1/counterparties', '/v1/counter-parties'],
    ['[rename.v0-wallets]', '/v0/wallets', '/v1/integrations'],
    ['[rename.v0-transactions]', '/v0/transactions', '/v1/transactions'],
    ['[rename.v0-nft-holdings]', '/v0/nft-holdings', '/v1/nfts'],
    ['[rename.assets-lookup]', '/v1/assets/lookup', '/v1/assets/search?contractAddress=0x0'],
  ])('%s: the endpoint exists only at its new path', async (_, before, path) => {
    expect((await call(`${url}${before}`, bearer(token))).status).toBe(404);
    // Counter-parties return 403, because the client is not registered for the scope contacts:read.
    expect([200, 403]).toContain((await call(`${url}${path}`, bearer(token))).status);
  });

  it('the public list contains the same providers as the catalogue [rename.public-list]', async () => {
    const before = list((await call(`${url}/integrations/public/list`)).body['data']);
    const pages = await call(`${url}/v1/providers?limit=100`);
    const after = list(object(pages.body['data'])['providers']);
    expect(before.map(({ id }) => id).sort()).toEqual(after.map(({ id }) => id).sort());
  });

  it('rejects requests below /v0 that contain only a token [rename.v0-defi-holdings, versions.v0-removed]', async () => {
    for (const path of ['/v0/wallets', '/v0/transactions', '/v0/nft-holdings', '/v0/integrations', '/v0']) {
      expect([path, (await call(`${url}${path}`, bearer(token))).status]).toEqual([path, 404]);
    }
    // /v0/defi-holdings is the only path below /v0 that still exists. It requires the legacy headers.
    expect((await call(`${url}/v0/defi-holdings`, bearer(token))).status).toBe(401);
    expect((await call(`${url}/v0/defi-holdings`, { headers: old })).status).toBe(200);
    expect((await get(sandbox, '/v1/defi')).status).toBe(200);
  });
});

describe('removals and additions', () => {
  it.each([
    ['[removed.profiling]', '/v1/profiling'],
    ['[removed.holdings-graph]', '/v1/holdings/graph'],
  ])('%s: the endpoint no longer exists', async (_, path) => {
    expect((await get(sandbox, path)).status).toBe(404);
  });

  it('responds 404 to the removed write endpoints of the legacy API [removed.writes, current.no-write]', async () => {
    const { headers } = bearer(token);
    for (const [method, path] of [
      ['POST', '/v0/transactions'],
      ['POST', '/v0/integrations'],
      ['POST', '/v1/transactions'],
      ['POST', '/v1/integrations'],
      ['PATCH', '/v1/transactions/x'],
      ['PATCH', '/v1/labels/x'],
      ['PATCH', '/v1/transactions/values'],
      ['PATCH', '/v1/ledgers/x'],
      ['DELETE', '/v1/ledgers/x'],
    ] as const) {
      expect([method, path, (await call(`${url}${path}`, { method, headers })).status]).toEqual([
        method,
        path,
        404,
      ]);
    }
  });

  it('each of the four added endpoints responds 200 [added.endpoints]', async () => {
    const [integration] = list((await get(sandbox, '/v1/integrations')).body['data']);
    const own = `/v1/integrations/${integration?.['walletId']}/assets`;
    for (const path of ['/v1/ledgers', '/v1/calculated-balances', '/v1/spam', own]) {
      expect([path, (await get(sandbox, path)).status]).toEqual([path, 200]);
    }
  });
});

describe('envelopes', () => {
  const paths = [
    '/v1/ledgers',
    '/v1/transactions',
    '/v1/holdings',
    '/v1/integrations',
    '/v1/labels',
    '/v1/users/me',
  ];

  it('responses of the current API have neither user_id nor timestamp at the top level [envelopes.no-user_id]', async () => {
    for (const path of [...paths, '/v1/providers', '/v1/nfts', '/v1/defi/totals']) {
      const keys = Object.keys((await get(sandbox, path)).body);
      expect([path, keys.filter((key) => ['user_id', 'timestamp', 'userId'].includes(key))]).toEqual([
        path,
        [],
      ]);
    }
    const before = await call(`${url}/api/v1/holdings`, { headers: old });
    const me = await get(sandbox, '/v1/users/me');
    expect(before.body['user_id']).toBe(object(me.body['data'])['uid']);
  });

  it('responses of the current API contain no legacy pagination fields [envelopes.no-old-pagination]', async () => {
    for (const path of paths) {
      const { status, raw } = await get(sandbox, path);
      expect([path, status]).toEqual([path, 200]);
      expect(raw).not.toMatch(/"(pagination|returned_count|hasNextPage|hasPreviousPage)"/);
    }
  });

  it('ledger and transaction endpoints return nested errors, and all other current endpoints return wrapped errors [wrapped.domains]', async () => {
    const wrapped = [
      '/v1/integrations',
      '/v1/holdings',
      '/v1/labels',
      '/v1/spam',
      '/v1/assets/search',
      '/v1/defi',
    ];
    for (const path of wrapped) {
      const { body } = await get(sandbox, path, { limit: 0 });
      expect([path, body['success'], body['code']]).toEqual([path, false, 'VALIDATION_ERROR']);
    }
    for (const path of ['/v1/providers/none', '/v1/sync/none', '/v1/integrations/none/assets']) {
      expect([path, (await get(sandbox, path)).body['code']]).toEqual([path, 'NOT_FOUND']);
    }
    for (const path of ['/v1/ledgers', '/v1/transactions']) {
      const { body } = await get(sandbox, path, { limit: 0 });
      expect([path, body]).toEqual([path, { error: { code: 'BAD_REQUEST', message: expect.any(String) } }]);
    }
  });

  it('responds 200 to both reads and batches [http.200]', async () => {
    for (const path of paths) expect((await get(sandbox, path)).status).toBe(200);
    expect((await post(sandbox, '/v1/transactions/batch', [])).status).toBe(200);
  });
});

describe('details that the specification leaves open', () => {
  const headersOf = ({ headers }: Answer) => [...headers.keys()];

  it('reading an account does not change its status [not-shown.integration-moves]', async () => {
    const statuses = async () =>
      list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data']).map(({ status }) => status);
    const before = await statuses();
    for (let look = 0; look < 3; look += 1) expect(await statuses()).toEqual(before);
  });

  it('no API endpoint locks or unlocks a period [not-shown.lock-operations]', async () => {
    for (const path of [
      '/v1/periods',
      '/v1/accounting/periods',
      '/v1/accounting/lock',
      '/v1/accounting/unlock',
    ]) {
      expect([path, (await post(sandbox, path, {})).status]).toEqual([path, 404]);
    }
  });

  it('introspection, discovery, keys and revocation follow the OAuth and OIDC standards [not-shown.revocation-and-documents]', async () => {
    expect((await introspect(sandbox, token)).body['active']).toBe(true);
    const discovery = await call(`${url}/oidc/.well-known/openid_configuration`);
    expect(discovery.body['issuer']).toBe(`${url}/oidc`);
    const [key] = list((await call(`${url}/oidc/jwks`)).body['keys']);
    expect(Object.keys(key ?? {})).toEqual(expect.arrayContaining(['kty', 'kid']));
    const none = { token: 'none', client_id: clientId, client_secret: clientSecret };
    const revoked = await postForm(`${url}/oidc/token/revocation`, none);
    expect([revoked.status, revoked.raw]).toEqual([200, '']);
  });

  it('responds 404 to the paths of Connect endpoints [not-shown.connect-paths]', async () => {
    for (const path of [
      '/v1/connect/link-token',
      '/v1/link-token',
      '/connect/token',
      '/v1/connect/token-exchange',
    ]) {
      expect([path, (await post(sandbox, path, {})).status]).toEqual([path, 404]);
    }
  });

  it('the authorization server reports each error with its own code and a 4xx status [not-shown.oidc-statuses]', async () => {
    const codes = [];
    for (const form of [{ grant_type: 'password' }, { grant_type: 'refresh_token', refresh_token: 'x' }]) {
      const answer = await postForm(`${url}/oidc/token`, {
        ...form,
        client_id: clientId,
        client_secret: clientSecret,
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      codes.push(answer.body['error']);
    }
    expect(codes).toEqual(['unsupported_grant_type', 'invalid_grant']);
  });

  it('legacy responses contain no sunset or deprecation header [not-shown.removal-dates]', async () => {
    for (const path of ['/v0/defi-holdings', '/api/v1/holdings', '/integrations/public/list']) {
      const answer = await call(`${url}${path}`, { headers: old });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(headersOf(answer).filter((name) => ['sunset', 'deprecation'].includes(name))).toEqual([]);
    }
  });

  it('data responses contain no rate limit headers [not-shown.data-rate-limits]', async () => {
    const answer = await get(sandbox, '/v1/ledgers');
    expect(headersOf(answer).filter((name) => /rate|retry/.test(name))).toEqual([]);
  });

  it('no endpoint responds 202 or 204 [http.202, http.204]', async () => {
    const answers = [
      await post(sandbox, '/v1/integrations/batch-delete', ['none']),
      await post(sandbox, '/v1/integrations/resync-all'),
      await post(sandbox, '/v1/transactions/batch', []),
      await call(`${url}/v1/ledgers?wid=${workspaceId}`, { headers: { 'x-api-key': apiKey } }),
      await postForm(`${url}/oidc/token/revocation`, {
        token: 'x',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await sandbox.reset();
  });
});

describe('a locked period', () => {
  it('rejects edits in a locked period until the period is unlocked [period.unlocked, retry.locked, nested.whole]', async () => {
    const { body } = await get(sandbox, '/v1/ledgers', { sortOrder: 'asc', limit: 1 });
    const edit = [{ id: text(list(body['data'])[0]?.['transactionId']) }];
    const batch = () => post(sandbox, '/v1/transactions/batch', edit);
    expect(object((await batch()).body['error'])['code']).toBe('PERIOD_LOCKED');
    expect((await batch()).status).toBe(409);
    await control(sandbox, 'period', { lockedUntil: null });
    expect((await batch()).body).toEqual({ data: { errorCount: 0 } });
    await sandbox.reset();
    expect((await batch()).status).toBe(409);
  });

  it.each([
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2024-01-01T12:00Z', Date.UTC(2024, 0, 1, 12)],
    ['2024-01-01T12:00:00.5+02:00', Date.UTC(2024, 0, 1, 10, 0, 0, 500)],
    ['0099-12-31T23:59:59-01:30', Date.parse('0100-01-01T01:29:59Z')],
  ])('POST /_sandbox/period reads %s', async (lockedUntil, time) => {
    expect(await control(sandbox, 'period', { lockedUntil })).toBe(200);
    expect((await call(`${url}/_sandbox/period`)).body).toEqual({ lockedUntil: time });
    await sandbox.reset();
  });

  it.each([
    ...['2025-02-30', '2025-02-29T10:00Z', '2025-13-01', '2025-01-01T24:00Z', '2025-06-30T23:59:60Z'],
    ...[
      '2025-01-01T10:00:00',
      '2025-01-01T10:00+24:00',
      '2025-01-01T10:60Z',
      '2025-01-01 10:00Z',
      '2025-01-01x',
    ],
  ])('POST /_sandbox/period rejects %s', async (lockedUntil) => {
    expect(await control(sandbox, 'period', { lockedUntil })).toBe(400);
  });
});

describe('event data', () => {
  const INTEGRATIONS = [
    ['[event.integration.created]', 'integration.created'],
    ['[event.integration.updated]', 'integration.updated'],
    ['[event.integration.deleted]', 'integration.deleted'],
    ['[event.integration.failed]', 'integration.failed'],
  ] as const;
  const RUNS = [
    ['[event.transfer_detection.started, run.started]', 'transfer_detection.started', 'started'],
    ['[event.transfer_detection.completed]', 'transfer_detection.completed', 'completed'],
    ['[event.transfer_detection.failed]', 'transfer_detection.failed', 'failed'],
    ['[event.costbasis.started, run.started]', 'costbasis.started', 'started'],
    ['[event.costbasis.completed]', 'costbasis.completed', 'completed'],
    ['[event.costbasis.failed]', 'costbasis.failed', 'failed'],
  ] as const;
  const trigger = (event: string) =>
    call(`${url}/_sandbox/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event }),
    });
  const dataOf = async (event: string) => object((await trigger(event)).body['data']);

  it.each(INTEGRATIONS)('%s: the integration in the event matches the API', async (_, event) => {
    const data = await dataOf(event);
    const served = list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data']);
    const own = served.find(({ walletId }) => walletId === data['walletId']) ?? {};
    const { status, errorMessage, ...same } = data;
    for (const [name, value] of Object.entries(same)) expect([name, value]).toEqual([name, own[name]]);
    expect(Object.keys(same)).toHaveLength(13 - 1);
    if (event === 'integration.failed') expect([status, typeof errorMessage]).toEqual(['FAILED', 'string']);
    else expect(errorMessage).toBeUndefined();
    if (event === 'integration.deleted') expect(['DELETING', 'DELETED', 'FAILED']).toContain(status);
  });

  it.each(INTEGRATIONS)('%s: without accounts, the event still contains an integration', (_, event) => {
    const data: Record<string, unknown> = { ...exampleEventData(event, [], 0) };
    expect(data).toMatchObject({ walletId: expect.any(String), category: 'exchange', type: 'api' });
    expect(Object.keys(data).length - Number('errorMessage' in data)).toBe(13);
  });

  it.each(RUNS)('%s: the event contains a run but no wallet', async (_, event, status) => {
    const data = await dataOf(event);
    expect(Object.keys(data).sort()).toEqual(['action', 'reason', 'status', 'timestamp']);
    expect(data['status']).toBe(status);
  });

  it('data.action differs between cost basis runs and transfer detection runs [event.run.action]', async () => {
    for (const [, event] of RUNS) {
      const action = event.startsWith('costbasis.') ? 'ACCOUNT_MANAGER' : 'DETECT_TRANSFER';
      expect([event, (await dataOf(event))['action']]).toEqual([event, action]);
    }
  });

  it('data.status of a run equals the second part of the event name [event.run.status]', async () => {
    for (const [, event] of RUNS) expect((await dataOf(event))['status']).toBe(event.split('.')[1]);
  });

  it('data.reason contains the reason if a run failed, and is null otherwise [event.run.reason]', async () => {
    for (const [, event, status] of RUNS) {
      const { reason } = await dataOf(event);
      expect([event, typeof reason === 'string' && reason !== '']).toEqual([event, status === 'failed']);
      if (status !== 'failed') expect(reason).toBeNull();
    }
  });

  it('data.timestamp of a run is the time of the sandbox clock in milliseconds [event.run.timestamp]', async () => {
    for (const [, event] of RUNS) expect((await dataOf(event))['timestamp']).toBe(now);
  });

  it('rejects an event name with an unknown category or action [envelope.event, events.categories]', async () => {
    for (const [, event] of [...INTEGRATIONS, ...RUNS])
      expect((await trigger(event)).body['event']).toBe(event);
    for (const event of [
      'sync.completed',
      'tax.filed',
      'integration',
      'integration.renamed',
      'ledgers.created',
    ]) {
      expect([event, (await trigger(event)).status]).toEqual([event, 400]);
    }
  });

  it('events contain no user id, and the events of runs contain no wallet id [envelope.data, envelope.no-user, event.workspace-wide]', async () => {
    for (const [, event] of [...INTEGRATIONS, ...RUNS]) {
      const { body } = await trigger(event);
      expect(isObject(body['data'])).toBe(true);
      expect(JSON.stringify(body)).not.toContain(sandbox.truth.uid);
    }
    for (const [, event] of RUNS) {
      const { body } = await trigger(event);
      expect(JSON.stringify(body['data'])).not.toMatch(/wal_|walletId/);
      expect(body['workspace_id']).toBe(workspaceId);
    }
  });
});
