// Configures oidc-provider according to the Authentication section of the specification. All other features are off.

import type { Configuration, Grant, Provider as OidcProvider } from 'oidc-provider';
import { isLoopbackHost } from '../http/origin.ts';
import type { SandboxSettings } from '../options.ts';
import { type SigningKey, workspaceClaims } from './access-token.ts';
import type { TokenStore } from './adapter.ts';
import { Provider } from './library.ts';
import { findUser, type SandboxUser } from './members.ts';
import { createPolicy, grantingMember } from './policy.ts';
import { ALL_SCOPES } from './scopes.ts';

const MINUTE = 60;
const DAY = 86_400;

interface ProviderOptions {
  readonly settings: SandboxSettings;
  readonly issuer: string;
  readonly clientScopes: readonly string[];
  readonly key: SigningKey;
  readonly store: TokenStore;
}

/** Path of the consent page. */
const INTERACTION_PATH = '/oidc/interaction/';

export function createProvider(options: ProviderOptions): OidcProvider {
  const provider: OidcProvider = new Provider(
    options.issuer,
    configuration(options, async (id) => provider.Grant.find(id)),
  );
  provider.Client.prototype.redirectUriAllowed = isLoopbackRedirect;
  return provider;
}

function configuration(
  { settings, clientScopes, key, store }: ProviderOptions,
  findGrant: (id: string) => Promise<Grant | undefined>,
): Configuration {
  const { clientId, clientSecret, clientGrantTypes, autoConsent, member, secret } = settings;
  return {
    adapter: (model: string) => store.adapter(model),
    jwks: { keys: [{ ...key.privateJwk }] },
    cookies: {
      keys: [secret()],
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        client_name: 'Sandbox application',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: [...clientGrantTypes],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
        scope: clientScopes.join(' '),
      },
    ],
    clientDefaults: { id_token_signed_response_alg: key.alg },
    clientAuthMethods: ['client_secret_post'],
    clientBasedCORS: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    scopes: [...ALL_SCOPES],
    claims: {
      openid: ['sub'],
      profile: ['name', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
    },
    // Spec: "ID token with user claims". Put the claims of the granted scopes into the ID token as well as into userinfo.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    ttl: {
      AccessToken: DAY,
      AuthorizationCode: 10 * MINUTE,
      IdToken: DAY,
      RefreshToken: 30 * DAY,
      Interaction: 60 * MINUTE,
      Session: 60 * MINUTE,
      // A grant must outlive all its refresh tokens.
      Grant: 3650 * DAY,
    },
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, _client, source) => source.scopes.has('offline_access'),
    revokeGrantPolicy: () => true,
    findAccount: (_ctx, sub) => {
      const user = findUser(sub);
      return user === undefined ? undefined : { accountId: user.uid, claims: () => userClaims(user) };
    },
    extraTokenClaims: async (_ctx, token) => {
      const grant = 'grantId' in token ? await findGrant(token.grantId) : undefined;
      const member = grant && grantingMember(grant);
      return member === undefined ? undefined : workspaceClaims(member);
    },
    interactions: {
      policy: createPolicy(autoConsent ? member : undefined),
      url: (_ctx, interaction) => `${INTERACTION_PATH}${interaction.uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      claimsParameter: { enabled: false },
    },
    routes: {
      authorization: '/auth',
      token: '/token',
      revocation: '/token/revocation',
      introspection: '/token/introspection',
      userinfo: '/userinfo',
      jwks: '/jwks',
    },
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = { error: out.error, error_description: out.error_description };
    },
  };
}

/** Spec: UserInfo claims. The library sends only the claims of the granted scopes. */
function userClaims(user: SandboxUser) {
  return {
    sub: user.uid,
    name: user.name,
    picture: user.picture,
    updated_at: user.updatedAt,
    email: user.email,
    email_verified: user.emailVerified,
  };
}

/** Accepts any http address on a loopback host, so that clients can use any port. */
function isLoopbackRedirect(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#')) return false;
  const { protocol, host, username } = new URL(uri);
  return protocol === 'http:' && username === '' && isLoopbackHost(host);
}
