import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import {
  expandScopes,
  needsRegistration,
  REGISTER,
  shortestScopes,
  splitScopes,
  unknownScopes,
} from '../api/scopes.ts';
import { AuthError, CryptodataError, messageOf, usageError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';
import { interrupted, unlessAborted } from '../core/network.ts';
import { collectAddresses } from './addresses.ts';
import { apiKeyExists } from './api-key.ts';
import { refuseWithAccessToken } from './credentials.ts';
import type { AuthHost } from './host.ts';
import { listenForRedirect } from './listener.ts';
import { loginCommand } from './login-command.ts';
import { readPasted } from './paste.ts';
import { deleteRefreshLog } from './refresh-log.ts';
import {
  cacheKey,
  deleteSecret,
  probeKeychain,
  readSecret,
  removeLeftovers,
  requireClientSecret,
  storeSecret,
  underLock,
} from './secrets.ts';
import { type Registration, registration } from './server.ts';
import type { SessionInfo } from './session.ts';
import { describeSession } from './session.ts';
import { REFRESH_TOKEN_LIFETIME, readSession, type StoredSession, writeSession } from './session-file.ts';
import { checkToken, exchangeCode, revoke, type TokenSet } from './token.ts';

export interface LoginOptions {
  /** Shows the address to open. Called on each login, before {@link openBrowser}. */
  readonly onUrl: (url: string, redirectUri: string) => void;
  /**
   * Opens the browser. If this option is omitted, no browser is opened. Failures are ignored, because `onUrl` shows the
   * address.
   */
  readonly openBrowser?: ((url: string) => Promise<void>) | undefined;
  /** Lines that the user pastes while the listener waits. */
  readonly pasted?: AsyncIterable<string> | undefined;
  readonly onBadPaste?: ((message: string) => void) | undefined;
  /** Called if the pasted lines end without a redirect. */
  readonly onPasteEnd?: (() => void) | undefined;
  /** Default 300. */
  readonly timeoutSeconds?: number | undefined;
  /** The scopes to request (default: the setting `scopes`). */
  readonly scopes?: readonly string[] | undefined;
  /** A secret that the user typed (default: the secret in the environment or the keychain). Stored if the login succeeds. */
  readonly clientSecret?: string | undefined;
}

export interface LoggedIn {
  readonly info: SessionInfo;
  readonly requested: readonly string[];
  readonly granted: readonly string[];
  readonly notGranted: readonly string[];
}

/**
 * Logs in with the authorization code flow and PKCE (RFC 6749, RFC 7636, RFC 8252), and stores the session. An existing session
 * is not changed until the new tokens have arrived.
 */
export async function login(host: AuthHost, options: LoginOptions): Promise<LoggedIn> {
  refuseWithAccessToken(host, 'log in');
  const to = registration(host);
  const redirectUri = host.settings.require('redirect_uri');
  const requested = checkScopes(expandScopes(options.scopes ?? splitScopes(host.settings.require('scopes'))));
  const clientSecret = headerValue(
    options.clientSecret ?? (await requireClientSecret(host)),
    'The client secret',
    { spaces: true },
  );
  // Report a broken keychain before the user consents.
  await underLock(host, () => probeKeychain(host));

  const codeVerifier = generateRandomCodeVerifier();
  host.redactor?.conceal(codeVerifier);
  const state = generateRandomState();
  const url = authorizationUrl(to, {
    redirect_uri: redirectUri,
    scope: requested.join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
  });
  // Never mask this address, because the user has to open it. Without this call, the redactor would mask a part of the address
  // that happens to equal a secret.
  host.redactor?.permit(url);
  const code = await waitForCode(host, options, { url, redirectUri, state }).catch((error) => {
    throw explainScopes(host, error, requested);
  });
  host.redactor?.conceal(code);
  const tokens = await exchangeCode(host, to, { code, state, redirectUri, codeVerifier, clientSecret });
  if (tokens.refreshToken !== null) checkToken('refresh token', tokens.refreshToken, to.as.token_endpoint);
  const session = await store(host, to, { tokens, requested, clientSecret });
  const { granted } = session;
  return {
    info: describeSession(session),
    requested,
    granted,
    notGranted: requested.filter((scope) => !granted.includes(scope)),
  };
}

/** Returns the address of `GET /oidc/auth` with exactly the seven required parameters. */
function authorizationUrl(
  { as, clientId }: Registration,
  rest: Record<'redirect_uri' | 'scope' | 'state' | 'code_challenge', string>,
): string {
  const url = new URL(as.authorization_endpoint);
  const parameters = { response_type: 'code', client_id: clientId, ...rest, code_challenge_method: 'S256' };
  // Encode a space as %20, because a server may read + in a URL as a literal plus sign.
  url.search = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  return url.href;
}

interface Consent {
  readonly url: string;
  readonly redirectUri: string;
  readonly state: string;
}

async function waitForCode(host: AuthHost, options: LoginOptions, consent: Consent): Promise<string> {
  const { url, redirectUri, state } = consent;
  const seconds = options.timeoutSeconds ?? 300;
  if (host.signal.aborted) throw interrupted(host.signal);
  const listener = await listenForRedirect(redirectUri, state, loginCommand(host));
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = true;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timedOut(host, seconds, options.pasted !== undefined)), seconds * 1000);
    });
    options.onUrl(url, redirectUri);
    options.openBrowser?.(url).catch((error) => {
      host.debug?.(`cannot open a browser: ${messageOf(error)}`);
    });
    const code = Promise.race([listener.code, late, pastedCode(options, consent, () => isWaiting)]);
    return await unlessAborted(code, host.signal);
  } finally {
    isWaiting = false;
    clearTimeout(timer);
    await listener.close().catch(() => undefined);
  }
}

