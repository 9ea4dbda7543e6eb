import { environmentWithoutSecrets } from '../../core/environment.ts';
import { usageError } from '../../core/errors.ts';
import type { Redactor } from '../../core/redact.ts';
import { KeychainProcess } from './child.ts';
import { FileKeychain } from './file.ts';
import type { Keychain, KeychainOptions } from './keychain.ts';
import { OsKeychain } from './os.ts';

/** Opens a keychain. Only the first call loads the library or asks for the passphrase. */
export function openKeychain(options: KeychainOptions): Keychain {
  const { redactor } = options;
  return redactor ? new ConcealedKeychain(backend(options), redactor) : backend(options);
}

function backend(options: KeychainOptions): Keychain {
  if (options.kind === 'file') return new FileKeychain(options);
  if (options.kind === 'os') {
    return new OsKeychain(
      new KeychainProcess({ env: environmentWithoutSecrets(options.env, options.redactor) }),
    );
  }
  throw usageError(`Unknown keychain ${JSON.stringify(options.kind)}`, 'Use os or file.', 'BAD_SETTING');
}

/** Registers every secret with the redactor when the secret is read or stored. */
class ConcealedKeychain implements Keychain {
  readonly #keychain: Keychain;
  readonly #redactor: Redactor;

  constructor(keychain: Keychain, redactor: Redactor) {
    this.#keychain = keychain;
    this.#redactor = redactor;
  }

  get describe(): string {
    return this.#keychain.describe;
  }

  async get(account: string): Promise<string | null> {
    const secret = await this.#keychain.get(account);
    this.#redactor.conceal(secret);
    return secret;
  }

  set(account: string, secret: string): Promise<void> {
    this.#redactor.conceal(secret);
    return this.#keychain.set(account, secret);
  }

  delete(account: string): Promise<void> {
    return this.#keychain.delete(account);
  }

  probe(account?: string): Promise<void> {
    return this.#keychain.probe(account);
  }
}
