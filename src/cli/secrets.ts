import type { AskPassphrase, Keychain } from '../auth/keychain/keychain.ts';
import type { Settings } from '../config/settings.ts';
import { usageError } from '../core/errors.ts';
import type { Redactor } from '../core/redact.ts';

export interface SecretSources {
  readonly env: NodeJS.ProcessEnv;
  /** Directory of the configuration file and the session files. */
  readonly directory: string;
  /** Receives every secret that is read, and redacts it in all later output. */
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly isInteractive: () => boolean;
  readonly onWrongPassphrase: () => void;
}

export class Secrets {
  readonly #sources: SecretSources;
  readonly #keychains = new Map<string, Keychain>();

  constructor(sources: SecretSources) {
    this.#sources = sources;
  }

  /** Asks for a secret on the terminal, without showing it. */
  async ask(message: string): Promise<string> {
    const { secret } = await import('./prompts.ts');
    return this.#concealed(await secret(message, this.#sources.signal));
  }

  /**
   * Reads a secret from an environment variable.
   *
   * @throws usage error `NO_SECRET` if the variable is missing or empty
   */
  inVariable(variable: string): string {
    const secret = this.#sources.env[variable];
    if (secret) return this.#concealed(secret);
    const what = secret === undefined ? 'not set' : 'empty';
    throw usageError(
      `The environment variable ${variable} is ${what}`,
      'Put the secret in this variable. Never put it on the command line, which other users can read.',
      'NO_SECRET',
    );
  }

  /** Opens the keychain that the settings select. The user has to enter the passphrase of the keychain only once. */
  async keychain(settings: Settings): Promise<Keychain> {
    const { openKeychain } = await import('../auth/keychain/index.ts');
    const { env, directory, redactor, signal, isInteractive } = this.#sources;
    const kind = settings.require('keychain');
    const keychain =
      this.#keychains.get(kind) ??
      openKeychain({
        ...{ kind, directory, env, redactor, signal },
        ...(isInteractive() ? { askPassphrase: this.#askPassphrase } : {}),
      });
    this.#keychains.set(kind, keychain);
    return keychain;
  }

  readonly #askPassphrase: AskPassphrase = async ({ creating, wrong }) => {
    if (wrong) this.#sources.onWrongPassphrase();
    if (!creating) return this.ask('Passphrase of the secrets file');
    const { newSecret } = await import('./prompts.ts');
    const { checkNewPassphrase } = await import('../auth/keychain/file.ts');
    const question = 'Choose a passphrase for the secrets file (at least 12 characters)';
    return this.#concealed(await newSecret(question, this.#sources.signal, checkNewPassphrase));
  };

  #concealed(secret: string): string {
    this.#sources.redactor.conceal(secret);
    return secret;
  }
}