/**
 * Settles when the pasted lines contain the redirect of this login. If the input ends without this redirect, the promise stays
 * pending, and the login waits for the listener. `onPasteEnd` is not called after the login, when the caller itself closes the
 * input.
 */
function pastedCode(
  options: LoginOptions,
  { redirectUri, state }: Consent,
  isWaiting: () => boolean,
): Promise<string> {
  const onBadPaste = (message: string) => {
    if (isWaiting()) options.onBadPaste?.(message);
  };
  const onEnd = () => {
    if (isWaiting()) options.onPasteEnd?.();
  };
  return new Promise((resolve, reject) => {
    if (options.pasted === undefined) return;
    readPasted(options.pasted, { redirectUri, state, onBadPaste }).then(
      (found) => (found === undefined ? onEnd() : resolve(found)),
      (error) => error instanceof CryptodataError && reject(error),
    );
  });
}

interface LoginResult {
  readonly tokens: TokenSet;
  readonly requested: readonly string[];
  readonly clientSecret: string;
}

/**
 * Stores the new session under the lock, so that no other process can overwrite the new session by refreshing the old one. A
 * killed process never leaves an access token and a refresh token from different sessions.
 */
function store(
  host: AuthHost,
  to: Registration,
  { tokens, requested, clientSecret }: LoginResult,
): Promise<StoredSession> {
  const { directory, settings } = host;
  const session: StoredSession = {
    accessToken: tokens.accessToken,
    granted: tokens.scopes ?? requested,
    requested,
    obtainedAt: tokens.obtainedAt,
    accessExpiresAt: tokens.expiresAt,
    refreshExpiresAt: tokens.refreshToken === null ? null : tokens.obtainedAt + REFRESH_TOKEN_LIFETIME,
    clientId: to.clientId,
    addresses: { ...collectAddresses((key) => settings.get(key)), auth_url: to.authUrl },
  };
  const storeSession = async () => {
    // Only the session file records to which addresses and to which client the secrets belong. If the old session belongs to
    // another server or client, its secrets must therefore be deleted before the record changes. Otherwise, the old secrets
    // could be sent to the new server.
    const key = await cacheKey(host);
    const old = await readSession(directory, settings.profile, key);
    if (old && (old.addresses.auth_url !== to.authUrl || old.clientId !== to.clientId)) {
      await deleteSecret(host, 'refresh-token');
      await deleteSecret(host, 'client-secret');
    }
    // Delete the old access token first, so that it is never stored together with the new refresh token. Store the new
    // addresses before the secrets that belong to these addresses.
    const pending = { ...session, accessToken: '', obtainedAt: 0, accessExpiresAt: 0 };
    await writeSession(directory, settings.profile, key, pending);
    await storeSecret(host, 'client-secret', clientSecret);
    if (tokens.refreshToken === null) await deleteSecret(host, 'refresh-token');
    else await storeSecret(host, 'refresh-token', tokens.refreshToken);
    await writeSession(directory, settings.profile, key, session);
    await deleteRefreshLog(host);
    await removeLeftovers(directory, settings.profile).catch(() => undefined);
    return session;
  };
  return underLock(host, async () => {
    await refuseNewApiKey(host, to, { tokens, clientSecret });
    const stored = storeSession();
    host.hold?.(stored, 'session');
    return stored;
  });
}

