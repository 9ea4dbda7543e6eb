import { CryptodataError } from '../../base/errors.ts';

const WAYS_ON =
  'Or set CRYPTODATA_KEYCHAIN=file to keep secrets in a file that a passphrase encrypts (CRYPTODATA_PASSPHRASE, or a prompt), or CRYPTODATA_ACCESS_TOKEN to use a token and keep nothing. Nothing is ever stored in the clear.';

export function keychainError(
  code: string,
  message: string,
  first: string,
  cause?: unknown,
): CryptodataError {
  return new CryptodataError('usage', code, message, { hint: `${first} ${WAYS_ON}`, cause });
}

export function keychainTimedOut(milliseconds: number): CryptodataError {
  return keychainError(
    'KEYCHAIN_TIMEOUT',
    `The keychain did not answer within ${Math.round(milliseconds / 100) / 10} s`,
    'If a window asks to unlock it, unlock it and try again; without a desktop there may be nobody to ask.',
  );
}

/**
 * Tells apart what stopped the operating system's keychain. The library gives every failure the one code
 * `GenericFailure`, so its words are all there is to go by; what they do not tell stays one general error.
 */
export function explainKeychain(words: string): CryptodataError {
  const cause = new Error(words);
  if (/\bprompt\b|\blocked\b/i.test(words)) {
    return keychainError(
      'KEYCHAIN_LOCKED',
      'The keychain is locked, and was not unlocked',
      'Unlock it (on a desktop: log in to it, or open "Passwords and Keys"), then try again.',
      cause,
    );
  }
  if (/no result found|no default/i.test(words)) {
    return keychainError(
      'KEYCHAIN_MISSING',
      'The Secret Service runs, but has no keyring to write to',
      'Create one: log in on the desktop once, or run: printf PASSWORD | gnome-keyring-daemon --unlock',
      cause,
    );
  }
  if (/d-?bus|secret service provider|no secret service|zbus/i.test(words)) {
    return keychainError(
      'KEYCHAIN_UNAVAILABLE',
      'There is no Secret Service to keep secrets in',
      'Install and start one, as gnome-keyring or KWallet, inside a D-Bus session (dbus-run-session).',
      cause,
    );
  }
  if (/denied|cancell?ed|not allowed|interaction/i.test(words)) {
    return keychainError(
      'KEYCHAIN_DENIED',
      'The keychain did not let the tool in',
      'Allow it when the system asks.',
      cause,
    );
  }
  return keychainError('KEYCHAIN_FAILED', `The keychain failed: ${words}`, 'See: cryptodata doctor.', cause);
}
