// The authorization server of the sandbox.

import { digest } from '../core/hash.ts';
import { type Saved, shape } from '../core/readers.ts';
import type { SandboxSettings } from '../options.ts';
import { bearerOf, createAccessTokens, createSigningKey } from './access-token.ts';
import { createTokenStore, readSavedTokens } from './adapter.ts';
import { createGateway, createRateLimiter, readSavedLimits } from './gateway.ts';
import { type Member, scopesOfRole } from './members.ts';
import { createGrant, grantingMember } from './policy.ts';
import { createProvider } from './provider.ts';
import { ALL_SCOPES, CLIENT_SCOPES, splitScope } from './scopes.ts';
import { adaptResponses } from './wire.ts';

export interface Bearer {
  readonly member: Member;
  readonly scopes: readonly string[];
}

export interface LiveGrant {
  /** Form cgrant_<id>. */
  readonly grantId: string;
  readonly uid: string;
  /** The workspace that the grant is bound to, in the form ws_<id>. */
  readonly workspaceId: string;
  readonly role: string;
  readonly scope: string;
  /** The first 16 hex digits of the SHA-256 of each valid refresh token. */
  readonly refreshTokens: readonly string[];
}

export type IdentityServer = Awaited<ReturnType<typeof createIdentity>>;

export const readSavedIdentity = shape.object({
  /** Id of the key that signs access tokens. Snapshots do not contain the key, so another sandbox rejects the tokens. */
  kid: shape.text,
  tokens: readSavedTokens,
  limits: readSavedLimits,
});
export type SavedIdentity = Saved<typeof readSavedIdentity>;

export async function createIdentity(settings: SandboxSettings, origin: string, clock: () => number) {
  const { clientId, member, secret } = settings;
  const issuer = `${origin}/oidc`;
  const key = await createSigningKey(`sandbox-${secret().slice(0, 8)}`);
  const store = createTokenStore(clock);
  const tokens = createAccessTokens(issuer, key, clock);
  const clientScopes = [...new Set([...CLIENT_SCOPES, ...settings.registeredScopes])];
  const provider = createProvider({ settings, issuer, clientScopes, key, store });
  adaptResponses(provider, { tokens, store, key });
  const limiter = createRateLimiter(clock);

  const accessToken = await mintToken();
  store.keep();

  /** Issues a token with all client scopes that the member's role allows, so that `sandbox exec` needs no login. */
  async function mintToken(): Promise<string> {
    const scopes = scopesOfRole(member.role, clientScopes);
    const grant = await createGrant(provider, { member, clientId, scopes });
    const client = await provider.Client.find(clientId);
    if (client === undefined) throw new Error('The client of the sandbox is not registered');
    const scope = scopes.join(' ');
    const token = new provider.AccessToken({
      client,
      accountId: member.uid,
      grantId: grant.jti,
      gty: 'authorization_code',
      scope,
    });
    const opaque = await token.save();
    const issuedAt = store.times(opaque)?.iat ?? store.now();
    return tokens.sign({ opaque, member, scope, clientId, issuedAt });
  }

  /** Returns the member and the scopes of an access token; undefined if the token is forged, expired or revoked. */
  async function verify(jwt: string): Promise<Bearer | undefined> {
    const opaque = await tokens.open(jwt);
    if (opaque === undefined) return undefined;
    // Revoking a grant deletes its tokens, so every token found here is valid.
    const token = await provider.AccessToken.find(opaque);
    const member = bearerOf(token);
    return member === undefined ? undefined : { member, scopes: splitScope(token?.scope) };
  }

  /** Revokes an access token. For `grant`, also revokes the grant and its other tokens. Ignores tokens of other issuers. */
  async function end(jwt: string, what: 'token' | 'grant'): Promise<void> {
    const opaque = await tokens.open(jwt);
    const token = opaque === undefined ? undefined : await provider.AccessToken.find(opaque);
    if (token === undefined) return;
    await token.destroy();
    const { grantId } = token;
    if (what === 'token' || grantId === undefined) return;
    for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode']) {
      await store.adapter(model).revokeByGrantId(grantId);
    }
    await store.adapter('Grant').destroy(grantId);
  }

  function grants(): LiveGrant[] {
    const now = Math.floor(clock() / 1000);
    const refreshTokens = store
      .list('RefreshToken')
      .filter(({ consumed, exp = 0 }) => consumed === undefined && exp > now);
    return store.list('Grant').map(({ jti = '', accountId = '', openid, resources }) => {
      const member = grantingMember({ accountId, resources });
      return {
        grantId: `cgrant_${digest(jti).slice(0, 20)}`,
        uid: accountId,
        workspaceId: member?.workspace.id ?? '',
        role: member?.role ?? '',
        scope: scopeOf(openid),
        refreshTokens: refreshTokens
          .filter(({ grantId }) => grantId === jti)
          .map((token) => digest(token.jti ?? '').slice(0, 16)),
      };
    });
  }

  function reset(): void {
    store.reset();
    limiter.reset();
  }

  function restore(saved: SavedIdentity): void {
    store.restore(saved.tokens, saved.kid !== key.kid);
    limiter.restore(saved.limits);
  }

  return {
    handle: createGateway({
      ...{ provider, tokens, limiter, settings },
      dropped:
        settings.unregisteredScopes === 'narrow'
          ? ALL_SCOPES.filter((scope) => !clientScopes.includes(scope))
          : [],
    }),
    verify,
    accessToken,
    end,
    grants,
    reset,
    save: (): SavedIdentity => ({ kid: key.kid, tokens: store.save(), limits: limiter.save() }),
    restore,
  };
}

function scopeOf(openid: unknown): string {
  if (typeof openid !== 'object' || openid === null || !('scope' in openid)) return '';
  return typeof openid.scope === 'string' ? openid.scope : '';
}