/**
 * Revokes the new tokens if an API key was stored during the consent, for example in another terminal.
 *
 * @throws usage error if an API key was stored
 */
async function refuseNewApiKey(
  host: AuthHost,
  to: Registration,
  { tokens, clientSecret }: Pick<LoginResult, 'tokens' | 'clientSecret'>,
): Promise<void> {
  if ((await readSecret(host, 'api-key')) === null) return;
  const { revoked, reason } = await revoke(host, to, clientSecret, tokens.refreshToken ?? tokens.accessToken);
  const outcome = revoked
    ? 'was revoked'
    : `is not stored, but the service did not revoke it (${reason}); it expires within 30 days`;
  throw apiKeyExists(
    host,
    `An API key was stored in profile ${host.settings.profile} during the login; the new session ${outcome}`,
  );
}

function checkScopes(scopes: readonly string[]): readonly string[] {
  const odd = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)); // RFC 6749, 3.3
  if (odd !== undefined)
    throw usageError(`${JSON.stringify(odd)} is not a valid scope`, undefined, 'BAD_SCOPE');
  if (scopes.includes('openid')) return [...new Set(scopes)];
  throw usageError(
    'The scope openid is required',
    scopes.length === 0
      ? 'Omit --scopes to request the default set.'
      : `Add the scope: --scopes ${['openid', ...scopes].join(',')}. Or add the default set: --scopes ${['default', ...scopes].join(',')}`,
    'MISSING_OPENID',
  );
}

/**
 * Adds a hint to an INVALID_SCOPE error. The hint lists the scopes that probably caused the error (rule 1 of "Scopes" in the
 * specification).
 */
function explainScopes(host: AuthHost, error: unknown, requested: readonly string[]): unknown {
  if (!(error instanceof CryptodataError) || error.code !== 'INVALID_SCOPE') return error;
  const wide = requested.filter(needsRegistration);
  const unknown = unknownScopes(wide).map(({ scope }) => scope);
  const registrable = wide.filter((scope) => !unknown.includes(scope));
  const hint = [
    unknown.length > 0 && `Scopes that are not in the specification: ${unknown.join(' ')}.`,
    registrable.length > 0 &&
      `Scopes for which the client must first be registered (${REGISTER}): ${registrable.join(' ')}.`,
    wide.length > 0 &&
      `To log in without these scopes: ${loginCommand(host)} --scopes ${shortestScopes(requested.filter((scope) => !wide.includes(scope)))}`,
  ].filter(Boolean);
  return hint.length === 0 ? error : error.explained({ hint: hint.join(' ') });
}

function timedOut(host: AuthHost, seconds: number, pasting: boolean): CryptodataError {
  const paste = pasting
    ? " If the browser cannot reach this machine, paste the browser's final address."
    : '';
  return new AuthError('LOGIN_TIMEOUT', `The login was not completed within ${seconds} s`, {
    hint: `Log in again: ${loginCommand(host)}. To wait longer, use --timeout DURATION, such as --timeout 15m.${paste}`,
  });
}
