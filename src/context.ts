import type { Dispatcher } from 'undici';
import type { AuthHost } from './auth/host.ts';
import type { ServiceClient } from './client/client.ts';
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

/** Gives commands access to the program. Modules are loaded on first use, so that a command loads only what it needs. */
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
  /** Whether prompts are possible: stdin and stderr are terminals, and this is neither CI nor a call to a server. */
  readonly interactive: boolean;
  /** Colours and width of stderr. */
  readonly style: Style;
  /** Whether the command runs for several profiles. */
  readonly several: boolean;
  /** Whether to print the first request instead of sending it (`--curl`). */
  readonly curl: boolean;
  settings(): Promise<Settings>;
  view(): Promise<View>;
  format(): Promise<OutputFormat>;
  dispatcher(): Promise<Dispatcher>;
  /** Returns the {@link AuthHost} of the current profile, or of a named profile. All profiles share the keychain. */
  auth(profile?: string): Promise<AuthHost>;
  client(): Promise<ServiceClient>;
  /** Writes a warning to stderr, even with --quiet. With -o json, writes `{ "warning": … }`. */
  say(text: string): void;
  /** Writes a note to stderr, but not with --quiet. With -o json, writes `{ "note": … }`. */
  note(text: string): void;
  /** Writes a note before the next text on stderr, or before the result. A usage error is written without the note. */
  noteLater(text: string): void;
  progress(): Progress;
  /** Adds a step that runs after the command, whether it succeeds or fails. The step that was added last runs first. */
  atEnd(step: () => Promise<unknown>): void;
  /** Leaves Ctrl-C to the child process. From now on, this process only waits for the child process to end. */
  leaveSignalsToChild(): void;
  /** Asks for a secret on the terminal. The terminal does not show the input. */
  askSecret(message: string): Promise<string>;
  /**
   * Reads a secret from an environment variable that the user named. From now on, the secret is masked.
   *
   * @throws usage error `NO_SECRET` if the variable is not set or is empty
   */
  secretIn(variable: string): string;
  /**
   * From now on, masks this secret in everything that is written to stderr. Secrets from `askSecret` and `secretIn` are masked
   * automatically.
   */
  conceal(secret: string): void;
  /** Opens the browser of the user. Returns false if no browser could be started. */
  openBrowser(url: string): Promise<boolean>;
  /** Masks every known secret in a string. */
  redact(text: string): string;
  /** Creates the context for one call to a server. This context has the signal of the call, and no terminal. */
  forCall(call: ToolCall): CallContext;
}

/** A call from a client to the MCP server. Each call runs one command. */
export interface ToolCall {
  /** Aborted if the caller cancels. */
  readonly signal: AbortSignal;
  /** Settings for this call, which override all other settings as flags do. */
  readonly settings: Globals['settings'];
  /** Receives each text that the command would otherwise write to stderr. */
  readonly tell: (kind: Told, text: string) => void;
}

type Told = 'note' | 'warning' | 'progress';

export interface CallContext extends Context {
  /** Writes the notes of `noteLater` now. */
  releaseNotes(): void;
  close(): Promise<void>;
}

/** Values of the global flags. */
export interface Globals {
  /** The value of `--profile`: one name, or several names separated by commas. */
  readonly profile?: string;
  readonly allProfiles?: boolean;
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
  /** Whether tables show every digit of amounts (`--full`). */
  readonly full?: true;
  /** Whether tables may be wider than the terminal (`--no-truncate`). */
  readonly noTruncate?: true;
  /** Whether to print long tables without a pager (`--no-pager`). */
  readonly noPager?: true;
  /** Whether to print the first request as a curl command (`--curl`). */
  readonly curl?: true;
  /** The filter from `--jq`. */
  readonly jq?: string;
  readonly quiet: boolean;
  readonly debug: boolean;
}

/** The context for the program itself, with methods that commands do not use. */
export interface OwnContext extends CallContext {
  /**
   * Creates a context for one of several profiles. The warnings and notes of this context start with the name of the profile.
   */
  forProfile(name: string): Context;
  endProgress(): void;
}

export interface ContextOptions {
  readonly globals: Globals;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  /** Masks known secrets in all text that is written to `streams.stderr`. */
  readonly redactor: Redactor;
  readonly style: Style;
  readonly signal: AbortSignal;
  readonly leaveSignalsToChild: () => void;
  readonly entry: string;
  /** Whether `-p` also accepts a profile that does not exist. */
  readonly anyProfile?: boolean | undefined;
  /** See {@link ToolCall.tell}. */
  readonly tell?: ToolCall['tell'];
  /** If set, receives every request, and nothing is sent to the service. */
  readonly capture?: Capture;
}
