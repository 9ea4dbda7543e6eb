import {
  authorizationCodeGrantRequest,
  ClientSecretPost,
  introspectionRequest,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { CryptodataError, messageOf, UpstreamError } from '../core/errors.ts';
import { isHeaderValue } from '../core/header.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { type Destination, destination } from './addresses.ts';
import { momentOf, parseScope, readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import type { SavedResponse } from './refresh-log.ts';
import { requireClientSecret } from './secrets.ts';
import { type AuthResponse, formOptions, LATER, oauthBody, parseBody, unusableResponse } from './send.ts';
import { type Registration, registration } from './server.ts';
import { ACCESS_TOKEN_LIFETIME } from './session-file.ts';

/** A token response. Times are in milliseconds since 1970. */
export interface TokenSet {
  readonly accessToken: string;
  /** The refresh token; null if `offline_access` was not granted. */
  readonly refreshToken: string | null;
  /**
   * The granted scopes. Null if the response names no scopes, which means that all requested scopes were granted (RFC 6749,
   * 5.1).
   */
  readonly scopes: readonly string[] | null;
  readonly obtainedAt: number;
  readonly expiresAt: number;
}

export interface CodeExchange {
  readonly code: string;
  readonly state: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly clientSecret: string;
}

/** Exchanges an authorization code for tokens. The client sends its credentials in the form body. */
export async function exchangeCode(
  host: AuthHost,
  to: Registration,
  exchange: CodeExchange,
): Promise<TokenSet> {
  const { code, state, redirectUri, codeVerifier, clientSecret } = exchange;
  const parameters = validateAuthResponse(to.as, to.client, new URLSearchParams({ code, state }), state);
  const requestedAt = host.now();
  return explained(async () => {
    const response = await authorizationCodeGrantRequest(
      to.as,
      to.client,
      ClientSecretPost(clientSecret),
      parameters,
      redirectUri,
      codeVerifier,
      formOptions(host, { interruptible: true }, toTokenResponse),
    );
    return tokenSet(await processAuthorizationCodeResponse(to.as, to.client, response), requestedAt);
  });
}

/**
 * Exchanges a refresh token for new tokens. The caller must hold the profile's lock, because the server may invalidate the old
 * token as soon as it receives the request.
 *
 * @param save called with the response before any token of the response is used
 */
export async function refreshToken(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  token: string,
  save: (response: SavedResponse) => void = () => {},
): Promise<TokenSet> {
  const requestedAt = host.now();
  const refreshed = explained(async () => {
    const response = await refreshTokenGrantRequest(
      to.as,
      to.client,
      ClientSecretPost(clientSecret),
      token,
      formOptions(
        host,
        { interruptible: false, received: (received) => save({ ...received, requestedAt }) },
        toTokenResponse,
      ),
    );
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), requestedAt);
  });
  return refreshed.catch((error) => {
    throw failureOfServer(error);
  });
}

/**
 * Changes the kind of an error from a refresh. The user did not ask for the refresh, so the error must not look like an error
 * of the user's own request.
 */
function failureOfServer(error: unknown): unknown {
  if (!(error instanceof CryptodataError) || !['notFound', 'conflict', 'rejected'].includes(error.kind)) {
    return error;
  }
  const { code, message, hint, status, details, cause } = error;
  return new UpstreamError(code, message, { hint, status, details, cause });
}

/** Parses a response that a killed process saved. */
export function parseSavedResponse(
  host: AuthHost,
  to: Registration,
  saved: SavedResponse,
): Promise<TokenSet> {
  return explained(async () => {
    const response = toTokenResponse(host, to.as.token_endpoint, saved);
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), saved.requestedAt);
  });
}

/**
 * Converts a token response for oauth4webapi. Without the conversion, oauth4webapi would reject a response with valid tokens
 * because of an invalid optional member. An optional member that is null, empty or not of the specified type counts as
 * absent. The type of the token is always `Bearer` (section "Token response" of the specification). The ID token is omitted,
 * because oauth4webapi would check its issuer, and the specification does not name the issuer. The tool reads `/oidc/userinfo`
 * instead.
 */
