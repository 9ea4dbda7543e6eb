import { CryptodataError, usageError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';
import type { LoginScopes } from '../core/scopes.ts';
import { workspaceInUse } from './api-key.ts';
import { hasApiKey, hasSession } from './cache.ts';
import type { AuthHost } from './host.ts';
import { notLoggedIn } from './login-command.ts';
import { readSecret, requireClientSecret } from './secrets.ts';
import { openSession } from './session.ts';
import type { Session } from './session-types.ts';

export type Api = 'current' | 'legacy' | 'legacyPublic';

/** What every request carries to show who asks; "Headers" and "Workspace binding" of the specification. */
export interface Credentials {
  readonly kind: 'token' | 'session' | 'api-key';
  headers(api: Api): Promise<Record<string, string>>;
  query(api: Api): Record<string, string>;
  /** After a 401: whether the request is worth repeating with new headers. */
  renew(): Promise<boolean>;
  /** What the login asked for and got; undefined where nothing is known of it, as of an API key. */
  scopes(): Promise<LoginScopes | undefined>;
}

/**
 * Finds the credentials in use, and refuses before anything is sent what the service would refuse: a key
 * without a workspace, a workspace with a bearer token, two credentials at once.
 *
 * The keychain is asked for an API key only where one was stored, or where a workspace says that one is meant.
 */
export async function resolveCredentials(host: AuthHost): Promise<Credentials> {
  const { settings, env } = host;
  const accessToken = env['CRYPTODATA_ACCESS_TOKEN'];
  const apiKey = env['CRYPTODATA_API_KEY'];
  const workspace = settings.get('workspace');
  if (accessToken && apiKey) {
    throw usageError(
      'CRYPTODATA_ACCESS_TOKEN and CRYPTODATA_API_KEY are both set',
      'The service takes one or the other: unset one.',
      'TWO_CREDENTIALS',
    );
  }
  refuseAmbient(host);
  if (accessToken) {
    if (workspace) throw workspaceRefused(host, 'CRYPTODATA_ACCESS_TOKEN');
    return bearer(host, 'token', openSession(host));
  }
  if (apiKey) return keyed(host, apiKey, workspace);
  const stored = await storedKey(host, workspace);
  if (stored !== null) return keyed(host, stored, workspace);
  if (!workspace) {
    if (!isLoggedIn(host)) throw notLoggedIn(host);
    return bearer(host, 'session', openSession(host));
  }
  if ((await openSession(host).info()) === null) throw noKey(host);
  throw workspaceRefused(host, `the session of profile ${settings.profile}`);
}

type Place = Pick<AuthHost, 'settings' | 'directory'>;

/** Whether the profile itself has a session or an API key; known without the keychain. */
function isLoggedIn({ settings, directory }: Place): boolean {
  return hasSession(directory, settings.profile) || hasApiKey(directory, settings.profile);
}

/** @throws CryptodataError `NOT_LOGGED_IN` where there is no credential at all: no keychain is asked */
export function requireCredentials(host: Place & Pick<AuthHost, 'env'>): void {
  const { settings, env } = host;
  if (env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY'] || settings.get('workspace')) return;
  if (!isLoggedIn(host)) throw notLoggedIn(host);
}

/**
 * `-p` names a login, and so does a credential in the environment. Only where the profile has none of its own is
 * it clear which one is meant.
 *
 * @throws usage error `TWO_LOGINS`
 */
export function refuseAmbient(host: Place & Pick<AuthHost, 'env'>): void {
  const { settings, env } = host;
  const variable = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY'].find((name) => env[name]);
  if (variable === undefined || !settings.profileNamed || !isLoggedIn(host)) return;
  const { profile } = settings;
  throw usageError(
    `-p ${profile} and ${variable} name two different logins`,
    `To use the login of profile ${profile}: unset ${variable}. To use ${variable}: leave out -p.`,
    'TWO_LOGINS',
  );
}

/** The API key of the profile; null where there is none. */
async function storedKey(host: AuthHost, workspace: string | undefined): Promise<string | null> {
  const kept = hasApiKey(host.directory, host.settings.profile);
  if (!kept && !workspace) return null;
  return readSecret(host, 'api-key').catch((error: unknown) => {
    // A workspace alone is no reason to report a keychain that does not work: nobody stored a key in it.
    if (!kept && error instanceof CryptodataError && error.kind === 'usage') return null;
    throw error;
  });
}

function keyed(host: AuthHost, apiKey: string, workspace: string | undefined): Credentials {
  if (!workspace) {
    throw usageError(
      'An API key needs the id of a workspace',
      `Set CRYPTODATA_WORKSPACE, or pass --workspace ws_…, or keep it: cryptodata config set workspace ws_… -p ${host.settings.profile}`,
      'MISSING_WORKSPACE',
    );
  }
  return {
    kind: 'api-key',
    headers: async (api): Promise<Record<string, string>> =>
      api === 'legacyPublic' ? {} : { 'X-API-Key': headerValue(apiKey, 'The API key') },
    // "API keys … must pass the query parameter wid", in either API.
    query: () => ({ wid: workspace }),
    renew: async () => false,
    scopes: async () => undefined,
  };
}

function bearer(host: AuthHost, kind: 'token' | 'session', session: Session): Credentials {
  let last: string | undefined;
  return {
    kind,
    async headers(api): Promise<Record<string, string>> {
      if (api === 'legacyPublic') return {}; // public: it is to learn no token
      const { accessToken } = await session.accessToken();
      last = accessToken;
      const authorization = { Authorization: `Bearer ${headerValue(accessToken, 'The access token')}` };
      return api === 'legacy' ? { ...authorization, ...(await clientHeaders(host)) } : authorization;
    },
    query: () => ({}),
    renew: async () => (last === undefined ? false : session.renew(last)),
    scopes: async () => {
      const info = await session.info();
      return info ? { requested: info.scopesRequested, granted: info.scopesGranted } : undefined;
    },
  };
}

/** The previous API also wants to know the client. */
async function clientHeaders(host: AuthHost): Promise<Record<string, string>> {
  const secret = await requireClientSecret(host);
  return {
    'X-Client-Id': headerValue(host.settings.require('client_id'), 'The client id'),
    'X-Client-Secret': headerValue(secret, 'The client secret'),
  };
}

function noKey(host: AuthHost): CryptodataError {
  const { profile } = host.settings;
  return new CryptodataError(
    'auth',
    'NOT_LOGGED_IN',
    `Profile ${profile} is not logged in: a workspace is set, and no API key is stored for it`,
    {
      hint: `Store the key: cryptodata login --with-api-key -p ${profile}. Or set CRYPTODATA_ACCESS_TOKEN. Or log in with the browser, which needs no workspace: cryptodata config unset workspace -p ${profile}, then cryptodata login -p ${profile}`,
    },
  );
}

function workspaceRefused(host: AuthHost, what: string): CryptodataError {
  const { where, without } = workspaceInUse(host);
  // The profile of a key, and a token in this shell: the workspace is where it belongs.
  const kept =
    host.env['CRYPTODATA_ACCESS_TOKEN'] && host.settings.resolve('workspace')?.origin.from === 'profile';
  const way = kept
    ? 'To use the API key of the profile: unset CRYPTODATA_ACCESS_TOKEN. To use the token: a profile without a workspace, -p NAME.'
    : `${without} To work in another one: cryptodata login -p NAME, and choose it in the browser. To keep an API key for it: cryptodata login --with-api-key -p NAME`;
  return usageError(
    `A workspace is set (${where}), and goes with an API key alone: ${what} is bound to one workspace already`,
    way,
    'WORKSPACE_WITH_TOKEN',
  );
}
