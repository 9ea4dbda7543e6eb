import {
  DEFAULT_SCOPES,
  expandScopes,
  type LoginScopes,
  type MissingScope,
  missingScope,
  NARROWED,
  REGISTER,
  scopeOf,
  shortestScopes,
} from '../api/scopes.ts';
import { apiKeyCredentials, type Credentials, tokenCredentials } from '../core/credentials.ts';
import { AuthError, type CryptodataError, usageError } from '../core/errors.ts';
import { ADDRESS_OF, checkDestination } from './addresses.ts';
import { workspaceInUse } from './api-key.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, notLoggedIn } from './login-command.ts';
import { readApiKey, requireClientSecret, type StoredKey } from './secrets.ts';
import { openSession, type Session } from './session.ts';
import { hasApiKey, hasSession } from './session-file.ts';

export interface ResolvedCredentials extends Credentials {
  readonly kind: 'token' | 'session' | 'api-key';
  /** Returns the requested and granted scopes, or undefined if they are unknown. The scopes of API keys are unknown. */
  scopes(): Promise<LoginScopes | undefined>;
}

/**
 * Finds the credentials to use. Refuses combinations that the service would reject: an API key without a workspace, a workspace
 * with a bearer token, or two credentials. Sends no request.
 */
export async function resolveCredentials(host: AuthHost): Promise<ResolvedCredentials> {
  const { settings, env } = host;
  const accessToken = env['CRYPTODATA_ACCESS_TOKEN'];
  const apiKey = env['CRYPTODATA_API_KEY'];
  const workspace = settings.get('workspace');
  if (accessToken && apiKey) {
    throw usageError(
      'CRYPTODATA_ACCESS_TOKEN and CRYPTODATA_API_KEY are both set',
      'Unset one of them.',
      'TWO_CREDENTIALS',
    );
  }
  refuseTwoLogins(host);
  if (accessToken) {
    if (workspace) throw workspaceRefused(host);
    return bearer(host, 'token', openSession(host));
  }
  if (apiKey) return keyed(host, apiKey, workspace);
  const stored = await readApiKey(host);
  if (stored !== null) return bound(host, stored, keyed(host, stored.apiKey, workspace));
  if (!workspace) {
    if (!isLoggedIn(host)) throw notLoggedIn(host);
    return bearer(host, 'session', openSession(host));
  }
  if ((await openSession(host).info()) === null) throw noKey(host);
  throw workspaceRefused(host);
}

/**
 * Returns the workspace that the profile's login selects. A session selects its own workspace. With an API key, the workspace
 * is the one in the settings. Sends no request.
 *
 * @throws usage error `TWO_LOGINS`, or `WORKSPACE_WITH_TOKEN` if another workspace is set
 */
export async function workspaceOfLogin(host: AuthHost): Promise<string | undefined> {
  refuseTwoLogins(host);
  const workspace = host.settings.get('workspace');
  const session = await openSession(host).info();
  if (session === null || session.workspaceId === workspace) return workspace;
  if (workspace) throw workspaceRefused(host);
  return session.workspaceId ?? undefined;
}

type Place = Pick<AuthHost, 'settings' | 'directory'>;

/** Whether the profile has a session or an API key. Does not open the keychain. */
function isLoggedIn({ settings, directory }: Place): boolean {
  return hasSession(directory, settings.profile) || hasApiKey(directory, settings.profile);
}

/**
 * Checks that credentials are configured, without opening the keychain.
 *
 * @throws CryptodataError `NOT_LOGGED_IN` if no credentials are configured
 */
