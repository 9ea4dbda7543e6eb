import { apiKeyCredentials, type Credentials, tokenCredentials } from '../core/credentials.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';

/** How a program authenticates: with one of these fields, or with none for the public catalogue. */
export interface CredentialOptions {
  /** A bearer token. After the token expires, requests fail with an error of kind `auth`. */
  readonly accessToken?: string | undefined;
  /**
   * Returns the bearer token. Called before each request. After a 401, `refresh` is true: get a new token, and return the new
   * token from this call and all later calls.
   */
  readonly getAccessToken?: ((ask: { readonly refresh: boolean }) => Promise<string> | string) | undefined;
  /** Enterprise key, sent as `X-API-Key`; requires `workspace`. */
  readonly apiKey?: string | undefined;
  /** Workspace id (`ws_…`), sent as `wid`. Allowed only with an API key, because a token is bound to its workspace. */
  readonly workspace?: string | undefined;
  /** The registered client, sent with a bearer token to the legacy API only. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/**
 * @throws usage error `BAD_CREDENTIALS` for input that the service would reject: two credentials, a key without a workspace,
 * a workspace with a token
 */
export function createCredentials(options: CredentialOptions): Credentials | undefined {
  const { accessToken, getAccessToken, apiKey, workspace } = options;
  const given = [accessToken, getAccessToken, apiKey].filter((one) => one !== undefined);
  if (given.length > 1) throw wrong('Pass only one of accessToken, getAccessToken and apiKey');
  if (apiKey !== undefined) {
    if (workspace) return apiKeyCredentials(headerValue(apiKey, 'apiKey'), workspace);
    throw wrong('An apiKey requires a workspace (ws_…)');
  }
  if (workspace !== undefined) {
    throw wrong('Use workspace only with an apiKey: a token is bound to its workspace');
  }
  const get = getAccessToken ?? (accessToken === undefined ? undefined : () => accessToken);
  if (get === undefined) return undefined;
  const { clientId: id, clientSecret: secret } = options;
  return tokenCredentials({
    accessToken: async () => get({ refresh: false }),
    refresh: async (rejected) => (await get({ refresh: true })) !== rejected,
    client: async () => (id === undefined || secret === undefined ? undefined : { id, secret }),
  });
}

function wrong(message: string): CryptodataError {
  return usageError(message, undefined, 'BAD_CREDENTIALS');
}
