import type { AuthorizationServer, Client } from 'oauth4webapi';
import { discard } from '../core/body.ts';
import { NetworkError } from '../core/errors.ts';
import { networkError } from '../core/network.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, profileOption } from './login-command.ts';

/**
 * The path is requested only by {@link checkReachable}. The tool does not use OpenID Connect Discovery, because the standard
 * path of discovery is different.
 */
export const DISCOVERY = '/oidc/.well-known/openid_configuration';

/** The endpoints in section "Authorization server" of the specification. */
export function endpoints(authUrl: string) {
  return {
    // The specification does not name the issuer, but oauth4webapi requires an issuer. oauth4webapi never compares this value,
    // because the tool removes the issuer from all responses. See `callback.ts` for `iss`, and `token.ts` for the ID token.
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/oidc/auth`,
    token_endpoint: `${authUrl}/oidc/token`,
    revocation_endpoint: `${authUrl}/oidc/token/revocation`,
    introspection_endpoint: `${authUrl}/oidc/token/introspection`,
    userinfo_endpoint: `${authUrl}/oidc/userinfo`,
  } satisfies AuthorizationServer;
}

export interface Registration {
  readonly authUrl: string;
  readonly clientId: string;
  readonly as: ReturnType<typeof endpoints>;
  readonly client: Client;
}

/** Returns the server and the client in the settings. @throws usage error if the server or the client is not set */
export function registration(host: AuthHost): Registration {
  return registrationAt(host.settings.require('auth_url'), host.settings.require('client_id'));
}

export function registrationAt(authUrl: string, clientId: string): Registration {
  return { authUrl, clientId, as: endpoints(authUrl), client: { client_id: clientId } };
}

/** Time limit of {@link checkReachable} in milliseconds. */
const REACH_TIMEOUT = 15_000;

/**
 * Checks that `auth_url` is reachable. Without this check, the browser would show an error page for a wrong address. Accepts
 * any response.
 *
 * @throws CryptodataError of kind `network`, with `auth_url` in the message
 */
export async function checkReachable(host: AuthHost): Promise<void> {
  const { settings } = host;
  const { origin, pathname } = new URL(settings.require('auth_url'));
  const timeout = AbortSignal.timeout(REACH_TIMEOUT);
  try {
    const path = `${pathname.replace(/\/$/, '')}${DISCOVERY}`;
    const signal = AbortSignal.any([host.signal, timeout]);
    const { body } = await host.dispatcher.request({ origin, path, method: 'GET', signal });
    discard(body);
  } catch (error) {
    host.signal.throwIfAborted();
    const { code, message, hint } = networkError(timeout.aborted ? timeout.reason : error, origin);
    throw new NetworkError(code, `Cannot reach auth_url: ${message}`, {
      hint: `${hint} To change the address, run \`cryptodata config set auth_url URL${profileOption(settings)}\`. Then log in with: ${loginCommand(host)}`,
      cause: error,
    });
  }
}
