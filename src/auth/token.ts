import {
  authorizationCodeGrantRequest,
  ClientSecretPost,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { CryptodataError } from '../core/errors.ts';
import { parseScope, readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import { ACCESS_TOKEN_LIFETIME } from './lifetimes.ts';
import type { KeptAnswer } from './refresh-mark.ts';
import { answerForTokens, formOptions, type Registration } from './server.ts';

/** What a token response gave. Times in milliseconds since 1970. */
export interface TokenSet {
  readonly accessToken: string;
  /** Null where `offline_access` was not granted. */
  readonly refreshToken: string | null;
  /** Null where the answer does not say: then it is what was asked for (RFC 6749, 5.1). */
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

/** `grant_type=authorization_code`: the client authenticates in the form body. */
export async function exchangeCode(
  host: AuthHost,
  to: Registration,
  exchange: CodeExchange,
): Promise<TokenSet> {
  const { code, state, redirectUri, codeVerifier, clientSecret } = exchange;
  const parameters = validateAuthResponse(to.as, to.client, new URLSearchParams({ code, state }), state);
  const asked = host.now();
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
    return tokenSet(await processAuthorizationCodeResponse(to.as, to.client, response), asked);
  });
}

/**
 * `grant_type=refresh_token`. The answer holds a new refresh token, and the old one may be dead from then on:
 * call it under the profile's lock alone. `received` is given the answer before anything else is done with it.
 */
export async function refreshTokens(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  refreshToken: string,
  received: (answer: KeptAnswer) => void = () => {},
): Promise<TokenSet> {
  const asked = host.now();
  return explained(async () => {
    const response = await refreshTokenGrantRequest(
      to.as,
      to.client,
      ClientSecretPost(clientSecret),
      refreshToken,
      formOptions(host, { interruptible: false, received: (answer) => received({ ...answer, asked }) }),
    );
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), asked);
  });
}

/** What an answer gave that arrived in a process which was killed before it could store it. */
export function refreshedBefore(host: AuthHost, to: Registration, answer: KeptAnswer): Promise<TokenSet> {
  return explained(async () => {
    const response = answerForTokens(host, to.as.token_endpoint, answer);
    return tokenSet(await processRefreshTokenResponse(to.as, to.client, response), answer.asked);
  });
}

function tokenSet(response: TokenEndpointResponse, asked: number): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = response;
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    scopes: parseScope(scope),
    // Counted from before the request, so that the token is never taken to last longer than it does.
    obtainedAt: asked,
    expiresAt:
      expiresIn === undefined
        ? (readAccessTokenClaims(accessToken).expiresAt ?? asked + ACCESS_TOKEN_LIFETIME)
        : asked + expiresIn * 1000,
  };
}

/** Turns what oauth4webapi throws into the tool's own errors. */
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
  // The cause stays out: it may hold the answer's body, and with it tokens.
  return new CryptodataError(
    'service',
    'BAD_TOKEN_RESPONSE',
    `The authorization server's answer cannot be used${failed}: ${error.message}`,
    { status, hint: 'Check auth_url: cryptodata config list.', cause: error.code },
  );
}
