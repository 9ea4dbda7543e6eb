import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  customFetch,
  type HttpRequestOptions,
} from 'oauth4webapi';
import { isRecord, stringifyJson } from '../core/json.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { explainOidcError } from './oidc-errors.ts';
import { type Answer, parseAnswer, type SendRequest, send } from './send.ts';

/** The paths of "Authorization server" in the specification; discovery there has a path of its own, so none is done. */
export function endpoints(authUrl: string) {
  return {
    // The specification does not show the issuer. oauth4webapi needs one to compare with, but nothing that
    // names an issuer is handed to it: see `callback.ts` (the `iss` parameter) and `answerForTokens` (the ID token).
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

/** The authorization server and the client of this profile. @throws usage error where one is not set */
export function registration(host: AuthHost): Registration {
  return registrationAt(host.settings.require('auth_url'), host.settings.require('client_id'));
}

export function registrationAt(authUrl: string, clientId: string): Registration {
  return { authUrl, clientId, as: endpoints(authUrl), client: { client_id: clientId } };
}

type FormOptions = HttpRequestOptions<'POST', URLSearchParams>;

/** How oauth4webapi sends a form: through {@link send}, which limits, retries and explains. */
export function formOptions(
  host: AuthHost,
  how: Pick<SendRequest, 'interruptible'> & Partial<Pick<SendRequest, 'received'>>,
): FormOptions {
  return {
    // Plain http is refused by the check of auth_url, except to this machine itself.
    [allowInsecureRequests]: true,
    [customFetch]: async (url, { method, headers, body }) => {
      return answerForTokens(
        host,
        url,
        await send(host, { method, url, headers, body: body.toString(), ...how }),
      );
    },
  };
}

/**
 * The answer as oauth4webapi takes it, less what must not be judged by it:
 *
 * - `id_token`: with one, oauth4webapi compares its issuer, and the specification does not show which that is.
 *   The tool has no use for it (who the user is, `/oidc/userinfo` says), so it is dropped here, unread and unstored.
 * - an error in the body: the specification does not show its status, and oauth4webapi reads it at 4xx only,
 *   and not beside `WWW-Authenticate`. So it is thrown here, at any status.
 */
export function answerForTokens(host: AuthHost, url: string, answer: Answer): Response {
  const { status, contentType, text } = answer;
  const json = parseAnswer(url, answer);
  let body = text;
  host.redactor?.concealMembers(json);
  if (isRecord(json)) {
    const { id_token: idToken, error, error_description: description } = json;
    if (typeof error === 'string' && json['access_token'] === undefined) {
      const errorDescription = typeof description === 'string' ? description : undefined;
      throw explainOidcError({ error, errorDescription, status, login: loginCommand(host) });
    }
    if (idToken !== undefined) body = stringifyJson({ ...json, id_token: undefined });
  }
  const empty = status === 204 || status === 205;
  return new Response(empty ? null : body, { status, headers: { 'content-type': contentType } });
}
