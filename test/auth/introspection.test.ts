import { describe, expect, it } from 'vitest';
import { introspect } from '../../src/auth/token.ts';
import { AUTH, failure, testHost } from './support.ts';

describe('introspection', () => {
  it('[/oidc/token/introspection] sends the token and the client credentials, and returns the response unchanged', async () => {
    const host = testHost();
    let sent = '';
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token/introspection', method: 'POST' })
      .reply(200, ({ body }) => {
        sent = String(body);
        return { active: true, workspaceId: 'ws_1', odd: [1] };
      });
    expect(await introspect(host, async () => 'the-token')).toEqual({
      active: true,
      workspaceId: 'ws_1',
      odd: [1],
    });
    expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
      token: 'the-token',
      client_id: 'the-client',
      client_secret: 'the-secret',
    });
    expect(host.lines.join('\n')).not.toContain('the-token');
  });

  it('if a token comes from the environment, its introspection does not read the keychain', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 't' } });
    const error = await failure(introspect(host, async () => 't'));
    expect([error.code, error.hint, host.keychain.calls]).toEqual([
      'MISSING_CLIENT_SECRET',
      'Set CRYPTODATA_CLIENT_SECRET to the secret of your client.',
      [],
    ]);
  });

  it.each([
    [500, 'oops', 'BAD_INTROSPECTION'],
    [200, '[]', 'BAD_INTROSPECTION'],
    [401, '{"error":"invalid_client"}', 'INVALID_CLIENT'],
  ])('introspection reports the response %i %s as an error', async (status, body, code) => {
    const host = testHost();
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token/introspection', method: 'POST' })
      .reply(status, body);
    expect((await failure(introspect(host, async () => 'the-token'))).code).toBe(code);
  });
});
