import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, messageOf, systemCode, usageError } from '../../core/errors.ts';
import { removeUnfinished, writePrivateFile } from '../../core/file.ts';
import { removeDeadWaiters, withLock } from '../../core/lock.ts';
import type { AskPassphrase, Keychain, KeychainOptions } from './keychain.ts';
import { roundTrip } from './os.ts';
import {
  createVaultKey,
  type Entries,
  openVault,
  readVault,
  type SealedVault,
  sealVault,
  unlockVault,
  type VaultKey,
} from './vault.ts';

/** Characters of a new passphrase. Files with a shorter one still open. */
const SHORTEST_PASSPHRASE = 12;
/** Answers to one question on a terminal. */
const TRIES = 3;

/** @throws usage error `SHORT_PASSPHRASE` */
export function checkNewPassphrase(passphrase: string): void {
  if ([...passphrase.normalize('NFKC')].length >= SHORTEST_PASSPHRASE) return;
  throw usageError(
    `A passphrase must have at least ${SHORTEST_PASSPHRASE} characters`,
    'Set a longer CRYPTODATA_PASSPHRASE: several words are easy to remember.',
    'SHORT_PASSPHRASE',
  );
}

/**
 * The keychain for machines without one, chosen by hand alone: `secrets.enc`, encrypted (AES-256-GCM) under a
 * key from a passphrase (scrypt). Written whole under a lock, so that two processes lose no entry of each other.
 */
export class FileKeychain implements Keychain {
  readonly describe: string;
  readonly #path: string;
  readonly #options: Omit<KeychainOptions, 'kind'>;
  #passphrase: Promise<string> | undefined;
  /** Derived keys by salt: once a process, for each file that it met (one, unless it was made anew). */
  readonly #keys = new Map<string, Promise<VaultKey>>();

  constructor(options: Omit<KeychainOptions, 'kind'>) {
    this.#options = options;
    this.#path = join(options.directory, 'secrets.enc');
    this.describe = `the file ${this.#path}, encrypted with a passphrase`;
  }

  async get(account: string): Promise<string | null> {
    const opened = await this.#open();
    return opened?.entries[account] ?? null;
  }

  async set(account: string, secret: string): Promise<void> {
    await this.#change(async (opened) => {
      const key = opened?.key ?? (await this.#create());
      return { key, entries: { ...opened?.entries, [account]: secret } };
    });
  }

  async delete(account: string): Promise<void> {
    await this.#change(async (opened) => {
      if (!opened || !Object.hasOwn(opened.entries, account)) return null;
      const { [account]: _, ...entries } = opened.entries;
      return { key: opened.key, entries };
    });
  }

  probe(account?: string): Promise<void> {
    return roundTrip(this, account);
  }

  async #change(
    change: (
      opened: { key: VaultKey; entries: Entries } | null,
    ) => Promise<{ key: VaultKey; entries: Entries } | null>,
  ): Promise<void> {
    const lock = `${this.#path}.lock`;
    await withLock(lock, { signal: this.#options.signal }, async () => {
      await removeUnfinished(this.#path);
      await removeDeadWaiters(lock);
      const after = await change(await this.#open());
      if (after === null) return;
      // A file without entries needs no passphrase, and would only ask for one.
      if (Object.keys(after.entries).length === 0) await rm(this.#path, { force: true });
      else await writePrivateFile(this.#path, sealVault(after.key, after.entries));
    });
  }

  async #open(): Promise<{ key: VaultKey; entries: Entries } | null> {
    const text = await this.#read();
    if (text === null) return null;
    const sealed = readVault(text, this.#path);
    const { salt } = sealed.header;
    let key = this.#keys.get(salt);
    if (!key) {
      key = this.#unlock(sealed);
      this.#remember(salt, key);
    }
    const unlocked = await key;
    return { key: unlocked, entries: openVault(sealed, unlocked.key, this.#path) };
  }

  /** A wrong answer on a terminal can be corrected; a wrong variable cannot. */
  async #unlock({ header }: SealedVault): Promise<VaultKey> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await unlockVault(await this.#ask(false, attempt > 1), header, this.#path);
      } catch (error) {
        this.#passphrase = undefined;
        const wrong = error instanceof CryptodataError && error.code === 'WRONG_PASSPHRASE';
        if (!wrong || this.#options.env['CRYPTODATA_PASSPHRASE'] || attempt >= TRIES) throw error;
      }
    }
  }

  async #create(): Promise<VaultKey> {
    const passphrase = await this.#ask(true);
    try {
      checkNewPassphrase(passphrase);
    } catch (error) {
      this.#passphrase = undefined;
      throw error;
    }
    const key = await createVaultKey(passphrase);
    this.#keys.set(key.header.salt, Promise.resolve(key));
    return key;
  }

  #remember(salt: string, key: Promise<VaultKey>): void {
    this.#keys.set(salt, key);
    key.catch(() => this.#keys.delete(salt));
  }

  async #read(): Promise<string | null> {
    try {
      // That of the file itself, where a link leads to it.
      const { mode } = await stat(this.#path);
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw usageError(
          `${this.#path} can be read by others than its owner`,
          `Take that away: chmod 600 ${this.#path}. If others may have read it, change the passphrase: log out and in again.`,
          'SECRETS_EXPOSED',
        );
      }
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      if (error instanceof CryptodataError) throw error;
      throw new CryptodataError(
        'usage',
        'SECRETS_UNREADABLE',
        `${this.#path} cannot be read: ${messageOf(error)}`,
        {
          hint: 'Give yourself permission to read it, or choose another directory: CRYPTODATA_CONFIG_DIR.',
          cause: error,
        },
      );
    }
  }

  #ask(creating: boolean, wrong = false): Promise<string> {
    this.#passphrase ??= this.#passphraseFrom({ creating, wrong });
    return this.#passphrase;
  }

  async #passphraseFrom(question: Parameters<AskPassphrase>[0]): Promise<string> {
    const { env, askPassphrase } = this.#options;
    const given = env['CRYPTODATA_PASSPHRASE'] || (await askPassphrase?.(question));
    if (given) return given;
    this.#passphrase = undefined;
    throw usageError(
      'The secrets file needs its passphrase',
      'Set CRYPTODATA_PASSPHRASE, or run on a terminal and type it.',
      'MISSING_PASSPHRASE',
    );
  }
}
