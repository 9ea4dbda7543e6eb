import { CryptodataError } from '../../core/errors.ts';

const WAYS_ON =
  'Or set CRYPTODATA_KEYCHAIN=file to keep secrets in a file that a passphrase encrypts (CRYPTODATA_PASSPHRASE, or a prompt), or CRYPTODATA_ACCESS_TOKEN to use a token and keep nothing. Nothing is ever stored in the clear.';

/** By `process.platform`. */
const NO_ACCESS: Readonly<Record<string, string>> = {
  darwin:
    'It may be locked, as it is over SSH and for services: unlock it (security unlock-keychain), or run in a session of the desktop.',
  win32: 'It belongs to a user who is logged on: a service, or a logon without one, has none.',
};

export function keychainError(
  code: string,
  message: string,
  first: string,
  cause?: unknown,
): CryptodataError {
  return new CryptodataError('usage', code, message, { hint: `${first} ${WAYS_ON}`, cause });
}

/** @param milliseconds how long it was waited for, where that is known */
export function keychainTimedOut(milliseconds?: number): CryptodataError {
  const within = milliseconds === undefined ? '' : ` within ${Math.round(milliseconds / 100) / 10} s`;
  return keychainError(
    'KEYCHAIN_TIMEOUT',
    `The keychain did not answer${within}`,
    'If a window asks to unlock it, unlock it and try again; without a desktop there may be nobody to ask. A Secret Service that hangs is to be restarted.',
  );
}

interface Explained {
  readonly words: RegExp;
  readonly code: string;
  readonly message: string;
  readonly first: string;
  /** Whether the library's words say more. */
  readonly quoted?: true;
}

// The library gives every failure the one code `GenericFailure`, so its words are all there is to go by. They are those
// of keyring-core (`Platform failure: …`, `Couldn't access platform storage: …`), of the Secret Service's client behind
// it (`object locked`, `prompt dismissed`, `no result found`), of libdbus, and of gnome-keyring. The first that fits counts.
const EXPLAINED: readonly Explained[] = [
  {
    words: /\bprompt\b|\bobject locked\b|\bis locked\b/i,
    code: 'KEYCHAIN_LOCKED',
    message: 'The keychain is locked, and was not unlocked',
    first: 'Unlock it (on a desktop: log in to it, or open "Passwords and Keys"), then try again.',
  },
  {
    words: /no result found|no default/i,
    code: 'KEYCHAIN_MISSING',
    message: 'The Secret Service runs, but has no keyring to write to',
    first: 'Create one: log in on the desktop once, or run: printf PASSWORD | gnome-keyring-daemon --unlock.',
  },
  {
    words:
      /failed to connect to (?:the )?(?:socket|bus)|autolaunch|no dbus session|dbus session found|address does not contain/i,
    code: 'KEYCHAIN_UNAVAILABLE',
    message: 'There is no D-Bus session here, and so no Secret Service to keep secrets in',
    first:
      'Run inside one (dbus-run-session), with a Secret Service such as gnome-keyring or KWallet. Over SSH, DBUS_SESSION_BUS_ADDRESS may have to be set.',
  },
  {
    words: /not provided by any|failed to activate|failed to execute|exited with|no secret service/i,
    code: 'KEYCHAIN_UNAVAILABLE',
    message: 'There is no Secret Service to keep secrets in: nothing offers one in this D-Bus session',
    first: 'Install and start one, as gnome-keyring or KWallet.',
  },
  {
    words: /couldn't (?:set|create|delete|change|write|store)|read-?only|no space left/i,
    code: 'KEYCHAIN_UNWRITABLE',
    message: 'The keychain answers, but cannot write',
    first:
      'See that the place where it keeps its files (~/.local/share/keyrings) can be written, and that the disk is not full.',
    quoted: true,
  },
  {
    words: /denied|cancell?ed|not allowed|interaction/i,
    code: 'KEYCHAIN_DENIED',
    message: 'The keychain did not let the tool in',
    first: 'Allow it when the system asks.',
  },
  {
    words: /longer than the platform limit/i,
    code: 'KEYCHAIN_TOO_SMALL',
    message: 'The keychain takes no entry of that length',
    first: 'This is a bug: values are split so that they fit. Please report it.',
  },
  {
    words: /matched by \S+ credentials/i,
    code: 'KEYCHAIN_AMBIGUOUS',
    message: 'The keychain has several entries of one name, of which another program wrote some',
    first: 'Delete those of the service "cryptodata" by its own tools, and log in again.',
  },
  {
    // What the library says on every system where the store as a whole is out of reach: after all that is known better.
    words: /couldn't access platform storage/i,
    code: 'KEYCHAIN_NO_ACCESS',
    message: 'The keychain of the system cannot be reached',
    first: NO_ACCESS[process.platform] ?? 'See: cryptodata doctor.',
    quoted: true,
  },
];

/** Tells apart what stopped the operating system's keychain; what its words do not tell stays one general error. */
export function explainKeychain(words: string): CryptodataError {
  const cause = new Error(words);
  if (/did not receive a reply|reply timeout/i.test(words)) return keychainTimedOut();
  const known = EXPLAINED.find((one) => one.words.test(words));
  if (known) {
    const message = known.quoted ? `${known.message}: ${words}` : known.message;
    return keychainError(known.code, message, known.first, cause);
  }
  return keychainError('KEYCHAIN_FAILED', `The keychain failed: ${words}`, 'See: cryptodata doctor.', cause);
}
