import { decodeJwt } from 'jose/jwt/decode';

/**
 * Some standard OIDC claims, and the claims in the section "Access token claims" of the specification. A claim that is missing
 * or invalid is null.
 */
export interface AccessTokenClaims {
  readonly sub: string | null;
  readonly workspaceId: string | null;
  readonly workspaceName: string | null;
  readonly workspaceType: string | null;
  readonly role: string | null;
  /** The plan of the workspace; null if the workspace has no plan. */
  readonly plan: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[] | null;
}

/**
 * Reads the claims of an access token **without verifying the token**. The service verifies the token in each request. The tool
 * shows the claims, and also uses the expiry time and the workspace. No access decision depends on the claims. If the token is
 * not a JWT, all claims are null.
 */
export function readAccessTokenClaims(accessToken: string): AccessTokenClaims {
  const claims = decode(accessToken);
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' ? value : null;
  };
  const { exp } = claims;
  return {
    sub: text('sub'),
    workspaceId: text('workspaceId'),
    workspaceName: text('workspaceName'),
    workspaceType: text('workspaceType'),
    role: text('role'),
    plan: text('plan'),
    expiresAt: typeof exp === 'number' ? momentOf(exp * 1000) : null,
    scopes: parseScope(text('scope')),
  };
}

/** The end of the year 9999. A later time has a different ISO format, and is not a real expiry time. */
const LAST_MOMENT = Date.UTC(10_000, 0) - 1;

/** Returns whole milliseconds since 1970; null if the time is outside the years 1970 to 9999. */
export function momentOf(milliseconds: number): number | null {
  return milliseconds >= 0 && milliseconds <= LAST_MOMENT ? Math.floor(milliseconds) : null;
}

export function parseScope(scope: string | null | undefined): readonly string[] | null {
  return scope === null || scope === undefined ? null : scope.split(' ').filter(Boolean);
}

function decode(accessToken: string): Readonly<Record<string, unknown>> {
  try {
    return decodeJwt(accessToken);
  } catch {
    return {};
  }
}