export function requireCredentials(host: Place & Pick<AuthHost, 'env'>): void {
  const { settings, env } = host;
  if (env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY'] || settings.get('workspace')) return;
  if (!isLoggedIn(host)) throw notLoggedIn(host);
}

/**
 * Refuses `-p PROFILE` if the profile has a login and the environment also contains a token or an API key. The choice between
 * the two logins would be unclear.
 *
 * @throws usage error `TWO_LOGINS`
 */
export function refuseTwoLogins(host: Place & Pick<AuthHost, 'env'>): void {
  const { settings, env } = host;
  const variable = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY'].find((name) => env[name]);
  if (variable === undefined || !settings.profileNamed || !isLoggedIn(host)) return;
  const { profile } = settings;
  throw usageError(
    `-p ${profile} and ${variable} select two different logins`,
    `To use the login of profile ${profile}, unset ${variable}. To use ${variable}, omit -p.`,
    'TWO_LOGINS',
  );
}

/**
 * Refuses a login or logout if CRYPTODATA_ACCESS_TOKEN is set, because commands would continue to use that token.
 *
 * @throws usage error `ACCESS_TOKEN_IN_ENVIRONMENT`
 */
export function refuseWithAccessToken(host: AuthHost, action: 'log in' | 'log out'): void {
  if (!host.env['CRYPTODATA_ACCESS_TOKEN']) return;
  throw usageError(
    `Cannot ${action} while CRYPTODATA_ACCESS_TOKEN is set, because commands use that token instead of a session`,
    'Unset the variable first: unset CRYPTODATA_ACCESS_TOKEN',
    'ACCESS_TOKEN_IN_ENVIRONMENT',
  );
}

function keyed(host: AuthHost, apiKey: string, workspace: string | undefined): ResolvedCredentials {
  if (!workspace) {
    throw usageError(
      'An API key requires a workspace id',
      `Pass --workspace ws_…, or set CRYPTODATA_WORKSPACE. Or store the workspace id with: cryptodata config set workspace ws_… -p ${host.settings.profile}`,
      'MISSING_WORKSPACE',
    );
  }
  return { ...apiKeyCredentials(apiKey, workspace), kind: 'api-key', scopes: async () => undefined };
}

/** Sends a stored API key only to the addresses for which it was stored. */
function bound(
  host: AuthHost,
  { addresses }: StoredKey,
  credentials: ResolvedCredentials,
): ResolvedCredentials {
  return {
    ...credentials,
    headers: async (api, origin) => {
      if (api !== 'legacyPublic')
        checkDestination(host.settings, 'API key', addresses, { key: ADDRESS_OF[api], origin });
      return credentials.headers(api, origin);
    },
  };
}

function bearer(host: AuthHost, kind: 'token' | 'session', session: Session): ResolvedCredentials {
  const credentials = tokenCredentials({
    accessToken: async (api, origin) => {
      const to = { key: ADDRESS_OF[api], origin };
      return (await session.accessToken({ to })).accessToken;
    },
    refresh: (rejected) => session.refresh(rejected),
    client: async () => {
      const secret = await requireClientSecret(host);
      return { id: host.settings.require('client_id'), secret };
    },
  });
  return {
    ...credentials,
    kind,
    scopes: async () => {
      const info = await session.info();
      return info ? { requested: info.scopesRequested, granted: info.scopesGranted } : undefined;
    },
  };
}

function noKey(host: AuthHost): CryptodataError {
  const { profile } = host.settings;
  return new AuthError(
    'NOT_LOGGED_IN',
    `Profile ${profile} is not logged in: a workspace is set, but no API key is stored`,
    {
      hint: `Store the key: cryptodata login --with-api-key -p ${profile}. Or remove the workspace: cryptodata config unset workspace -p ${profile}. Then set CRYPTODATA_ACCESS_TOKEN, or log in with the browser: cryptodata login -p ${profile}`,
    },
  );
}

function workspaceRefused(host: AuthHost): CryptodataError {
  const { where, remove } = workspaceInUse(host);
  const isToken = Boolean(host.env['CRYPTODATA_ACCESS_TOKEN']);
  const what = isToken ? 'CRYPTODATA_ACCESS_TOKEN' : `the session of profile ${host.settings.profile}`;
  // A workspace that is stored in the profile belongs to the profile's API key.
  const belongsToKey = isToken && host.settings.resolve('workspace')?.origin.from === 'profile';
  const hint = belongsToKey
    ? 'To use the API key of the profile, unset CRYPTODATA_ACCESS_TOKEN. To use the token, pass -p NAME with a profile that has no workspace.'
    : `${remove} To use another workspace, run \`cryptodata login -p NAME\` and choose the workspace in the browser. To use an API key, run \`cryptodata login --with-api-key -p NAME\`.`;
  return usageError(
    `A workspace is set (${where}), but ${what} is already bound to a workspace; only API keys use this setting`,
    hint,
    'WORKSPACE_WITH_TOKEN',
  );
}

/** A request that the service rejected. `reason` is the service's message. */
export interface CredentialRefusal {
  readonly status: number | undefined;
  readonly code: string;
  readonly reason: string;
  readonly path: readonly string[];
}

/** Returns a hint if the credentials caused the rejection, otherwise undefined. Sends no request. */
export async function explainRefusal(
  host: AuthHost,
  credentials: ResolvedCredentials,
  { status, code, reason, path }: CredentialRefusal,
): Promise<{ readonly hint: string; readonly details?: object } | undefined> {
  const lacksScope = code === 'insufficient_scope';
  if (credentials.kind === 'api-key') {
    if (lacksScope) return { hint: KEY_LACKS_SCOPE };
    if (status === 403 && code === 'forbidden') return { hint: keyForbidden(host) };
    return status === 401 ? { hint: `${KEY_REFUSED} ${replaceKey(host)}` } : undefined;
  }
  if (status === 401 && credentials.kind === 'session')
    return { hint: `Log in again: ${loginCommand(host)}.` };
  if (!lacksScope) return undefined;
  const login = await credentials.scopes();
  const missing = missingScope(reason, login, scopeOf(path));
  const hint = scopeHint(missing, login, loginCommand(host));
  const replace = credentials.kind === 'token' ? ' (then replace CRYPTODATA_ACCESS_TOKEN)' : '';
  return { hint: `${hint}${replace}`, details: missing };
}

export const KEY_REFUSED =
  'The API key may be mistyped, expired or revoked. The key may also lack a permission, or be restricted to other IP addresses. Check the key in your account settings at the service. Some endpoints accept browser logins, but not API keys.';

const KEY_LACKS_SCOPE =
  'An API key gets its permissions when you create the key in your account settings at the service. Create a key with more permissions. Or log in with the browser in another profile: cryptodata login -p NAME.';

function keyForbidden({ settings }: AuthHost): string {
  return `An API key works only in the workspace for which it was created. The owner of the key must be a member of that workspace. The request used workspace ${settings.get('workspace')}. Compare this id with the workspace settings at the service. To change the workspace, pass --workspace ws_…, or run \`cryptodata config set workspace ws_… -p ${settings.profile}\`.`;
}

function replaceKey(host: AuthHost): string {
  return host.env['CRYPTODATA_API_KEY']
    ? 'The request used the key in CRYPTODATA_API_KEY.'
    : `Store another key with: ${loginCommand(host)} --with-api-key`;
}

/**
 * Returns a hint that explains how to obtain the scope, with the exact login command.
 *
 * @param command the login command, such as `cryptodata login -p acme`
 */
export function scopeHint(missing: MissingScope, login?: LoginScopes, command = 'cryptodata login'): string {
  const { scope, requested, granted } = missing;
  const look = 'To show the granted scopes, run `cryptodata whoami`.';
  if (scope === undefined) return `The login does not have a required scope. ${look}`;
  if (granted) {
    return `The scope ${scope} was granted to this login. Since then, the grant or the member's role may have been reduced. Log in again: ${command}`;
  }
  const wanted = expandScopes([...(login?.requested ?? DEFAULT_SCOPES), scope]);
  const again = `${command} --scopes ${shortestScopes(wanted)}`;
  const past =
    requested === null
      ? ''
      : `This login ${requested ? `requested ${scope}, but the scope was not granted` : `did not request ${scope}`}. `;
  if (missing.needsRegistration) {
    return `The scope ${scope} is not in the default set. First register the scope for the client (${REGISTER}). ${past}After the registration, log in again: ${again}`;
  }
  if (requested)
    return `${past}The scope was ${NARROWED}. Log in again and allow ${scope}: ${again}. ${look}`;
  return `Log in again and allow ${scope}: ${again}. ${past}The member's role must include the scope. ${look}`;
}
