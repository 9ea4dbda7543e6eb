import type { Dispatcher } from 'undici';
import type { Settings } from '../config/settings.ts';
import type { Redactor } from '../core/redact.ts';
import type { Keychain } from './keychain/keychain.ts';

/** Everything that authentication needs from the process. Tests pass their own objects. */
export interface AuthHost {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** The directory in which the tool stores its files. See `config/paths.ts`. */
  readonly directory: string;
  readonly keychain: Keychain;
  /** Sends every request. */
  readonly dispatcher: Dispatcher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Keeps the process alive until `work` is done, even after Ctrl-C. Otherwise, the process could end after the old refresh
   * token is used up, but before the new refresh token is stored. If `storing` is set, Ctrl-C prints a message that the session
   * is still being stored.
   */
  readonly hold?: ((work: Promise<unknown>, storing?: 'session') => void) | undefined;
  /** Shows one line to the user. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Receives every secret that must be redacted. */
  readonly redactor?: Redactor | undefined;
  /** Logs one line for each request. */
  readonly debug?: ((line: string) => void) | undefined;
}
