import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  customFetch,
  type HttpRequestOptions,
} from 'oauth4webapi';
import { type CryptodataError, NetworkError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { networkError } from '../core/network.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { explainOidcError } from './oidc-errors.ts';
import { type AuthRequest, type AuthResponse, isOutage, parseBody, send } from './send.ts';

/**
 * Requested only by {@link checkReachable}. The tool does not use discovery, because this path differs from the standard path
 * of OpenID Connect Discovery.
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
 * Checks that `auth_url` is reachable, so that a wrong address is reported before a browser shows an error page. Accepts any
 * response.
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
    body.on('error', () => undefined).destroy();
  } catch (error) {
    host.signal.throwIfAborted();
    const { code, message, hint } = networkError(timeout.aborted ? timeout.reason : error, origin);
    const profile = settings.profile === 'default' ? '' : ` -p ${settings.profile}`;
    throw new NetworkError(code, `Cannot reach auth_url: ${message}`, {
      hint: `${hint} To change the address, run \`cryptodata config set auth_url URL${profile}\`. Then log in with: ${loginCommand(host)}`,
      cause: error,
    });
  }
}

/**
 * Options that make oauth4webapi send forms with {@link send}, which adds limits, retries and error messages.
 *
 * @param convert converts a response for oauth4webapi
 */
export function formOptions(
  host: AuthHost,
  how: Pick<AuthRequest, 'interruptible' | 'received'>,
  convert = toOauthResponse,
): HttpRequestOptions<'POST', URLSearchParams> {
  return {
    // Plain http is safe here, because `parseAddress` accepts http addresses only for this machine.
    [allowInsecureRequests]: true,
    [customFetch]: async (url, { method, headers, body }) =>
      convert(host, url, await send(host, { method, url, headers, body: body.toString(), ...how })),
  };
}

/** Converts a response for oauth4webapi. @throws CryptodataError if the body contains an OAuth error */
function toOauthResponse(host: AuthHost, url: string, response: AuthResponse): Response {
  const { status, contentType, text } = response;
  oauthBody(host, url, response);
  const empty = status === 204 || status === 205;
  // The class Response accepts no greater status.
  return new Response(empty ? null : text, {
    status: Math.min(status, 599),
    headers: { 'content-type': contentType },
  });
}

/**
 * Parses a response, and passes its tokens to the redactor. Returns undefined if the body is not JSON.
 *
 * @throws CryptodataError if the status is 401, or if the body contains an OAuth error, even with status 200. The specification does not define the
 * HTTP status of error responses, but oauth4webapi reads errors only from 4xx responses without `WWW-Authenticate`.
 */
export function oauthBody(host: AuthHost, url: string, response: AuthResponse): unknown {
  const json = parseBody(url, response);
  host.redactor?.concealMembers(json);
  const error =
    isRecord(json) && json['access_token'] && response.status < 400
      ? undefined
      : oauthError(host, response.status, json);
  if (error) throw error;
  // RFC 6749, 5.2: only a client that is not authenticated gets a 401.
  if (response.status === 401) {
    throw explainOidcError({ error: 'invalid_client', status: 401, login: loginCommand(host) });
  }
  return json;
}

/** Returns the OAuth error in the body of a response; undefined if there is none. */
export function oauthError(host: AuthHost, status: number, json: unknown): CryptodataError | undefined {
  if (!isRecord(json)) return undefined;
  const { error, error_description: description } = json;
  if (typeof error !== 'string' || error === '') return undefined;
  const errorDescription = typeof description === 'string' ? description : undefined;
  const explained = explainOidcError({ error, errorDescription, status, login: loginCommand(host) });
  // A failure of the server is a failure, whatever the code in its body.
  return isOutage(status) && explained.kind !== 'service' ? undefined : explained;
}
