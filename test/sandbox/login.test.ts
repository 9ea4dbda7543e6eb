// Tests the login, from the consent page to the token response.

import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import {
  Browser,
  bearer,
  call,
  consent,
  DEFAULT_SCOPE,
  exchange,
  logIn,
  loginUrl,
  object,
  parseForm,
  postForm,
  refresh,
  start,
  text,
  usersOf,
} from './helpers.ts';

const sandbox = await start({ rows: 50 });
const sorted = (scope: unknown) => text(scope).split(' ').sort();

describe('the consent page', () => {
  it('the consent page is a form that shows the user, the scopes and the redirect address [flow.consent, oidc.auth.scope]', async () => {
    const { answer } = await new Browser(sandbox).visit(loginUrl(sandbox).url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const form = parseForm(answer.raw);
    expect(form.members).toEqual([sandbox.truth.uid]);
    expect(form.workspaces).toContain(sandbox.workspaceId);
    expect(form.scopes.sort()).toEqual(sorted(DEFAULT_SCOPE));
    expect(form.buttons).toEqual(['allow', 'deny']);
    expect(answer.raw).toContain('Meridian Trading &amp; Sons');
    expect(answer.raw).toContain('Your role is owner.');
    expect(answer.raw).toContain('http://127.0.0.1:8976/callback');
  });

  it('the consent page shows the member whose id is in the URL', async () => {
    const browser = new Browser(sandbox);
    const page = await browser.visit(loginUrl(sandbox).url);
    const viewer = usersOf(sandbox)[2] ?? '';
    expect(page.answer.raw).toContain(`?member=${viewer}"`);
    const { answer } = await browser.visit(`${page.url}?member=${viewer}`);
    const form = parseForm(answer.raw);
    expect(form.members).toEqual([viewer]);
    expect(form.scopes).not.toContain('transactions:read');
    expect(answer.raw).toMatch(/Not granted.*Read your transactions/s);
    expect((await browser.visit(`${page.url}?member=nobody`)).answer.raw).toContain('Ada Lindqvist');
  });

  it('the consent page escapes names and URLs', async () => {
    const hostile = loginUrl(sandbox, { redirect_uri: 'http://127.0.0.1:1/"><script>x</script>' });
    const { answer } = await new Browser(sandbox).visit(hostile.url);
    expect(answer.status).toBe(200);
    expect(answer.raw).not.toContain('<script');
    expect(answer.raw).toContain('Yuki &quot;Y&quot; &lt;Sato&gt;');
  });

  it('the consent page loads no resources and runs no scripts', async () => {
    const { answer } = await new Browser(sandbox).visit(loginUrl(sandbox).url);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
    expect(answer.raw).not.toMatch(/<(link|img|script|iframe)\b/);
    expect(answer.raw).not.toMatch(/url\(|@import/);
  });

  it('the consent page accepts a single answer, which must come from the browser that opened the page', async () => {
    const browser = new Browser(sandbox);
    const page = await browser.visit(loginUrl(sandbox).url);
    const stranger = await new Browser(sandbox).submit(page.url, [['decision', 'allow']]);
    expect(stranger.answer.status).toBe(400);
    const elsewhere = {
      method: 'POST',
      headers: { origin: 'http://127.0.0.1:3000' },
      body: 'decision=allow',
    };
    expect((await browser.visit(page.url, elsewhere)).answer.status).toBe(403);
    const end = await browser.submit(page.url, [['decision', 'allow']]);
    expect(new URL(end.url).searchParams.has('code')).toBe(true);
    const again = await browser.visit(page.url);
    expect(again.answer.status).toBe(400);
    expect(again.answer.raw).toContain('no longer open');
  });
});

describe('consent', () => {
  it('each login asks for consent again, even in the same browser', async () => {
    const browser = new Browser(sandbox);
    const roles: unknown[] = [];
    for (const member of [0, 2, 0]) {
      const login = loginUrl(sandbox);
      const page = await browser.visit(login.url);
      const end = await browser.submit(page.url, [
        ['member', usersOf(sandbox)[member] ?? ''],
        ['decision', 'allow'],
      ]);
      const { body } = await exchange(sandbox, login, new URL(end.url));
      roles.push(decodeJwt(text(body['access_token']))['role']);
    }
    expect(roles).toEqual(['owner', 'viewer', 'owner']);
  });

  it('the redirect after consent contains only the parameters `code` and `state` [oidc.auth.endpoint, flow.state, not-shown.callback]', async () => {
    const login = loginUrl(sandbox);
    const callback = await consent(sandbox, login);
    expect(callback.origin + callback.pathname).toBe('http://127.0.0.1:8976/callback');
    expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'state']);
    expect(callback.searchParams.get('state')).toBe(login.state);
  });

  it('a client can use any loopback address as its redirect URI [silent.redirects]', async () => {
    for (const redirect of ['http://localhost:1234/a/b?c=d', 'http://[::1]:4321/', 'http://127.0.0.1/x']) {
      const login = loginUrl(sandbox, { redirect_uri: redirect });
      const callback = await consent(sandbox, login);
      expect(callback.href.startsWith(redirect)).toBe(true);
      expect((await exchange(sandbox, login, callback, { redirect_uri: redirect })).status).toBe(200);
    }
  });

  it('redirects with access_denied if the user denies consent', async () => {
    const login = loginUrl(sandbox);
    const callback = await consent(sandbox, login, { decision: 'deny' });
    expect(callback.searchParams.get('error')).toBe('access_denied');
    expect(callback.searchParams.get('state')).toBe(login.state);
    expect(callback.searchParams.has('code')).toBe(false);
  });

  it('a user can grant fewer scopes than the client requested [scope.narrowed, scope.offline_access, token.scope]', async () => {
    const tokens = await logIn(sandbox, { scopes: ['transactions:read', 'email'] });
    expect(sorted(tokens['scope'])).toEqual(['email', 'openid', 'transactions:read']);
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it('the role of a member limits the scopes that the member can grant [scope.role, access-token.role]', async () => {
    const tokens = await logIn(sandbox, { member: 2 });
    const allowed = [
      'email',
      'integrations:read',
      'offline_access',
      'openid',
      'portfolios:read',
      'profile',
      'workspace:read',
    ];
    expect(sorted(tokens['scope'])).toEqual(allowed);
    const claims = decodeJwt(text(tokens['access_token']));
    expect(claims['role']).toBe('viewer');
    const refused = await call(`${sandbox.url}/v1/ledgers`, bearer(text(tokens['access_token'])));
    expect(refused.status).toBe(403);
    expect(refused.body['error']).toBe('insufficient_scope');
    expect(refused.body['error_description']).toContain('transactions:read');
  });
});

const [, family] = sandbox.truth.members;

describe('a member of two workspaces', () => {
  it('a member can choose the workspace, and the token contains the role in that workspace', async () => {
    const workspace = family?.workspaceId ?? '';
    expect(workspace).not.toBe(sandbox.workspaceId);
    const tokens = await logIn(sandbox, { member: 1, workspace });
    const claims = decodeJwt(text(tokens['access_token']));
    expect(claims).toMatchObject({ workspaceId: workspace, workspaceType: 'personal', role: 'viewer' });
    // This workspace has no plan.
    expect(claims).not.toHaveProperty('plan');
    expect(text(tokens['scope'])).not.toContain('transactions:read');
    expect(sandbox.truth.grants().at(-1)).toMatchObject({ workspaceId: workspace, role: 'viewer' });
    const renewed = await refresh(sandbox, text(tokens['refresh_token']));
    expect(decodeJwt(text(renewed.body['access_token']))['workspaceId']).toBe(workspace);
    const first = await logIn(sandbox, { member: 1 });
    expect(decodeJwt(text(first['access_token']))).toMatchObject({
      workspaceId: sandbox.workspaceId,
      role: 'accountant',
    });
  });

  it('rejects consent for a workspace that the user does not belong to', async () => {
    const login = loginUrl(sandbox);
    const browser = new Browser(sandbox);
    const page = await browser.visit(login.url);
    for (const workspace of [family?.workspaceId ?? '', sandbox.truth.foreignWorkspaceId]) {
      const end = await browser.submit(page.url, [
        ['member', sandbox.truth.members.at(-1)?.uid ?? ''],
        ['workspace', workspace],
        ['decision', 'allow'],
      ]);
      expect([workspace, end.answer.status]).toEqual([workspace, 400]);
    }
  });
});

describe('consentAs', () => {
  it('consentAs selects the member for each login, and for the token in the environment', async () => {
    for (const [consentAs, role, workspaceType] of [
      ['viewer', 'viewer', 'business'],
      ['tomas@books.example', 'accountant', 'business'],
      [`tomas@books.example/${family?.workspaceId}`, 'viewer', 'personal'],
      [`${sandbox.truth.uid}/${family?.workspaceId}`, 'owner', 'personal'],
    ] as const) {
      const quick = await createSandbox({ rows: 1, oneOrigin: true, autoConsent: true, consentAs });
      const login = loginUrl(quick);
      const callback = new URL((await call(login.url)).headers.get('location') ?? '');
      const { body } = await exchange(quick, login, callback);
      for (const token of [body['access_token'], quick.env['CRYPTODATA_ACCESS_TOKEN']]) {
        expect(decodeJwt(text(token))).toMatchObject({ role, workspaceType });
      }
      const answer = await call(`${quick.url}/v1/ledgers`, bearer(text(body['access_token'])));
      expect(answer.status).toBe(role === 'viewer' ? 403 : 200);
      await quick.close();
    }
  });

  it('consentAs selects the member that the consent page shows first', async () => {
    const asked = await start({ rows: 1, consentAs: 'viewer' });
    const { answer } = await new Browser(asked).visit(loginUrl(asked).url);
    expect(answer.raw).toContain('Your role is viewer.');
    expect(parseForm(answer.raw).scopes).not.toContain('transactions:read');
  });

  it('rejects a consentAs value that does not identify a member', async () => {
    for (const consentAs of ['king', '', 'owner/ws_none', `viewer/`]) {
      await expect(createSandbox({ consentAs })).rejects.toThrow(/accountant or tomas@books.example/);
    }
  });
});

describe('the token response', () => {
  it('the token response contains the specified fields [token.access_token, token.id_token, token.token_type, token.expires_in, token.refresh_token, scope.default-set, flow.registered]', async () => {
    const tokens = await logIn(sandbox);
    expect(Object.keys(tokens).sort()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'].sort(),
    );
    expect(tokens['token_type']).toBe('Bearer');
    expect(tokens['expires_in']).toBe(86_400);
    expect(sorted(tokens['scope'])).toEqual(DEFAULT_SCOPE.split(' ').sort());
  });

  it('the tokens contain the specified claims, and are signed with the published keys [oidc.jwks, access-token.beyond-oidc, access-token.workspaceId, access-token.workspaceName, access-token.workspaceType, access-token.plan, lifetime.id-token]', async () => {
    const tokens = await logIn(sandbox);
    const keys = createRemoteJWKSet(new URL(`${sandbox.url}/oidc/jwks`));
    const issuer = `${sandbox.url}/oidc`;
    const access = await jwtVerify(text(tokens['access_token']), keys, { issuer });
    expect(access.payload).toMatchObject({
      workspaceId: sandbox.workspaceId,
      workspaceName: 'Meridian Trading & Sons',
      workspaceType: 'business',
      role: 'owner',
      plan: 'enterprise',
      sub: sandbox.truth.uid,
    });
    expect(sandbox.workspaceId).toMatch(/^ws_/);
    expect((access.payload.exp ?? 0) - (access.payload.iat ?? 0)).toBe(86_400);
    const id = await jwtVerify(text(tokens['id_token']), keys, { issuer, audience: sandbox.clientId });
    expect(id.payload).toMatchObject({
      sub: sandbox.truth.uid,
      email: 'ada@meridian.example',
      name: 'Ada Lindqvist',
    });
    expect((id.payload.exp ?? 0) - (id.payload.iat ?? 0)).toBe(86_400);
  });

  it("a login creates a grant with an id, a refresh token and the member's role [service.grant, service.grant-id]", async () => {
    await logIn(sandbox, { member: 1 });
    const grant = sandbox.truth.grants().at(-1);
    expect(grant?.grantId).toMatch(/^cgrant_\w+$/);
    expect(grant?.role).toBe('accountant');
    expect(grant?.refreshTokens).toHaveLength(1);
  });
});

describe('an authorization request', () => {
  const parameters = [
    ['[oidc.auth.response_type]', 'response_type'],
    ['[oidc.auth.client_id]', 'client_id'],
    ['[oidc.auth.redirect_uri]', 'redirect_uri'],
    ['[oidc.auth.scope]', 'scope'],
    ['[oidc.auth.state]', 'state'],
    ['[oidc.auth.code_challenge]', 'code_challenge'],
    ['[oidc.auth.code_challenge_method]', 'code_challenge_method'],
  ] as const;

  it.each(parameters)('%s: rejects an authorization request without %s', async (_, name) => {
    const { answer, url } = await new Browser(sandbox).visit(loginUrl(sandbox, { [name]: undefined }).url);
    const redirected = new URL(url).searchParams.get('error');
    expect(redirected ?? answer.body['error']).toBe('invalid_request');
    if (redirected === null) expect(answer.status).toBe(400);
  });

  it('rejects an authorization request with a challenge method other than S256 [oidc.auth.code_challenge_method]', async () => {
    const { url } = await new Browser(sandbox).visit(
      loginUrl(sandbox, { code_challenge_method: 'plain' }).url,
    );
    expect(new URL(url).searchParams.get('error')).toBe('invalid_request');
  });

  it.each(['token', 'id_token', 'code id_token', 'none'])('rejects the response type %s', async (type) => {
    const login = loginUrl(sandbox, { response_type: type });
    const { hash, searchParams } = new URL((await new Browser(sandbox).visit(login.url)).url);
    expect([hash, searchParams.get('error')]).toEqual(['', 'invalid_request']);
    expect([...searchParams.keys()].sort()).toEqual(['error', 'error_description', 'state']);
    expect(searchParams.get('state')).toBe(login.state);
  });

  it('rejects a redirect URI that is not a loopback address [silent.redirects]', async () => {
    for (const redirect of [
      'https://evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'https://127.0.0.1/cb',
      'http://127.0.0.1@evil.example/',
      'http://localhost/#fragment',
      'javascript:alert(1)',
    ]) {
      const answer = await call(loginUrl(sandbox, { redirect_uri: redirect }).url);
      expect([redirect, answer.status, answer.headers.get('location')]).toEqual([redirect, 400, null]);
      expect(answer.body['error']).toBe('invalid_request');
    }
  });

  it.each(['contacts:read', 'transactions:write', 'swaps:read', 'nonsense'])(
    'rejects the scope %s [scope.registered, silent.unregistered-scope, silent.unknown-scope]',
    async (scope) => {
      const login = loginUrl(sandbox, { scope: `openid ${scope}` });
      const { url } = await new Browser(sandbox).visit(login.url);
      expect(new URL(url).searchParams.get('error')).toBe('invalid_scope');
      expect(new URL(url).searchParams.get('state')).toBe(login.state);
      expect([...new URL(url).searchParams.keys()].sort()).toEqual(['error', 'error_description', 'state']);
    },
  );

  it('if unregisteredScopes is "narrow", unregistered scopes are ignored, but unknown scopes are still rejected [silent.unregistered-scope]', async () => {
    const narrowing = await start({ rows: 1, unregisteredScopes: 'narrow' });
    const scope = 'openid contacts:read transactions:read swaps:write';
    const tokens = await logIn(narrowing, {}, { scope });
    expect(tokens['scope']).toBe('openid transactions:read');
    const { url } = await new Browser(narrowing).visit(loginUrl(narrowing, { scope: 'openid none' }).url);
    expect(new URL(url).searchParams.get('error')).toBe('invalid_scope');
  });

  it('rejects an authorization request without the openid scope [scope.openid]', async () => {
    const { url } = await new Browser(sandbox).visit(loginUrl(sandbox, { scope: 'transactions:read' }).url);
    expect(new URL(url).searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('the code exchange', () => {
  async function refused(overrides: Record<string, string>, error: string) {
    const login = loginUrl(sandbox);
    const answer = await exchange(sandbox, login, await consent(sandbox, login), overrides);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
    expect(answer.body['error']).toBe(error);
  }

  it('rejects a wrong verifier [oidc.token.code_verifier, flow.pkce, flow.challenge]', () =>
    refused({ code_verifier: 'x'.repeat(43) }, 'invalid_grant'));
  it('reports a missing verifier, and accepts the same code in a later request with a verifier [oidc.token.code_verifier, oidc-error.invalid_request]', async () => {
    const login = loginUrl(sandbox);
    const callback = await consent(sandbox, login);
    for (const verifier of [undefined, '']) {
      const fields = {
        ...{ grant_type: 'authorization_code', code: callback.searchParams.get('code') ?? '' },
        ...{ client_id: sandbox.clientId, client_secret: sandbox.clientSecret },
        redirect_uri: new URL(login.url).searchParams.get('redirect_uri') ?? '',
        ...(verifier === undefined ? {} : { code_verifier: verifier }),
      };
      const answer = await postForm(`${sandbox.url}/oidc/token`, fields);
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request']);
      expect(answer.body['error_description']).toContain('code_verifier');
    }
    expect((await exchange(sandbox, login, callback)).status).toBe(200);
  });
  it('rejects a redirect URI that was not in the login request [oidc.token.redirect_uri]', () =>
    refused({ redirect_uri: 'http://127.0.0.1:1/' }, 'invalid_grant'));
  it('rejects a wrong client secret [oidc.token.client_secret, flow.exchange]', () =>
    refused({ client_secret: 'wrong' }, 'invalid_client'));
  it('rejects an unknown client [oidc.token.client_id]', () =>
    refused({ client_id: 'nobody' }, 'invalid_client'));
  it('rejects an unknown grant type [oidc.token.grant_type]', () =>
    refused({ grant_type: 'password' }, 'unsupported_grant_type'));
  it('rejects a missing code [oidc.token.code]', () => refused({ code: '' }, 'invalid_request'));

  it('rejects client credentials in the Authorization header [headers.client-in-form]', async () => {
    const login = loginUrl(sandbox);
    const callback = await consent(sandbox, login);
    const basic = Buffer.from(`${sandbox.clientId}:${sandbox.clientSecret}`).toString('base64');
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: 'http://127.0.0.1:8976/callback',
      code_verifier: login.verifier,
    });
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await call(`${sandbox.url}/oidc/token`, {
      method: 'POST',
      headers,
      body: body.toString(),
    });
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request']);
  });

  it('the second use of a code is rejected, and revokes the tokens of the first use [silent.replayed-code]', async () => {
    const login = loginUrl(sandbox);
    const callback = await consent(sandbox, login);
    const first = await exchange(sandbox, login, callback);
    const token = text(first.body['access_token']);
    expect((await call(`${sandbox.url}/v1/users/me`, bearer(token))).status).toBe(200);
    expect((await exchange(sandbox, login, callback)).body['error']).toBe('invalid_grant');
    expect((await call(`${sandbox.url}/v1/users/me`, bearer(token))).status).toBe(401);
  });
});

it('the discovery document is available only at the specified path [oidc.discovery]', async () => {
  const { status, body } = await call(`${sandbox.url}/oidc/.well-known/openid_configuration`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    issuer: `${sandbox.url}/oidc`,
    authorization_endpoint: `${sandbox.url}/oidc/auth`,
    token_endpoint: `${sandbox.url}/oidc/token`,
    revocation_endpoint: `${sandbox.url}/oidc/token/revocation`,
    introspection_endpoint: `${sandbox.url}/oidc/token/introspection`,
    userinfo_endpoint: `${sandbox.url}/oidc/userinfo`,
    jwks_uri: `${sandbox.url}/oidc/jwks`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    revocation_endpoint_auth_methods_supported: ['client_secret_post'],
    introspection_endpoint_auth_methods_supported: ['client_secret_post'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  });
  for (const path of [
    '.well-known/openid-configuration',
    'session/end',
    'request',
    'device/auth',
    'reg',
    'me',
  ]) {
    const answer = await call(`${sandbox.url}/oidc/${path}`);
    expect([path, answer.status, answer.body['code']]).toEqual([path, 404, 'NOT_FOUND']);
  }
  expect((await call(`${sandbox.url}/oidc/userinfo`, { method: 'POST' })).status).toBe(404);
});

it('autoConsent redirects without showing a consent page', async () => {
  const quick = await start({ rows: 10, autoConsent: true });
  const login = loginUrl(quick);
  const answer = await call(login.url);
  expect(answer.status).toBe(303);
  const callback = new URL(answer.headers.get('location') ?? '');
  expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'state']);
  const tokens = await exchange(quick, login, callback);
  expect(tokens.status).toBe(200);
  expect(sorted(tokens.body['scope'])).toEqual(DEFAULT_SCOPE.split(' ').sort());
  expect(decodeJwt(text(tokens.body['access_token']))['role']).toBe('owner');
  const missing = await call(loginUrl(quick, { state: undefined }).url);
  expect(new URL(missing.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request');
});

it('the ID token contains the nonce of the authorization request', async () => {
  const tokens = object(await logIn(sandbox, {}, { nonce: 'n-0S6_WzA2Mj' }));
  expect(decodeJwt(text(tokens['id_token']))['nonce']).toBe('n-0S6_WzA2Mj');
});
