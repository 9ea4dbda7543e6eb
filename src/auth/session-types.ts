export interface AccessToken {
  readonly accessToken: string;
  /** Milliseconds since 1970; null where it is not known (a token from the environment that is no JWT). */
  readonly expiresAt: number | null;
}

/** What is known of the session without asking the service. Null: not known, or not there. Times in milliseconds. */
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
  /** 30 days from when the refresh token was issued; null where there is none. */
  readonly refreshExpiresAt: number | null;
}

export interface Session {
  /**
   * A token good for `minTtl` more seconds (default 60), refreshed where need be.
   *
   * @throws CryptodataError `NOT_LOGGED_IN`, `SESSION_EXPIRED`, `REFRESH_REJECTED`, `MIN_TTL_TOO_LONG`, …
   */
  accessToken(options?: { readonly minTtl?: number }): Promise<AccessToken>;
  /**
   * After a 401 with `rejectedToken`: gets another one. False where there is no way to.
   *
   * @throws CryptodataError where there is one, but it failed
   */
  renew(rejectedToken: string): Promise<boolean>;
  /** Null where nobody is logged in. Sends nothing. */
  info(): Promise<SessionInfo | null>;
}
