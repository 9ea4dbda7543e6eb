import { randomBytes } from 'node:crypto';
import type { Redactor } from '../../core/redact.ts';
import { keychainError } from './errors.ts';

/** Stores secrets by account, `PROFILE:kind`, under the service name `cryptodata`. */
export interface Keychain {
  /** The name of the keychain in messages. */
  readonly describe: string;
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Also succeeds if there is nothing to delete. */
  delete(account: string): Promise<void>;
  /**
   * Writes, reads and deletes an entry. Reading alone would not show that a keychain works: some keychains respond to reads
   * while they are locked, and some refuse only writes.
   *
   * @param account default: a random name, so that concurrent probes do not collide
   * @throws CryptodataError with the reason and the alternatives
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
  /** Asks for the passphrase of the `file` keychain; omitted without a terminal. */
  readonly askPassphrase?: AskPassphrase | undefined;
  /** Ctrl-C aborts this signal, which ends the wait for another process that is writing the `file` keychain. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks for the passphrase on the terminal. `creating` means that the file does not exist yet, so ask twice. `wrong` means that
 * the previous passphrase did not open the file.
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
