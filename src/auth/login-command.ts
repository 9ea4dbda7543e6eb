import { AuthError, type CryptodataError } from '../core/errors.ts';
import type { AuthHost } from './host.ts';

export function loginCommand({ settings }: Pick<AuthHost, 'settings'>): string {
  return `cryptodata login${profileOption(settings)}`;
}

/** Returns ` -p NAME` for commands in messages, or an empty string for the profile `default`. */
export function profileOption({ profile }: Pick<AuthHost['settings'], 'profile'>): string {
  return profile === 'default' ? '' : ` -p ${profile}`;
}

/** The error for a session that can no longer be used. */
export function sessionLost(
  host: Pick<AuthHost, 'settings'>,
  code: string,
  message: string,
  cause?: CryptodataError,
): CryptodataError {
  const hint = `Log in again: ${loginCommand(host)}.`;
  return new AuthError(code, message, { hint, status: cause?.status, details: cause?.details, cause });
}

export function notLoggedIn(host: Pick<AuthHost, 'settings'>): CryptodataError {
  const { profile } = host.settings;
  return new AuthError('NOT_LOGGED_IN', `Profile ${profile} is not logged in`, {
    hint: `Log in: ${loginCommand(host)}. Or set CRYPTODATA_ACCESS_TOKEN. To try the tool without an account, run: cryptodata sandbox exec -- cryptodata ledgers`,
  });
}