function toTokenResponse(host: AuthHost, url: string, response: AuthResponse): Response {
  const { status } = response;
  const json = oauthBody(host, url, response);
  if (status < 200 || status >= 300 || !isRecord(json)) {
    throw unusableResponse('BAD_TOKEN_RESPONSE', url, response);
  }
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: lifetime,
    refresh_token: refresh,
    scope,
  } = json;
  if (typeof accessToken === 'string') checkToken('access token', accessToken, url);
  const members = {
    access_token: accessToken,
    token_type: text(type) ?? 'Bearer',
    expires_in: seconds(lifetime, host.now()),
    refresh_token: text(refresh),
    scope: Array.isArray(scope) ? text(scope.join(' ')) : text(scope),
  };
  return new Response(stringifyJson(members), { headers: { 'content-type': 'application/json' } });
}

/** Refuses a token that cannot be sent in a header, so that it does not replace a working token. */
export function checkToken(name: 'access token' | 'refresh token', token: string, url: string): void {
  if (isHeaderValue(token)) return;
  throw new UpstreamError(
    'BAD_TOKEN_RESPONSE',
    `Cannot use the response from ${url}: the ${name} is empty, or contains spaces, line breaks or characters outside ASCII`,
    { hint: 'Check auth_url: cryptodata config list.' },
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Reads a lifetime from a number or a string. A lifetime that ends after the year 9999 counts as absent. */
function seconds(value: unknown, now: number): number | undefined {
  const number = ['number', 'string'].includes(typeof value) || isExactNumber(value) ? Number(value) : 0;
  return number > 0 && momentOf(now + number * 1000) !== null ? number : undefined;
}

function tokenSet(response: TokenEndpointResponse, requestedAt: number): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = response;
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    scopes: parseScope(scope),
    // Count the lifetime from the start of the request, so that no token is used after it has expired.
    obtainedAt: requestedAt,
    expiresAt:
      expiresIn === undefined
        ? (readAccessTokenClaims(accessToken).expiresAt ?? requestedAt + ACCESS_TOKEN_LIFETIME)
        : Math.floor(requestedAt + expiresIn * 1000),
  };
}

/** Replaces errors from oauth4webapi with the tool's own errors. */
async function explained<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError) {
      throw unreadable(error);
    }
    throw error;
  }
}

function unreadable(error: OperationProcessingError | UnsupportedOperationError): CryptodataError {
  // Set `cause` to the code, not to the error, because the error may contain the response body with its tokens.
  return new UpstreamError(
    'BAD_TOKEN_RESPONSE',
    `Cannot use the response from the authorization server: ${error.message}`,
    { hint: LATER, cause: error.code },
  );
}

export interface Revocation {
  readonly revoked: boolean;
  readonly reason?: string;
}

/**
 * Asks the service to revoke a token. Does not throw if the request fails, because the caller must still delete the local
 * session.
 */
export async function revoke(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  token: string,
): Promise<Revocation> {
  const options = formOptions(host, { interruptible: true });
  try {
    const response = await revocationRequest(
      to.as,
      to.client,
      ClientSecretPost(clientSecret),
      token,
      options,
    );
    // The specification does not define the response, so any 2xx is accepted.
    return response.ok ? { revoked: true } : { revoked: false, reason: `HTTP ${response.status}` };
  } catch (error) {
    return { revoked: false, reason: messageOf(error) };
  }
}

/**
 * Sends `POST {auth_url}/oidc/token/introspection`. The request follows RFC 7662, because the specification does not define the
 * request. Returns the response unchanged.
 *
 * @param tokenFor returns the access token. Throws if the token must not be sent to this server.
 */
export async function introspect(
  host: AuthHost,
  tokenFor: (to: Destination) => Promise<string>,
): Promise<JsonRecord> {
  const { as, client, authUrl } = registration(host);
  const accessToken = await tokenFor(destination('auth_url', authUrl));
  const auth = ClientSecretPost(await requireClientSecret(host));
  const options = formOptions(host, { interruptible: true });
  const response = await introspectionRequest(as, client, auth, accessToken, options);
  const { status } = response;
  const text = await response.text();
  const body = parseBody(as.introspection_endpoint, { status, text });
  if (response.ok && isRecord(body)) return body;
  const contentType = response.headers.get('content-type') ?? '';
  throw unusableResponse('BAD_INTROSPECTION', as.introspection_endpoint, { status, contentType, text });
}
