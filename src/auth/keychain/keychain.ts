import type { Redactor } from '../../core/redact.ts';

/** Where secrets are kept: by account, `PROFILE:kind`, under the service name `cryptodata`. */
export interface Keychain {
  /** The name of the keychain in messages. */
  readonly describe: string;
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** No error where there is nothing to delete. */
  delete(account: string): Promise<void>;
  /**
   * Writes, reads back and deletes an entry of its own. Nothing less shows that a keychain works: a locked one
   * answers a version query well, and some answer reads and refuse writes.
   *
   * @param account that of the entry; default: one that no other probe has, so that two do not meet
   * @throws CryptodataError that says what is wrong, and the ways on
   */
  probe(account?: string): Promise<void>;
}

export interface KeychainOptions {
  /** The setting `keychain`: `os` or `file`. */
  readonly kind: string;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told of every secret that passes. */
  readonly redactor?: Redactor | undefined;
  /** Asks on the terminal for the passphrase of the `file` keychain; left out where there is no terminal. */
  readonly askPassphrase?: AskPassphrase | undefined;
  /** Aborted by Ctrl-C: ends the wait for another process that writes the `file` keychain. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks for the passphrase on the terminal: twice with `creating`, where the file is yet to be made; with `wrong`
 * after an answer that does not open the file.
 */
export type AskPassphrase = (question: {
  readonly creating: boolean;
  readonly wrong: boolean;
}) => Promise<string>;
