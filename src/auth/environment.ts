import { CryptodataError } from '../core/errors.ts';
import { readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import type { Session } from './session-types.ts';

/** `CRYPTODATA_ACCESS_TOKEN`: that token, as it is. Nothing is stored, nothing is refreshed. */
export function environmentSession(host: AuthHost, accessToken: string): Session {
  const { expiresAt, scopes, ...claims } = readAccessTokenClaims(accessToken);
  return {
    async accessToken({ minTtl = 0 } = {}) {
      const left = expiresAt === null ? null : Math.floor((expiresAt - host.now()) / 1000);
      if (minTtl > 0 && left !== null && left < minTtl) {
        throw new CryptodataError(
          'auth',
          'TOKEN_TOO_SHORT',
          `The token in CRYPTODATA_ACCESS_TOKEN has ${Math.max(0, left)} s left, less than the ${minTtl} s asked for`,
          { hint: `Set a newer one, or unset it and log in: ${loginCommand(host)}.` },
        );
      }
      return { accessToken, expiresAt };
    },
    async renew() {
      return false;
    },
    async info() {
      return {
        source: 'environment',
        ...claims,
        scopesGranted: scopes,
        scopesRequested: null,
        obtainedAt: null,
        accessExpiresAt: expiresAt,
        refreshExpiresAt: null,
      };
    },
  };
}

/** @throws usage error: what logs in or out would change nothing that is in use */
export function refuseWithAccessToken(host: AuthHost, what: string): void {
  if (!host.env['CRYPTODATA_ACCESS_TOKEN']) return;
  throw new CryptodataError(
    'usage',
    'ACCESS_TOKEN_IN_ENVIRONMENT',
    `CRYPTODATA_ACCESS_TOKEN is set: with it no session is read or written, so there is nothing to ${what}`,
    { hint: 'Unset it first: unset CRYPTODATA_ACCESS_TOKEN' },
  );
}
