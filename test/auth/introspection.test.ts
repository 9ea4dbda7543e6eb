import { describe, expect, it } from 'vitest';
import { introspect } from '../../src/auth/token.ts';
import { AUTH, failure, testHost } from './support.ts';

describe('introspection', () => {
  it('sends the token and the client credentials, and returns the response unchanged [/oidc/token/introspection]', async () => {
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

  it('introspection of a token from the environment does not read the keychain', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 't' } });
    const error = await failure(introspect(host, async () => 't'));
    expect([error.code, error.hint, host.keychain.calls]).toEqual([
      'MISSING_CLIENT_SECRET',
      'Set CRYPTODATA_CLIENT_SECRET to the secret of your client.',
      [],
    ]);
  });

  it.each([
    [500, 'oops', 'service', 'BAD_INTROSPECTION'],
    [200, '[]', 'service', 'BAD_INTROSPECTION'],
    [403, '<html>', 'forbidden', 'BAD_INTROSPECTION'],
    [404, '', 'notFound', 'BAD_INTROSPECTION'],
    [401, '<html>', 'auth', 'INVALID_CLIENT'],
    [401, '{"error":"invalid_client"}', 'auth', 'INVALID_CLIENT'],
  ])('introspection reports the response %i %s as an error', async (status, body, kind, code) => {
    const host = testHost();
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token/introspection', method: 'POST' })
      .reply(status, body);
    const error = await failure(introspect(host, async () => 'the-token'));
    expect([error.kind, error.code]).toEqual([kind, code]);
  });
});
