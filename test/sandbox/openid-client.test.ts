// Tests the sandbox with the library openid-client, used as its documentation describes. Two settings are necessary.
// One sets the address of the discovery document, because the service does not serve it at the standard path. The other
// allows http, because the sandbox does not use https.

import * as client from 'openid-client';
import { expect, it } from 'vitest';
import { Browser, bearer, call, DEFAULT_SCOPE, parseForm, REDIRECT, start } from './helpers.ts';

const sandbox = await start({ rows: 10 });
const server = new URL(`${sandbox.url}/oidc/.well-known/openid_configuration`);
const options = { execute: [client.allowInsecureRequests] };

const discover = () => client.discovery(server, sandbox.clientId, sandbox.clientSecret, undefined, options);

/** Answers the consent page, and returns the address of the redirect. */
async function answered(redirectTo: URL, decision: string): Promise<URL> {
  const browser = new Browser(sandbox);
  const page = await browser.visit(redirectTo.href);
  const form = parseForm(page.answer.raw);
  const end = await browser.submit(new URL(form.action, page.url).href, [
    ...form.scopes.map((scope): [string, string] => ['scope', scope]),
    ['decision', decision],
  ]);
  return new URL(end.url);
}

/** Follows the quick start in the README of openid-client. Adds `state`, which the service requires as well as PKCE. */
async function begin(config: client.Configuration) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const redirectTo = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: DEFAULT_SCOPE,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  });
  return { redirectTo, checks: { pkceCodeVerifier, expectedState, idTokenExpected: true } };
}

it('openid-client can log in, read userinfo, and refresh, introspect and revoke tokens [oidc.discovery, flow.exchange, oidc.userinfo, oidc.token.refreshed, oidc.introspection, oidc.revocation.endpoint]', async () => {
  const config = await discover();
  expect(config.serverMetadata().supportsPKCE()).toBe(true);
  const { redirectTo, checks } = await begin(config);
  const tokens = await client.authorizationCodeGrant(config, await answered(redirectTo, 'allow'), checks);
  expect(tokens.expiresIn()).toBeGreaterThan(86_000);
  expect(tokens.scope?.split(' ').sort()).toEqual(DEFAULT_SCOPE.split(' ').sort());
  const { sub = '' } = tokens.claims() ?? {};
  expect(sub).toBe(sandbox.truth.uid);

  const userinfo = await client.fetchUserInfo(config, tokens.access_token, sub);
  expect(userinfo).toMatchObject({ sub, name: 'Ada Lindqvist', email: 'ada@meridian.example' });
  await expect(client.fetchUserInfo(config, tokens.access_token, 'usr_other')).rejects.toThrow();

  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(renewed.access_token).not.toBe(tokens.access_token);
  expect((await call(`${sandbox.url}/v1/users/me`, bearer(renewed.access_token))).status).toBe(200);
  const live = await client.tokenIntrospection(config, renewed.access_token);
  expect(live).toMatchObject({ active: true, sub, workspaceId: sandbox.workspaceId, role: 'owner' });

  await client.tokenRevocation(config, renewed.refresh_token ?? '');
  expect(await client.tokenIntrospection(config, renewed.access_token)).toEqual({ active: false });
  await expect(client.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    name: 'ResponseBodyError',
    error: 'invalid_grant',
    status: 400,
  });
});

it('openid-client reports access_denied if the user denies consent [oidc-error.access_denied]', async () => {
  const config = await discover();
  const { redirectTo, checks } = await begin(config);
  const callback = await answered(redirectTo, 'deny');
  await expect(client.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
    name: 'AuthorizationResponseError',
    error: 'access_denied',
  });
});

it('openid-client rejects a callback with the wrong state [flow.state]', async () => {
  const config = await discover();
  const { redirectTo, checks } = await begin(config);
  const callback = await answered(redirectTo, 'allow');
  const expectedState = client.randomState();
  await expect(
    client.authorizationCodeGrant(config, callback, { ...checks, expectedState }),
  ).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' });
  // The client detects the wrong state before it sends the code, so the code is still valid.
  const tokens = await client.authorizationCodeGrant(config, callback, checks);
  expect(tokens.token_type).toBe('bearer');
});

it('if a client sends too many requests, openid-client receives the retry delay [rate.answer]', async () => {
  const config = await discover();
  await sandbox.reset();
  let refused: unknown;
  for (let count = 0; count <= 100; count += 1) {
    refused = await client.refreshTokenGrant(config, 'none').catch((error: unknown) => error);
  }
  const { cause: response } = Object(refused);
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry_after'))).toBeGreaterThan(0);
});
