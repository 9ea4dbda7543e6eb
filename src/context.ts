import type { Dispatcher } from 'undici';
import type { AuthHost } from './auth/host.ts';
import type { AskPassphrase, Keychain } from './auth/keychain/keychain.ts';
import { createProgress, type Progress, SILENT } from './cli/progress.ts';
import type { Client } from './client/client.ts';
import type { Capture } from './client/transport.ts';
import type { SettingKey } from './config/definitions.ts';
import { readConfig } from './config/file.ts';
import { configDirectory, configFile } from './config/paths.ts';
import { Settings } from './config/settings.ts';
import { isCi } from './core/environment.ts';
import { usageError } from './core/errors.ts';
import { once } from './core/once.ts';
import type { Redactor } from './core/redact.ts';
import { wrap } from './core/wrap.ts';
import { type View, viewOf } from './formats/columns.ts';
import { jsonText } from './formats/json.ts';
import { isJson, type OutputFormat, outputFormat } from './formats/registry.ts';
import type { Style } from './formats/style.ts';

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The services of a command. Each service is loaded on first use, so that a command loads only the services that it needs. */
export interface Context {
  readonly streams: Streams;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Path of bin/cryptodata.js: this build, for child processes. */
  readonly entry: string;
  /** The directory of configuration and sessions. */
  readonly directory: string;
  /** Whether prompts are possible: stdin and stderr are a terminal, and this is not CI. */
  readonly interactive: boolean;
  /** How stderr may be decorated. */
  readonly style: Style;
  /** Whether the command runs over several profiles, one after the other. */
  readonly several: boolean;
  /** Whether the first request is printed in place of being sent (`--curl`). */
  readonly curl: boolean;
  settings(): Promise<Settings>;
  view(): Promise<View>;
  format(): Promise<OutputFormat>;
  dispatcher(): Promise<Dispatcher>;
  /** For the profile in use, or for a named profile. All profiles share the keychain and the connections. */
  auth(profile?: string): Promise<AuthHost>;
  client(): Promise<Client>;
  /** Writes a warning to stderr, even with --quiet: `{ "warning": … }` with -o json. */
  say(text: string): void;
  /** Writes a note to stderr, but not with --quiet: `{ "note": … }` with -o json. */
  note(text: string): void;
  progress(): Progress;
  /** Lets a child process in the foreground handle Ctrl-C from now on, while this process waits for it. */
  leaveSignalsToChild(): void;
  /** Asks for a secret on the terminal. It is never shown. */
  askSecret(message: string): Promise<string>;
  /**
   * Reads a secret from the environment variable that the user named, and redacts it from now on.
   *
   * @throws usage error `NO_SECRET` if the variable is not set or empty
   */
  secretIn(variable: string): string;
  /** Masks a secret that was read elsewhere in everything that is written to stderr from now on. */
  conceal(secret: string): void;
  /** Opens the user's browser; resolves to false if none could be started. */
  openBrowser(url: string): Promise<boolean>;
  /** Masks every known secret in a text. */
  redact(text: string): string;
  /** The context of one call to a server: it has its own signal, and no terminal. */
  forCall(call: Call): CallContext;
}

