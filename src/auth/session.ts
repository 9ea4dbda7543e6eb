import { AuthError, CryptodataError, usageError } from '../core/errors.ts';
import { readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, notLoggedIn } from './login-command.ts';
import { readCacheKey, readSecret } from './secrets.ts';
import { ACCESS_TOKEN_LIFETIME, hasSession, readSession, type StoredSession } from './session-file.ts';

export interface AccessToken {
  readonly accessToken: string;
  /** Milliseconds since 1970; null if unknown, as for a token from the environment that is not a JWT. */
  readonly expiresAt: number | null;
}

/** What is known locally about the session. A value is null if it is unknown or absent. Times in milliseconds. */
export interface SessionInfo {
  readonly source: 'session' | 'environment';
  readonly sub: string | null;
  readonly workspaceId: string | null;
  readonly workspaceName: string | null;
  readonly workspaceType: string | null;
  readonly role: string | null;
  readonly plan: string | null;
  readonly scopesGranted: readonly string[] | null;
  readonly scopesRequested: readonly string[] | null;
  readonly obtainedAt: number | null;
  readonly accessExpiresAt: number | null;
  /** 30 days after the refresh token was issued; null without a refresh token. */
  readonly refreshExpiresAt: number | null;
}

export interface Session {
  /**
   * A token that is valid for `minTtl` more seconds (default 60), refreshed if necessary.
   *
   * @throws CryptodataError `NOT_LOGGED_IN`, `SESSION_EXPIRED`, `REFRESH_REJECTED`, `MIN_TTL_TOO_LONG`, …
   */
  accessToken(options?: { readonly minTtl?: number }): Promise<AccessToken>;
  /**
   * Gets another token after a 401 with `rejectedToken`. Returns false if no other token is available.
   *
   * @throws CryptodataError if the refresh fails
   */
  refresh(rejectedToken: string): Promise<boolean>;
  /** Null if the profile is not logged in. Sends nothing. */
  info(): Promise<SessionInfo | null>;
}

/** The session of the profile; with `CRYPTODATA_ACCESS_TOKEN`, a session for that token, which does not touch the keychain. */
export function openSession(host: AuthHost): Session {
  const token = host.env['CRYPTODATA_ACCESS_TOKEN'];
  return token ? environmentSession(host, token) : new ProfileSession(host);
}

/** A session that is neither stored nor refreshed. */
function environmentSession(host: AuthHost, accessToken: string): Session {
  const { expiresAt, scopes, ...claims } = readAccessTokenClaims(accessToken);
  return {
    async accessToken({ minTtl = 0 } = {}) {
      const left = expiresAt === null ? null : Math.floor((expiresAt - host.now()) / 1000);
      if (minTtl > 0 && left !== null && left < minTtl) {
        throw new AuthError(
          'TOKEN_TOO_SHORT',
          `The token in CRYPTODATA_ACCESS_TOKEN expires in ${Math.max(0, left)} s; ${minTtl} s are required`,
          { hint: `Set a newer token, or unset the variable and log in: ${loginCommand(host)}.` },
        );
      }
      return { accessToken, expiresAt };
    },
    refresh: async () => false,
    info: async () => ({
      source: 'environment',
      ...claims,
      scopesGranted: scopes,
      scopesRequested: null,
      obtainedAt: null,
      accessExpiresAt: expiresAt,
      refreshExpiresAt: null,
    }),
  };
}

/** Milliseconds; a token that expires sooner is refreshed before use. */
const SKEW = 60_000;

class ProfileSession implements Session {
  readonly #host: AuthHost;
  #key: Promise<Buffer | null> | undefined;
  #current: StoredSession | null = null;
  #refreshing: Promise<StoredSession> | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  async accessToken(options: { readonly minTtl?: number } = {}): Promise<AccessToken> {
    const minTtl = options.minTtl === undefined ? undefined : checkMinTtl(options.minTtl);
    if (!this.#exists()) throw notLoggedIn(this.#host);
    const startedAt = this.#host.now();
    const isFresh = (session: StoredSession) => {
      const lifetime = session.accessExpiresAt - session.obtainedAt;
      const required = minTtl === undefined ? Math.min(SKEW, lifetime / 2) : minTtl * 1000;
      // Accept any token obtained since `startedAt`, even with a short lifetime, because another refresh would not help.
      return session.obtainedAt >= startedAt || session.accessExpiresAt - this.#host.now() > required;
    };
    const stored = await this.#read(isFresh);
    const session = stored && isFresh(stored) ? stored : await this.#refresh(isFresh);
    // `checkMinTtl` assumes the 24 hours of the specification, but a sandbox may grant less.
    if (minTtl !== undefined && session.accessExpiresAt - session.obtainedAt < minTtl * 1000) {
      throw minTtlTooLong(minTtl, session);
    }
    return { accessToken: session.accessToken, expiresAt: session.accessExpiresAt };
  }

