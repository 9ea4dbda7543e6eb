import type { Redactor } from '../../core/redact.ts';
import type { Keychain } from './keychain.ts';

/** A keychain of which the redactor is told every secret that it gives, or is given. */
export class ConcealedKeychain implements Keychain {
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
