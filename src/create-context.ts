import type { Dispatcher } from 'undici';
import type { AuthHost } from './auth/host.ts';
import { createProgress, NO_PROGRESS } from './cli/progress.ts';
import { Secrets } from './cli/secrets.ts';
import { readConfig } from './config/file.ts';
import { configDirectory, configFile } from './config/paths.ts';
import { Settings } from './config/settings.ts';
import type { Context, ContextOptions, OwnContext } from './context.ts';
import { isCi } from './core/environment.ts';
import { jsonText } from './core/json.ts';
import { once } from './core/once.ts';
import { wrap } from './core/wrap.ts';
import { viewOf } from './formats/columns.ts';
import { isJson, outputFormat } from './formats/registry.ts';

/**
 * Node 20 optimizes undici's WebAssembly parser at the first response. This optimization takes a third of the CPU time of a
 * short command. The flag delays the optimization; newer Node versions delay it by default. During a long export, Node
 * optimizes the parser in spite of the flag.
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
  /** Whether the output format is JSON. `format` sets this variable before a command runs. */
  let json = false;
  const later: string[] = [];
  const releaseNotes = () => {
    for (const text of later.splice(0)) write(text, 'note');
  };
  const write = (text: string, kind: 'note' | 'warning') => {
    releaseNotes();
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
  const lastSteps: (() => Promise<unknown>)[] = [];
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
    if (chosen.profiles.length === 1 && (options.anyProfile || !chosen.hasProfile)) {
      const isDefault = !globals.profile && !env['CRYPTODATA_PROFILE'];
      const { checkKnown } = await import('./auth/profiles.ts');
      const credentials = env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY'];
      const ambient = Boolean(globals.profile && credentials);
      await checkKnown(directory, file, chosen.profile, { isDefault, ambient, isNew: options.anyProfile });
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

  // All profiles share one keychain instance, so that the user enters the passphrase only once.
  const secrets = new Secrets({
    ...{ env, directory, redactor, signal, isInteractive },
    onWrongPassphrase: () => say('Wrong passphrase. Try again.'),
  });

  /** Creates the context of a named profile, or of the current profile if `name` is omitted. */
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
        keychain: await secrets.keychain(chosen),
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
        // If a command runs for several profiles, the first profile determines the format for all of them.
        const format = outputFormat((await settings()).require('output'));
        json = isJson(format);
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
      noteLater: globals.quiet ? () => {} : (text) => later.push(named(text)),
      progress: () =>
        // With -o json, every line on stderr is a JSON object, so no progress is shown.
        json && !tell
          ? NO_PROGRESS
          : name === undefined
            ? progress
            : { ...progress, update: (text) => progress.update(`${name}: ${text}`) },
      atEnd: (step) => lastSteps.unshift(step),
      askSecret: (message) => secrets.ask(message),
      secretIn: (variable) => secrets.inVariable(variable),
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
    releaseNotes,
    close: async () => {
      progress.stop();
      await Promise.allSettled(held.keys());
      for (const step of lastSteps.splice(0)) await step();
      await pool?.destroy();
    },
  });
}
