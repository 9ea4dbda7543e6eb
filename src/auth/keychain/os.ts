import { randomBytes } from 'node:crypto';
import { keychainError } from './errors.ts';
import type { Keychain } from './keychain.ts';
import { type EntryStore, SplitStore } from './split.ts';

/** The operating system's keychain: Keychain on macOS, Credential Manager on Windows, Secret Service elsewhere. */
export class OsKeychain implements Keychain {
  readonly describe = {
    darwin: 'the macOS Keychain',
    win32: 'the Windows Credential Manager',
    other: 'the Secret Service (GNOME Keyring, KWallet)',
  }[process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'other'];
  readonly #values: SplitStore;

  constructor(entries: EntryStore) {
    this.#values = new SplitStore(entries);
  }

  get(account: string): Promise<string | null> {
    return this.#values.get(account);
  }

  set(account: string, secret: string): Promise<void> {
    return this.#values.set(account, secret);
  }

  delete(account: string): Promise<void> {
    return this.#values.delete(account);
  }

  probe(account?: string): Promise<void> {
    return roundTrip(this, account);
  }
}

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
    'The keychain took a secret, but does not give it back',
    'See: cryptodata doctor.',
  );
}
