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
import { type CryptodataError, messageOf, UpstreamError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { parseScope, readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import type { SavedResponse } from './refresh-journal.ts';
import { requireClientSecret } from './secrets.ts';
import { parseBody } from './send.ts';
import { formOptions, type Registration, registration, toOauthResponse } from './server.ts';
import { ACCESS_TOKEN_LIFETIME } from './session-file.ts';

/** A token response. Times in milliseconds since 1970. */
export interface TokenSet {
  readonly accessToken: string;
  /** Null if `offline_access` was not granted. */
  readonly refreshToken: string | null;
  /** Null if the response has no scopes, which means that all requested scopes were granted (RFC 6749, 5.1). */
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

/** `grant_type=authorization_code`; the client authenticates in the form body. */
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
      formOptions(host, { interruptible: true }),
    );
    return tokenSet(await processAuthorizationCodeResponse(to.as, to.client, response), requestedAt);
  });
}

/**
 * `grant_type=refresh_token`. The old token may be invalid as soon as the server has acted, so call this only under the
 * profile's lock.
 *
 * @param save called with the response before it is used
 */
export async function refreshToken(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  token: string,
  save: (response: SavedResponse) => void = () => {},
): Promise<TokenSet> {
  const requestedAt = host.now();
  return explained(async () => {
    const response = await refreshTokenGrantRequest(
      to.as,
      to.client,
      ClientSecretPost(clientSecret),
      token,
      formOptions(host, {
        interruptible: false,
        received: (received) => save({ ...received, requestedAt }),
      }),
    );
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), requestedAt);
  });
}

/** The tokens of a response that another process saved before it was killed. */
export function parseSavedResponse(
  host: AuthHost,
  to: Registration,
  saved: SavedResponse,
): Promise<TokenSet> {
  return explained(async () => {
    const response = toOauthResponse(host, to.as.token_endpoint, saved);
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), saved.requestedAt);
  });
}

function tokenSet(response: TokenEndpointResponse, requestedAt: number): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = response;
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    scopes: parseScope(scope),
    // Use the time before the request, so that the token is never used after its expiry.
    obtainedAt: requestedAt,
    expiresAt:
      expiresIn === undefined
        ? (readAccessTokenClaims(accessToken).expiresAt ?? requestedAt + ACCESS_TOKEN_LIFETIME)
        : requestedAt + expiresIn * 1000,
  };
}

/** Converts errors from oauth4webapi to the tool's own errors. */
export async function explained<T>(step: () => Promise<T>): Promise<T> {
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
  const status = error.cause instanceof Response ? error.cause.status : undefined;
  const failed = status === undefined || status === 200 ? '' : ` (HTTP ${status})`;
  // Omit the cause, which may contain the response body and its tokens.
  return new UpstreamError(
    'BAD_TOKEN_RESPONSE',
    `Cannot use the response from the authorization server${failed}: ${error.message}`,
    { status, hint: 'Check auth_url: cryptodata config list.', cause: error.code },
  );
}

export interface Revocation {
  readonly revoked: boolean;
  /** Why the token was not revoked. */
  readonly reason?: string;
}

/** Asks the service to revoke a token. A rejection or Ctrl-C is not an error, because the caller cleans up locally. */
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
 * `POST {auth_url}/oidc/token/introspection`. The specification defines neither the request nor the response, so the request
 * follows RFC 7662, and the response is returned unchanged.
 */
export async function introspect(host: AuthHost, accessToken: string): Promise<JsonRecord> {
  const { as, client } = registration(host);
  const auth = ClientSecretPost(await requireClientSecret(host));
  const options = formOptions(host, { interruptible: true });
  const response = await introspectionRequest(as, client, auth, accessToken, options);
  const { status } = response;
  const body = parseBody(as.introspection_endpoint, { status, text: await response.text() });
  if (response.ok && isRecord(body)) return body;
  throw new UpstreamError(
    'BAD_INTROSPECTION',
    `Cannot use the response from ${as.introspection_endpoint} (HTTP ${status})`,
    { status, hint: 'Check auth_url: cryptodata config list.' },
  );
}
