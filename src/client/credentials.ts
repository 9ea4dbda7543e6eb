import { type CryptodataError, usageError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';
import type { Api, Credentials } from './request.ts';

/** Ways for a program to prove who it is. One of them, or none for the public catalogue. */
export interface CredentialOptions {
  /** A bearer token. When it runs out, requests fail with an error of kind `auth`. */
  readonly accessToken?: string | undefined;
  /**
   * Gives the bearer token to use, before each request. Called with `renew: true` after a 401: to make a new one,
   * and to give that from then on.
   */
  readonly getAccessToken?: ((ask: { readonly renew: boolean }) => Promise<string> | string) | undefined;
  /** Enterprise key, sent as `X-API-Key`; needs `workspace`. */
  readonly apiKey?: string | undefined;
  /** Workspace id (`ws_…`), sent as `wid`: with an API key only, as tokens are bound to theirs. */
  readonly workspace?: string | undefined;
  /** The registered client, sent beside a bearer token to the legacy API alone. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/**
 * Credentials for "Headers" and "Workspace binding" of the specification.
 *
 * @throws usage error `BAD_CREDENTIALS` for what the service would refuse: two at once, a key without its
 * workspace, a workspace with a token
 */
export function createCredentials(options: CredentialOptions): Credentials | undefined {
  const { accessToken, getAccessToken, apiKey, workspace } = options;
  const given = [accessToken, getAccessToken, apiKey].filter((one) => one !== undefined);
  if (given.length > 1) throw wrong('Give one of accessToken, getAccessToken and apiKey: only one is sent');
  if (apiKey !== undefined) {
    if (workspace) return keyCredentials(headerValue(apiKey, 'apiKey'), workspace);
    throw wrong('An apiKey needs the workspace (ws_…) that it is used for');
  }
  if (workspace !== undefined) {
    throw wrong('A workspace goes with an apiKey only: a token is bound to its own');
  }
  if (getAccessToken) return tokenCredentials(getAccessToken, options);
  return accessToken === undefined ? undefined : tokenCredentials(() => accessToken, options);
}

function keyCredentials(apiKey: string, workspace: string): Credentials {
  return {
    headers: async () => ({ 'x-api-key': apiKey }),
    // "API keys … must pass the query parameter wid", in either API.
    query: () => ({ wid: workspace }),
    renew: async () => false,
  };
}

function tokenCredentials(
  get: (ask: { readonly renew: boolean }) => Promise<string> | string,
  options: CredentialOptions,
): Credentials {
  let last: string | undefined;
  const { clientId, clientSecret } = options;
  return {
    async headers(api: Api) {
      const token = await get({ renew: false });
      last = token;
      const client: Record<string, string> =
        api === 'legacy' && clientId !== undefined && clientSecret !== undefined
          ? { 'x-client-id': clientId, 'x-client-secret': clientSecret }
          : {};
      return { authorization: `Bearer ${headerValue(token, 'The access token')}`, ...client };
    },
    query: () => ({}),
    async renew() {
      const refused = last;
      return (await get({ renew: true })) !== refused;
    },
  };
}

function wrong(message: string): CryptodataError {
  return usageError(message, undefined, 'BAD_CREDENTIALS');
}
