// Changes responses of oidc-provider so that they match the responses of the service.

import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type AccessTokens, bearerOf, type SigningKey } from './access-token.ts';
import type { TokenStore } from './adapter.ts';

type Json = Record<string, unknown>;

/** The OIDC error codes in the specification. Other error codes are replaced with invalid_request. */
const OIDC_ERRORS =
  'invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope access_denied invalid_token insufficient_scope server_error'.split(
    ' ',
  );

export interface WireParts {
  readonly tokens: AccessTokens;
  readonly store: TokenStore;
  readonly key: SigningKey;
}

export function adaptResponses(provider: Provider, parts: WireParts): void {
  provider.use(async (ctx, next) => {
    await next();
    adaptLocation(ctx);
    if (!isJson(ctx.body)) return;
    if (ctx.status >= 400)
      ctx.body = { ...errorBody(ctx.body), ...corrected(ctx.path, ctx.body['error'], ctx['oidc']) };
    else if (ctx.path === '/token') ctx.body = await tokenBody(provider, ctx.body, parts);
    else if (ctx.path === '/token/introspection')
      ctx.body = introspectionBody(ctx.body, ctx.oidc.params?.['token'], parts.store);
    else if (ctx.path.startsWith('/.well-known/')) ctx.body = discoveryBody(ctx.body);
  });
}

/**
 * Corrects an error of the token endpoint, if the library's error differs from the RFCs or from the specification. Returns an
 * empty object if the error is already correct.
 */
function corrected(path: string, error: unknown, oidc: KoaContextWithOIDC['oidc'] | undefined): Json {
  const { grant_type: grantType, code_verifier: verifier = '' } = oidc?.params ?? {};
  if (path !== '/token' || (grantType !== 'authorization_code' && grantType !== 'refresh_token')) return {};
  // RFC 6749, section 5.2: the client is not allowed to use this grant type.
  const isAllowed = oidc?.client?.grantTypeAllowed(grantType);
  if (error === 'invalid_request' && isAllowed === false) return { error: 'unauthorized_client' };
  // PKCE is mandatory, so a request without `code_verifier` is invalid.
  return error === 'invalid_grant' && grantType === 'authorization_code' && verifier === ''
    ? { error: 'invalid_request', error_description: "missing required parameter 'code_verifier'" }
    : {};
}

function isJson(body: unknown): body is Json {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !('pipe' in body);
}

function specError(code: unknown): string {
  return typeof code === 'string' && OIDC_ERRORS.includes(code) ? code : 'invalid_request';
}

function errorBody(body: Json): Json {
  return { error: specError(body['error']), error_description: body['error_description'] };
}

/** In the specification, the callback has `code` and `state`, but no `iss`. */
function adaptLocation(ctx: Pick<KoaContextWithOIDC, 'response' | 'redirect'>): void {
  const location = ctx.response.get('location');
  if (location === '' || !URL.canParse(location)) return;
  const url = new URL(location);
  // For response types other than `code`, the library puts errors into the fragment. Move the errors to the query.
  for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value);
  url.hash = '';
  if (!url.searchParams.has('iss')) return;
  url.searchParams.delete('iss');
  const error = url.searchParams.get('error');
  if (error !== null) {
    url.searchParams.set('error', specError(error));
    // oidc-provider adds the parameter `scope` with the rejected scope to the redirect. Remove this parameter.
    url.searchParams.delete('scope');
  }
  ctx.redirect(url.href);
}

async function tokenBody(provider: Provider, body: Json, { tokens, store, key }: WireParts): Promise<Json> {
  const { access_token: opaque, id_token: idToken } = body;
  if (typeof opaque !== 'string') return body;
  const token = await provider.AccessToken.find(opaque);
  const member = bearerOf(token);
  if (token === undefined || member === undefined) return body;
  const scope = token.scope ?? '';
  const issuedAt = store.times(opaque)?.iat ?? store.now();
  const signed = await tokens.sign({ opaque, member, scope, clientId: token.clientId ?? '', issuedAt });
  return {
    ...body,
    access_token: signed,
    ...(typeof idToken === 'string' ? { id_token: await restamp(idToken, key, store.now()) } : {}),
  };
}

/** Converts the times in an ID token from the machine's clock to the sandbox's clock. */
async function restamp(idToken: string, key: SigningKey, now: number): Promise<string> {
  const payload = decodeJwt(idToken);
  const seconds = now - (payload.iat ?? now);
  if (seconds === 0) return idToken;
  for (const claim of ['iat', 'exp', 'auth_time']) {
    const value = payload[claim];
    if (typeof value === 'number') payload[claim] = value + seconds;
  }
  return new SignJWT(payload)
    .setProtectedHeader({ ...decodeProtectedHeader(idToken), alg: key.alg })
    .sign(key.privateKey);
}

function introspectionBody(body: Json, token: unknown, store: TokenStore): Json {
  const times = typeof token === 'string' ? store.times(token) : undefined;
  if (body['active'] !== true || times === undefined) return body;
  return { ...body, iat: times.iat, exp: times.exp };
}

function discoveryBody(body: Json): Json {
  const { authorization_response_iss_parameter_supported: _iss, ...rest } = body;
  return {
    ...rest,
    response_modes_supported: ['query'],
    // Without these two metadata fields, clients would send the secret in a header (RFC 8414, section 2).
    revocation_endpoint_auth_methods_supported: rest['token_endpoint_auth_methods_supported'],
    introspection_endpoint_auth_methods_supported: rest['token_endpoint_auth_methods_supported'],
  };
}
