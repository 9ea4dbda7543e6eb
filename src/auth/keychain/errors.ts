import { type CryptodataError, UsageError } from '../../core/errors.ts';

const ALTERNATIVES =
  'Or set CRYPTODATA_KEYCHAIN=file to store secrets in an encrypted file. The tool asks for the passphrase, or reads it from CRYPTODATA_PASSPHRASE. Or, to store nothing, set CRYPTODATA_ACCESS_TOKEN.';

/** Hints by `process.platform`. */
const NO_ACCESS: Readonly<Record<string, string>> = {
  darwin:
    'Over SSH and in background services, the keychain is often locked. To unlock the keychain, run `security unlock-keychain`. Or use a desktop session.',
  win32: 'The Windows Credential Manager is available to logged-on users, but not to services.',
};

export function keychainError(
  code: string,
  message: string,
  first: string,
  cause?: unknown,
): CryptodataError {
  return new UsageError(code, message, { hint: `${first} ${ALTERNATIVES}`, cause });
}

/** @param milliseconds the time limit, if known */
export function keychainTimedOut(milliseconds?: number): CryptodataError {
  const within = milliseconds === undefined ? '' : ` within ${Math.round(milliseconds / 100) / 10} s`;
  return keychainError(
    'KEYCHAIN_TIMEOUT',
    `The keychain did not respond${within}`,
    'If a window asks for the keychain password, enter the password and try again. If the Secret Service hangs, restart the Secret Service.',
  );
}

interface Explained {
  readonly pattern: RegExp;
  readonly code: string;
  readonly message: string;
  readonly first: string;
  /** Whether the error message contains the message of the keychain library. */
  readonly quoted?: true;
}

// The library reports every failure with the code `GenericFailure`, so only the message of the library shows the cause. The
// messages come from keyring-core (`Platform failure: …`, `Couldn't access platform storage: …`), the Secret Service client
// (`object locked`, `prompt dismissed`, `no result found`), libdbus and gnome-keyring. The first pattern that matches is used.
const EXPLAINED: readonly Explained[] = [
  {
    pattern: /\bprompt\b|\bobject locked\b|\bis locked\b/i,
    code: 'KEYCHAIN_LOCKED',
    message: 'The keychain is locked',
    first: 'Unlock the keychain (log in to the desktop, or open "Passwords and Keys"), then try again.',
  },
  {
    pattern: /no result found|no default/i,
    code: 'KEYCHAIN_MISSING',
    message: 'The Secret Service has no keyring for new secrets',
    first:
      'Create a keyring: log in to the desktop once, or run: printf PASSWORD | gnome-keyring-daemon --unlock.',
  },
  {
    pattern:
      /failed to connect to (?:the )?(?:socket|bus)|autolaunch|no dbus session|dbus session found|address does not contain/i,
    code: 'KEYCHAIN_UNAVAILABLE',
    message: 'No D-Bus session was found, so secrets cannot be stored in a Secret Service',
    first:
      'Run in a D-Bus session (dbus-run-session) with a Secret Service such as gnome-keyring or KWallet. Over SSH, set DBUS_SESSION_BUS_ADDRESS.',
  },
  {
    pattern: /not provided by any|failed to activate|failed to execute|exited with|no secret service/i,
    code: 'KEYCHAIN_UNAVAILABLE',
    message: 'No Secret Service is available in this D-Bus session',
    first: 'Install and start a Secret Service, such as gnome-keyring or KWallet.',
  },
  {
    pattern: /couldn't (?:set|create|delete|change|write|store)|read-?only|no space left/i,
    code: 'KEYCHAIN_UNWRITABLE',
    message: 'Cannot write to the keychain',
    first:
      'Check that the keyring directory (~/.local/share/keyrings) is writable and that the disk is not full.',
    quoted: true,
  },
  {
    pattern: /denied|cancell?ed|not allowed|interaction/i,
    code: 'KEYCHAIN_DENIED',
    message: 'Access to the keychain was denied',
    first: 'Allow access when the system asks.',
  },
  {
    pattern: /longer than the platform limit/i,
    code: 'KEYCHAIN_TOO_SMALL',
    message: 'The value is too long for the keychain',
    first: 'The tool should have split the value. Please report this bug.',
  },
  {
    pattern: /matched by \S+ credentials/i,
    code: 'KEYCHAIN_AMBIGUOUS',
    message: 'The keychain has duplicate entries, and another program wrote some of them',
    first: 'Delete the entries for the service "cryptodata" in the keychain application, then log in again.',
  },
  {
    // This pattern must come last, because it is the most general.
    pattern: /couldn't access platform storage/i,
    code: 'KEYCHAIN_NO_ACCESS',
    message: 'Cannot access the system keychain',
    first: NO_ACCESS[process.platform] ?? 'See: cryptodata doctor.',
    quoted: true,
  },
];

export function explainKeychain(message: string): CryptodataError {
  const cause = new Error(message);
  if (/did not receive a reply|reply timeout/i.test(message)) return keychainTimedOut();
  const known = EXPLAINED.find((one) => one.pattern.test(message));
  if (known) {
    const text = known.quoted ? `${known.message}: ${message}` : known.message;
    return keychainError(known.code, text, known.first, cause);
  }
  return keychainError(
    'KEYCHAIN_FAILED',
    `The keychain failed: ${message}`,
    'See: cryptodata doctor.',
    cause,
  );
}