  async refresh(rejectedToken: string): Promise<boolean> {
    if (!this.#exists()) return false;
    const isFresh = (session: StoredSession) =>
      session.accessToken !== rejectedToken && session.accessExpiresAt > this.#host.now();
    const stored = await this.#read(isFresh);
    if (stored && isFresh(stored)) return true;
    try {
      await this.#refresh(isFresh);
      return true;
    } catch (error) {
      if (!(error instanceof CryptodataError) || error.kind !== 'auth') throw error;
      const { markSessionEnded } = await import('./refresh.ts');
      await markSessionEnded(this.#host, rejectedToken);
      if (LOGIN_REQUIRED.has(error.code)) return false;
      throw error;
    }
  }

  async info(): Promise<SessionInfo | null> {
    if (!this.#exists()) return null;
    const stored = await this.#read(() => false);
    if (stored) return describeSession(stored);
    return (await readSecret(this.#host, 'refresh-token')) === null ? null : UNKNOWN;
  }

  /** Checked each time, because a login may happen while this process runs. Needs no keychain. */
  #exists(): boolean {
    return hasSession(this.#host.directory, this.#host.settings.profile);
  }

  /** The session that this process read earlier, if that session is still fresh, or else the stored session. */
  async #read(isFresh: (session: StoredSession) => boolean): Promise<StoredSession | null> {
    if (this.#current && isFresh(this.#current)) return this.#current;
    const { directory, settings } = this.#host;
    this.#key ??= readCacheKey(this.#host);
    const key = await this.#key.catch((error) => {
      this.#key = undefined;
      throw error;
    });
    // A login may create the key while this process runs.
    if (key === null) this.#key = undefined;
    let session = key && (await readSession(directory, settings.profile, key));
    if (key && !session) {
      // A login may have changed the key.
      this.#key = readCacheKey(this.#host);
      const newer = await this.#key;
      session = newer && (await readSession(directory, settings.profile, newer));
    }
    return this.#remember(session);
  }

  #remember<T extends StoredSession | null>(session: T): T {
    this.#current = session;
    this.#host.redactor?.conceal(session?.accessToken);
    return session;
  }

  /** Runs one refresh at a time in this process; `refreshSession` excludes other processes. */
  async #refresh(isFresh: (session: StoredSession) => boolean): Promise<StoredSession> {
    for (;;) {
      const joined = this.#refreshing !== undefined;
      this.#refreshing ??= this.#refreshOnce(isFresh).finally(() => {
        this.#refreshing = undefined;
      });
      const session = this.#remember(await this.#refreshing);
      this.#key = undefined; // the refresh may have created a key
      // The refresh may have been started by a caller that required a shorter remaining lifetime.
      if (!joined || isFresh(session)) return session;
    }
  }

  async #refreshOnce(isFresh: (session: StoredSession) => boolean): Promise<StoredSession> {
    // Load this module only here, because most commands find a valid token and need no refresh.
    const { refreshSession } = await import('./refresh.ts');
    return refreshSession(this.#host, isFresh, await this.#key);
  }
}

const LOGIN_REQUIRED: ReadonlySet<string> = new Set(['NOT_LOGGED_IN', 'SESSION_EXPIRED']);

const UNKNOWN: SessionInfo = {
  source: 'session',
  sub: null,
  workspaceId: null,
  workspaceName: null,
  workspaceType: null,
  role: null,
  plan: null,
  scopesGranted: null,
  scopesRequested: null,
  obtainedAt: null,
  accessExpiresAt: null,
  refreshExpiresAt: null,
};

export function describeSession(session: StoredSession): SessionInfo {
  const { expiresAt: _, scopes: __, ...claims } = readAccessTokenClaims(session.accessToken);
  return {
    source: 'session',
    ...claims,
    scopesGranted: session.granted,
    scopesRequested: session.requested,
    obtainedAt: session.obtainedAt,
    accessExpiresAt: session.accessExpiresAt,
    refreshExpiresAt: session.refreshExpiresAt,
  };
}

function checkMinTtl(minTtl: number): number {
  if (!Number.isFinite(minTtl) || minTtl < 0) {
    throw usageError('The minimum lifetime of a token must be a number of seconds', undefined, 'BAD_MIN_TTL');
  }
  if (minTtl * 1000 <= ACCESS_TOKEN_LIFETIME) return minTtl;
  throw minTtlTooLong(minTtl);
}

function minTtlTooLong(minTtl: number, session?: StoredSession): CryptodataError {
  const lifetime = session ? session.accessExpiresAt - session.obtainedAt : ACCESS_TOKEN_LIFETIME;
  return usageError(
    `Access tokens are valid for ${Math.floor(lifetime / 1000)} s, less than the required ${minTtl} s`,
    'Use a smaller --min-ttl.',
    'MIN_TTL_TOO_LONG',
  );
}
