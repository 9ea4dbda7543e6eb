import { CryptodataError, usageError } from '../core/errors.ts';
import { hasSession, readSession, type StoredSession } from './cache.ts';
import { readAccessTokenClaims } from './claims.ts';
import { environmentSession } from './environment.ts';
import type { AuthHost } from './host.ts';
import { ACCESS_TOKEN_LIFETIME } from './lifetimes.ts';
import { notLoggedIn } from './login-command.ts';
import { readCacheKey, readSecret } from './secrets.ts';
import type { AccessToken, Session, SessionInfo } from './session-types.ts';

/** A token with less than this left is refreshed before it is used, in milliseconds. */
const SKEW = 60_000;

/** The session of the profile; with `CRYPTODATA_ACCESS_TOKEN` that token alone, and no keychain is touched. */
export function openSession(host: AuthHost): Session {
  const token = host.env['CRYPTODATA_ACCESS_TOKEN'];
  return token ? environmentSession(host, token) : new StoredSessionReader(host);
}

class StoredSessionReader implements Session {
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
    const asked = this.#host.now();
    const fits = (session: StoredSession) => {
      const lifetime = session.accessExpiresAt - session.obtainedAt;
      const wanted = minTtl === undefined ? Math.min(SKEW, lifetime / 2) : minTtl * 1000;
      // One that was obtained since is as good as they get, even where the whole lifetime was asked for.
      return session.obtainedAt >= asked || session.accessExpiresAt - this.#host.now() > wanted;
    };
    const kept = await this.#read(fits);
    const session = kept && fits(kept) ? kept : await this.#refresh(fits);
    // The specification's 24 hours are checked above; a sandbox may give less.
    if (minTtl !== undefined && session.accessExpiresAt - session.obtainedAt < minTtl * 1000) {
      throw tooLong(minTtl, session);
    }
    return { accessToken: session.accessToken, expiresAt: session.accessExpiresAt };
  }

  async renew(rejectedToken: string): Promise<boolean> {
    if (!this.#exists()) return false;
    const another = (session: StoredSession) =>
      session.accessToken !== rejectedToken && session.accessExpiresAt > this.#host.now();
    const kept = await this.#read(another);
    if (kept && another(kept)) return true;
    try {
      await this.#refresh(another);
      return true;
    } catch (error) {
      if (error instanceof CryptodataError && NO_WAY.has(error.code)) return false;
      throw error;
    }
  }

  async info(): Promise<SessionInfo | null> {
    if (!this.#exists()) return null;
    const kept = await this.#read(() => false);
    if (kept) return describeSession(kept);
    return (await readSecret(this.#host, 'refresh-token')) === null ? null : UNKNOWN;
  }

  /** Asked each time: somebody may log in while this process runs. Profiles that never logged in need no keychain. */
  #exists(): boolean {
    return hasSession(this.#host.directory, this.#host.settings.profile);
  }

  /** The stored session; what this process read before will do where it satisfies the caller. */
  async #read(enough: (session: StoredSession) => boolean): Promise<StoredSession | null> {
    if (this.#current && enough(this.#current)) return this.#current;
    const { directory, settings } = this.#host;
    this.#key ??= readCacheKey(this.#host);
    const key = await this.#key.catch((error) => {
      this.#key = undefined;
      throw error;
    });
    // No key is asked for again: somebody may log in while this process runs.
    if (key === null) this.#key = undefined;
    let session = key && (await readSession(directory, settings.profile, key));
    if (key && !session) {
      // A login meanwhile may have changed the key.
      this.#key = readCacheKey(this.#host);
      const newer = await this.#key;
      session = newer && (await readSession(directory, settings.profile, newer));
    }
    return this.#keep(session);
  }

  #keep<T extends StoredSession | null>(session: T): T {
    this.#current = session;
    this.#host.redactor?.conceal(session?.accessToken);
    return session;
  }

  async #refreshNow(enough: (session: StoredSession) => boolean): Promise<StoredSession> {
    // Loaded here: most commands find a token that is good.
    const { refreshSession } = await import('./refresh.ts');
    return refreshSession(this.#host, enough, await this.#key);
  }

  /** One refresh at a time in this process; `refreshSession` sees to the other processes. */
  async #refresh(enough: (session: StoredSession) => boolean): Promise<StoredSession> {
    for (;;) {
      const joined = this.#refreshing !== undefined;
      this.#refreshing ??= this.#refreshNow(enough).finally(() => {
        this.#refreshing = undefined;
      });
      const session = this.#keep(await this.#refreshing);
      this.#key = undefined; // it may have been made just now
      // Another caller may have been content with less.
      if (!joined || enough(session)) return session;
    }
  }
}

const NO_WAY: ReadonlySet<string> = new Set(['NOT_LOGGED_IN', 'SESSION_EXPIRED']);

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
    throw usageError('The time that a token must last is a number of seconds', undefined, 'BAD_MIN_TTL');
  }
  if (minTtl * 1000 <= ACCESS_TOKEN_LIFETIME) return minTtl;
  throw tooLong(minTtl);
}

function tooLong(minTtl: number, session?: StoredSession): CryptodataError {
  const lifetime = session ? session.accessExpiresAt - session.obtainedAt : ACCESS_TOKEN_LIFETIME;
  return usageError(
    `No access token lasts ${minTtl} s: even a new one lasts ${Math.floor(lifetime / 1000)} s`,
    'Ask for less.',
    'MIN_TTL_TOO_LONG',
  );
}
