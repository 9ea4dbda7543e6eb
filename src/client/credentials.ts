import { apiKeyCredentials, type Credentials, tokenCredentials } from '../core/credentials.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * How a program authenticates. Pass only one of `accessToken`, `getAccessToken` and `apiKey`. The public catalogue requires no
 * credentials.
 */
export interface CredentialOptions {
  /** A bearer token. After the token expires, requests fail with an error of kind `auth`. */
  readonly accessToken?: string | undefined;
  /**
   * Returns the bearer token. Called before each request. After a 401, called again with `refresh` set to true. The function
   * must then get a new token, and return the new token in this call and in all later calls.
   */
  readonly getAccessToken?: ((ask: { readonly refresh: boolean }) => Promise<string> | string) | undefined;
  /** Enterprise API key, sent as `X-API-Key`. Requires `workspace`. */
  readonly apiKey?: string | undefined;
  /** Workspace id (`ws_…`), sent as `wid`. Allowed only with an API key, because a token is bound to its workspace. */
  readonly workspace?: string | undefined;
  /** Id of the registered client. The id and `clientSecret` are sent only to the legacy API, with a bearer token. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/**
 * Creates credentials from the options. Without a token or a key, each request that needs credentials fails before it is sent.
 * The reason is that an unset environment variable must not lead to a request without credentials. Rejects combinations that
 * the service would reject: several credentials, an API key without a workspace, and a workspace without an API key.
 *
 * @param redactor gets each secret before the first use of the secret
 * @throws usage error `BAD_CREDENTIALS`
 */
export function createCredentials(options: CredentialOptions, redactor: Redactor): Credentials {
  const { accessToken, getAccessToken, apiKey, workspace, clientSecret } = options;
  for (const secret of [accessToken, apiKey, clientSecret]) redactor.conceal(secret);
  const given = [accessToken, getAccessToken, apiKey].filter((one) => one !== undefined && one !== '');
  if (given.length > 1) throw wrong('Pass only one of "accessToken", "getAccessToken" and "apiKey"');
  if (apiKey !== undefined) {
    if (workspace) return apiKeyCredentials(headerValue(apiKey, 'apiKey'), workspace);
    throw wrong('"apiKey" requires "workspace" (ws_…)');
  }
  if (workspace !== undefined) {
    throw wrong('Pass "workspace" only together with "apiKey": a token is bound to its workspace');
  }
  const { clientId: id } = options;
  const get = async (refresh: boolean): Promise<string> => {
    const token = getAccessToken ? await getAccessToken({ refresh }) : accessToken;
    redactor.conceal(token);
    if (token) return token;
    throw usageError(
      getAccessToken
        ? '"getAccessToken" returned no token'
        : 'The request needs credentials, but none are set',
      'Pass `accessToken`, `getAccessToken`, or `apiKey` with `workspace`. If the value comes from an environment variable, check that the variable is set.',
      'MISSING_CREDENTIALS',
    );
  };
  return tokenCredentials({
    accessToken: () => get(false),
    // After a 401, a fixed token cannot be refreshed, because it never changes.
    refresh: async (rejected) => getAccessToken !== undefined && (await get(true)) !== rejected,
    client: async () =>
      id === undefined || clientSecret === undefined ? undefined : { id, secret: clientSecret },
  });
}

function wrong(message: string): CryptodataError {
  return usageError(message, undefined, 'BAD_CREDENTIALS');
}