/** A call to a server that runs commands. */
export interface Call {
  /** Aborted if the caller cancels. */
  readonly signal: AbortSignal;
  /** Settings of this call, with the precedence of flags. */
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
  /** The text of the flag: one name, or several separated by commas. */
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

/** The context, and the parts of it that only `main` uses. */
export interface OwnContext extends Context {
  /** The context of one of several profiles; its name precedes warnings and notes. */
  forProfile(name: string): Context;
  endProgress(): void;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly globals: Globals;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  /** All writes to `streams.stderr` pass through this redactor, which knows every secret. */
  readonly redactor: Redactor;
  readonly style: Style;
  readonly signal: AbortSignal;
  readonly leaveSignalsToChild: () => void;
  readonly entry: string;
  /** Whether `-p` may name a profile that does not exist. */
  readonly anyProfile?: boolean;
  /** See {@link Call.tell}. */
  readonly tell?: Call['tell'];
  /** Receives every request in place of the service. */
  readonly capture?: Capture;
}

/**
 * Gives Node 20 the setting that newer versions have by default: it would optimize undici's parser at the first response, for
 * a third of the CPU of a short command. Exports read enough to be worth it.
 */
async function optimizeLater(): Promise<void> {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--wasm-tiering-budget=13000000');
}

export function createContext(options: ContextOptions): OwnContext {
  const { globals, env, streams, redactor, style, signal, leaveSignalsToChild, entry, tell, capture } =
    options;
  const directory = configDirectory(env);
  const progress = tell
    ? { update: (text: string) => tell('progress', text), clear: () => {}, stop: () => {} }
    : createProgress(streams.stderr, style.terminal && !globals.quiet && !globals.debug && !isCi(env));
  /** Set by `format`, which is called before a command runs. */
  let json = false;
  const write = (text: string, kind: 'note' | 'warning') => {
    if (tell) return tell(kind, text.replace(/^warning: /, ''));
    progress.clear();
    const shown = style.width === undefined ? text : wrap(text, style.width);
    streams.stderr.write(`${json ? jsonText({ [kind]: text.replace(/^warning: /, '') }) : shown}\n`);
  };
  const say = (text: string) => write(text, 'warning');
  const unknownZone = once(() =>
    say(
      `warning: TZ is ${JSON.stringify(env['TZ'] ?? '')}, which is not a known time zone: times are in UTC. Fix TZ, or use --tz.`,
    ),
  );
  let pool: Dispatcher | undefined;
  const held = new Map<Promise<unknown>, 'session' | undefined>();
  const hold = (work: Promise<unknown>, storing?: 'session') => {
    held.set(work, storing);
    const done = () => held.delete(work);
    work.then(done, done);
  };
  signal.addEventListener('abort', () => {
    if ([...held.values()].includes('session'))
      say('Storing the session; press Ctrl-C again to exit immediately.');
  });

  const settings = once(async () => {
    const file = await readConfig(configFile(directory));
    const chosen = new Settings({ flags: globals.settings, profileFlag: globals.profile, env, file });
    if (!options.anyProfile && chosen.profiles.length === 1 && !chosen.hasProfile) {
      const isDefault = !globals.profile && !env['CRYPTODATA_PROFILE'];
      const { checkKnown } = await import('./auth/profiles.ts');
      const credentials = env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY'];
      const ambient = Boolean(globals.profile && credentials);
      await checkKnown(directory, file, chosen.profile, { isDefault, ambient });
    }
    return chosen;
  });
  const dispatcher = once(async () => {
    await optimizeLater();
    const { captureRequests, concealRequests, createDispatcher } = await import('./core/dispatcher.ts');
    if (capture) return captureRequests(capture);
    pool = createDispatcher({ env });
    return concealRequests(pool, redactor);
  });
  const isInteractive = () =>
    !tell && streams.stderr.isTTY === true && !isCi(env) && streams.stdin.isTTY === true;

  const askSecret = async (message: string): Promise<string> => {
    const { secret } = await import('./cli/prompts.ts');
    const typed = await secret(message, signal);
    redactor.conceal(typed);
    return typed;
  };
  const secretIn = (variable: string): string => {
    const secret = env[variable];
    if (secret) {
      redactor.conceal(secret);
      return secret;
    }
    const what = secret === undefined ? 'not set' : 'empty';
    throw usageError(
      `The environment variable ${variable} is ${what}`,
      'Put the secret into that variable. Other users can read the command line.',
      'NO_SECRET',
    );
  };
  const askPassphrase: AskPassphrase = async ({ creating, wrong }) => {
    if (wrong) say('Wrong passphrase. Try again.');
    if (!creating) return askSecret('Passphrase of the secrets file');
    const { newSecret } = await import('./cli/prompts.ts');
    const { checkNewPassphrase } = await import('./auth/keychain/file.ts');
    const question = 'Choose a passphrase for the secrets file (at least 12 characters)';
    const typed = await newSecret(question, signal, checkNewPassphrase);
    redactor.conceal(typed);
    return typed;
  };

  // Shared by all profiles, so that it asks for its passphrase only once.
  const keychains = new Map<string, Keychain>();
  const keychainOf = async (chosen: Settings): Promise<Keychain> => {
    const { openKeychain } = await import('./auth/keychain/index.ts');
    const kind = chosen.require('keychain');
    const keychain =
      keychains.get(kind) ??
      openKeychain({
        kind,
        directory,
        env,
        redactor,
        ...(isInteractive() ? { askPassphrase } : {}),
        signal,
      });
    keychains.set(kind, keychain);
    return keychain;
  };

  /** The context of a profile; without a name, of the profile in use. */
  const contextOf = (name?: string): Context => {
    const named = (text: string) => (name === undefined ? text : `${name}: ${text}`);
    const warn = (text: string) => say(named(text));
    const debug = globals.debug ? (line: string) => warn(`[debug] ${line}`) : undefined;
    const own = once(async () => (name === undefined ? settings() : (await settings()).of(name)));
    const auth = async (profile?: string): Promise<AuthHost> => {
      const chosen = profile === undefined ? await own() : (await own()).of(profile);
      return {
        settings: chosen,
        env,
        directory,
        keychain: await keychainOf(chosen),
        dispatcher: await dispatcher(),
        now: Date.now,
        signal,
        hold,
        warn,
        redactor,
        ...(debug ? { debug } : {}),
      };
    };
    return {
      streams,
      env,
      now: Date.now,
      signal,
      entry,
      directory,
      get interactive() {
        return isInteractive();
      },
      style,
      several: name !== undefined,
      curl: capture !== undefined,
      settings: own,
      view: async () => viewOf((await own()).get('tz'), unknownZone),
      format: async () => {
        const format = outputFormat((await own()).require('output'));
        // The result of several profiles has the format of the first.
        if (name === undefined) json = isJson(format);
        return format;
      },
      dispatcher,
      auth,
      client: once(async () => {
        const { clientFor } = await import('./service.ts');
        return clientFor({
          settings: await own(),
          env,
          directory,
          auth,
          dispatcher: await dispatcher(),
          signal,
          warn,
          debug,
          capture,
        });
      }),
      say: warn,
      note: globals.quiet ? () => {} : (text) => write(named(text), 'note'),
      progress: () =>
        // With -o json, stderr has one JSON object per line.
        json && !tell
          ? SILENT
          : name === undefined
            ? progress
            : { ...progress, update: (text) => progress.update(`${name}: ${text}`) },
      askSecret,
      secretIn,
      conceal: (secret) => redactor.conceal(secret),
      openBrowser: async (url) => {
        const { openBrowser } = await import('./cli/browser.ts');
        return openBrowser(url, redactor);
      },
      leaveSignalsToChild,
      redact: (text) => redactor.redact(text),
      forCall: ({ settings, ...call }) =>
        createContext({
          ...options,
          ...call,
          globals: { ...globals, settings: { ...globals.settings, ...settings } },
        }),
    };
  };

  return Object.assign(contextOf(), {
    forProfile: contextOf,
    endProgress: progress.stop,
    close: async () => {
      progress.stop();
      await Promise.allSettled(held.keys());
      await pool?.destroy();
    },
  });
}
