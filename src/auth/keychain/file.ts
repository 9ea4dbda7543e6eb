import type { Stats } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CryptodataError, messageOf, systemCode, UsageError, usageError } from '../../core/errors.ts';
import { readRegularFile, removeUnfinished, writePrivateFile } from '../../core/file.ts';
import { removeDeadWaiters, withLock } from '../../core/lock.ts';
import { type AskPassphrase, type Keychain, type KeychainOptions, roundTrip } from './keychain.ts';
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

/** Minimum number of characters in a new passphrase. The passphrase of an existing file may be shorter. */
const MIN_PASSPHRASE = 12;
/** Maximum number of passphrase attempts on a terminal. */
const ATTEMPTS = 3;

/** @throws usage error `SHORT_PASSPHRASE` */
export function checkNewPassphrase(passphrase: string): void {
  if ([...passphrase.normalize('NFKC')].length >= MIN_PASSPHRASE) return;
  throw usageError(
    `A passphrase must have at least ${MIN_PASSPHRASE} characters`,
    'Set CRYPTODATA_PASSPHRASE to a longer passphrase, such as several words.',
    'SHORT_PASSPHRASE',
  );
}

/**
 * Stores secrets in the file `secrets.enc`, for machines without a system keychain. The `file` keychain is used only on
 * request. The file is encrypted with AES-256-GCM. The key is derived from a passphrase with scrypt. A lock prevents a process
 * from overwriting the entries of another process.
 */
export class FileKeychain implements Keychain {
  readonly describe: string;
  readonly #path: string;
  readonly #options: Omit<KeychainOptions, 'kind'>;
  #passphrase: Promise<string> | undefined;
  /** Maps each salt to the derived key, so that a process derives the key of a file only once. */
  readonly #keys = new Map<string, Promise<VaultKey>>();
  /**
   * The key of the file that was deleted last. When the last entry is deleted, the file is also deleted, but its key is kept in
   * memory. The reason is that a login writes and deletes a test entry, and then needs the key again.
   */
  #emptied: VaultKey | undefined;

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
      const key = opened?.key ?? this.#emptied ?? (await this.#create());
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
      // Delete an empty file, because reading an empty file would still require the passphrase.
      if (Object.keys(after.entries).length === 0) {
        await rm(this.#path, { force: true });
        this.#emptied = after.key;
      } else await writePrivateFile(this.#path, sealVault(after.key, after.entries));
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

  /**
   * Asks again if the user typed a wrong passphrase. Does not ask again if CRYPTODATA_PASSPHRASE is wrong, because the user
   * cannot correct it at the prompt.
   */
  async #unlock({ header }: SealedVault): Promise<VaultKey> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await unlockVault(await this.#ask(false, attempt > 1), header, this.#path);
      } catch (error) {
        this.#passphrase = undefined;
        const wrong = error instanceof CryptodataError && error.code === 'WRONG_PASSPHRASE';
        if (!wrong || this.#options.env['CRYPTODATA_PASSPHRASE'] || attempt >= ATTEMPTS) throw error;
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
      // If the file is a symbolic link, the folder of the link and the folder of the file are checked.
      const target = await realpath(this.#path).catch(() => this.#path);
      for (const folder of new Set([dirname(this.#path), dirname(target)])) {
        refuseShared(folder, await stat(folder));
      }
      return (await readRegularFile(target, (status) => refuseExposed(this.#path, status))).toString();
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      if (error instanceof CryptodataError) throw error;
      throw new UsageError('SECRETS_UNREADABLE', `Cannot read ${this.#path}: ${messageOf(error)}`, {
        hint: 'Check the permissions of the file, or choose another directory with CRYPTODATA_CONFIG_DIR.',
        cause: error,
      });
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
      'The passphrase for the secrets file is missing',
      'Set CRYPTODATA_PASSPHRASE, or run the command on a terminal and type the passphrase.',
      'MISSING_PASSPHRASE',
    );
  }
}

/** Refuses a folder in which another user can replace the file. */
function refuseShared(folder: string, { mode, uid }: Stats): void {
  if (process.platform === 'win32') return;
  if (uid !== 0 && uid !== process.getuid?.()) throw ofAnotherUser(folder);
  if ((mode & 0o022) === 0) return;
  throw usageError(
    `Other users can write to the folder ${folder}`,
    `Run \`chmod 700 ${folder}\`, or choose another directory with CRYPTODATA_CONFIG_DIR.`,
    'SECRETS_EXPOSED',
  );
}

/** Refuses a file that other users can read, or that belongs to another user. */
function refuseExposed(path: string, { mode, uid }: Stats): void {
  if (process.platform === 'win32') return;
  if (uid !== process.getuid?.()) throw ofAnotherUser(path);
  if ((mode & 0o077) === 0) return;
  throw usageError(
    `Other users can read ${path}`,
    `Run \`chmod 600 ${path}\`. If other users may have read the file, log out and log in again with a new passphrase.`,
    'SECRETS_EXPOSED',
  );
}

function ofAnotherUser(path: string): CryptodataError {
  return usageError(
    `${path} belongs to another user`,
    'Run the command as the owner, or choose another directory with CRYPTODATA_CONFIG_DIR.',
    'SECRETS_EXPOSED',
  );
}
