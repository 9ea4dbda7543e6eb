import type { Dispatcher } from 'undici';
import type { Settings } from '../config/settings.ts';
import type { Redactor } from '../core/redact.ts';
import type { Keychain } from './keychain/keychain.ts';

/** What the protocol steps need of the process that they run in: handed in, so that tests can hand in theirs. */
export interface AuthHost {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** The directory that holds everything the tool keeps; see `config/paths.ts`. */
  readonly directory: string;
  readonly keychain: Keychain;
  /** Sends every request: the proxy, the kept connections, a test's MockAgent. */
  readonly dispatcher: Dispatcher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Told of work that the process must not end in the middle of, not even for Ctrl-C: a refresh token that is
   * spent and whose successor is not stored yet. `storing` is what the user is told of who would end it.
   */
  readonly hold?: ((work: Promise<unknown>, storing?: 'session') => void) | undefined;
  /** One line that the user must see, though the work goes on. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Told of every secret that the steps make or get: what it knows is in no line that anybody reads. */
  readonly redactor?: Redactor | undefined;
  /** One line of what is sent and answered. */
  readonly debug?: ((line: string) => void) | undefined;
}
