import { randomBytes } from 'node:crypto';
import type { Redactor } from '../../core/redact.ts';
import { keychainError } from './errors.ts';

/** Stores secrets under the service name `cryptodata`. Each account has the form `PROFILE:kind`. */
export interface Keychain {
  /** The name of the keychain in messages. */
  readonly describe: string;
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Deletes an entry. Does not fail if the entry does not exist. */
  delete(account: string): Promise<void>;
  /**
   * Checks that the keychain works: writes, reads and deletes a test entry. Reading alone is not enough: some keychains allow
   * reads but not writes, and some allow reads while they are locked.
   *
   * @param account account of the test entry (default: a random name, so that concurrent probes do not collide)
   * @throws CryptodataError with the reason, and with the alternatives in the hint
   */
  probe(account?: string): Promise<void>;
}

export interface KeychainOptions {
  /** The setting `keychain`: `os` or `file`. */
  readonly kind: string;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Receives every secret that is read or stored. */
  readonly redactor?: Redactor | undefined;
  /** Asks for the passphrase of the `file` keychain. Omitted if there is no terminal. */
  readonly askPassphrase?: AskPassphrase | undefined;
  /** The signal that Ctrl-C aborts. A call that waits for the lock of the `file` keychain then stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks for the passphrase on the terminal. `creating` is true if the file does not exist yet. The passphrase must then be typed
 * twice. `wrong` is true if the previous passphrase did not open the file.
 */
export type AskPassphrase = (question: {
  readonly creating: boolean;
  readonly wrong: boolean;
}) => Promise<string>;

/** Implements {@link Keychain.probe} for every keychain. */
export async function roundTrip(
  keychain: Keychain,
  account = `probe:${randomBytes(8).toString('hex')}`,
): Promise<void> {
  const secret = randomBytes(16).toString('hex');
  await keychain.set(account, secret);
  const read = await keychain.get(account);
  await keychain.delete(account);
  if (read === secret) return;
  throw keychainError(
    'KEYCHAIN_FORGETFUL',
    'The keychain stored a secret, but did not return it',
    'See: cryptodata doctor.',
  );
}
