import type { Dispatcher } from 'undici';
import type { AuthHost } from './auth/host.ts';
import type { Client } from './client/client.ts';
import type { Capture } from './client/transport.ts';
import type { SettingKey } from './config/definitions.ts';
import type { Settings } from './config/settings.ts';
import type { Redactor } from './core/redact.ts';
import type { View } from './formats/columns.ts';
import type { OutputFormat } from './formats/registry.ts';
import type { Style } from './formats/style.ts';

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** A progress line on stderr. */
export interface Progress {
  update(text: string): void;
  /** Removes the line until the next update, so that other text can be written. */
  clear(): void;
  stop(): void;
}

/** The services that commands use. Each service is loaded on first use, so that a command loads only what it needs. */
export interface Context {
  readonly streams: Streams;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Path of this build's bin/cryptodata.js, for child processes. */
  readonly entry: string;
  /** The directory for settings and sessions. */
  readonly directory: string;
  /** Whether prompts are possible: stdin and stderr are a terminal, and this is not CI. */
  readonly interactive: boolean;
  /** Colours and width of stderr. */
  readonly style: Style;
  /** Whether the command runs for several profiles, one after the other. */
  readonly several: boolean;
  /** Whether the first request is printed instead of being sent (`--curl`). */
  readonly curl: boolean;
  settings(): Promise<Settings>;
  view(): Promise<View>;
  format(): Promise<OutputFormat>;
  dispatcher(): Promise<Dispatcher>;
  /** The host for the profile in use, or for a named profile. All profiles share the keychain and the connections. */
  auth(profile?: string): Promise<AuthHost>;
  client(): Promise<Client>;
  /** Writes a warning to stderr, even with --quiet. With -o json, writes `{ "warning": … }`. */
  say(text: string): void;
  /** Writes a note to stderr, but not with --quiet. With -o json, writes `{ "note": … }`. */
  note(text: string): void;
  progress(): Progress;
  /** From now on, the foreground child process handles Ctrl-C, and this process only waits for the child process. */
  leaveSignalsToChild(): void;
  /** Asks for a secret on the terminal, without showing what is typed. */
  askSecret(message: string): Promise<string>;
  /**
   * Reads a secret from the environment variable that the user named, and redacts it from now on.
   *
   * @throws usage error `NO_SECRET` if the variable is not set or is empty
   */
  secretIn(variable: string): string;
  /**
   * From now on, masks this secret in everything that is written to stderr. Required for secrets that neither `askSecret`
   * nor `secretIn` returned.
   */
  conceal(secret: string): void;
  /** Opens the user's browser; resolves to false if no browser could be started. */
  openBrowser(url: string): Promise<boolean>;
  /** Masks every known secret in a string. */
  redact(text: string): string;
  /** The context of one call to a server, with its own signal and without a terminal. */
  forCall(call: Call): CallContext;
}

/** A call to a server that runs commands. */
export interface Call {
  /** Aborted if the caller cancels. */
  readonly signal: AbortSignal;
  /** Settings for this call, which override other settings in the same way as flags. */
  readonly settings: Globals['settings'];
  /** Receives what a command would write to stderr. */
  readonly tell: (kind: Told, text: string) => void;
}

type Told = 'note' | 'warning' | 'progress';

export interface CallContext extends Context {
  close(): Promise<void>;
}

/** Values of the global flags. */
export interface Globals {
  /** The value of the flag: one name, or several names separated by commas. */
  readonly profile?: string;
  readonly allProfiles?: boolean;
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
  /** Show every digit of amounts in tables. */
  readonly full?: true;
  /** Do not fit tables to the terminal. */
  readonly noTruncate?: true;
  /** Do not show long tables in a pager. */
  readonly noPager?: true;
  /** Print the first request as a curl command. */
  readonly curl?: true;
  /** The filter of `--jq`. */
  readonly jq?: string;
  readonly quiet: boolean;
  readonly debug: boolean;
}

/** The context, with methods that only `main` uses. */
export interface OwnContext extends Context {
  /** The context for one of several profiles. Warnings and notes from this context start with the name of the profile. */
  forProfile(name: string): Context;
  endProgress(): void;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly globals: Globals;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  /** Masks every known secret in everything that is written to `streams.stderr`. */
  readonly redactor: Redactor;
  readonly style: Style;
  readonly signal: AbortSignal;
  readonly leaveSignalsToChild: () => void;
  readonly entry: string;
  /** Whether `-p` may name a profile that does not exist. */
  readonly anyProfile?: boolean;
  /** See {@link Call.tell}. */
  readonly tell?: Call['tell'];
  /** Intercepts every request, so that nothing is sent to the service. */
  readonly capture?: Capture;
}
