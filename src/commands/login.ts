import { createInterface, type Interface } from 'node:readline';
import type { AuthHost } from '../auth/host.ts';
import { login as runLogin } from '../auth/login.ts';
import { readClientSecret } from '../auth/secrets.ts';
import { usageError } from '../base/errors.ts';
import { findSetting, type SettingKey } from '../config/definitions.ts';
import { changeConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import type { Settings } from '../config/settings.ts';
import type { Context } from '../context.ts';
import type { Flag } from './define.ts';
import { type Noun, verb } from './define.ts';
import { integerOr, negated } from './flags.ts';
import { describe, INFO_COLUMNS } from './session-record.ts';

const scopesFlag: Flag<readonly string[] | undefined> = {
  written: '--scopes <scopes>',
  describe: 'scopes to ask for, separated by spaces or commas; openid is always needed',
  parse: (given) => given.split(/[\s,]+/).filter(Boolean),
};

const login = verb({
  name: 'login',
  summary: 'Log in with the browser',
  about: `Opens the service's consent page in the browser (OAuth 2.0 authorization code with PKCE) and waits for its answer on this machine. Where no browser can reach this machine (SSH, containers), open the printed address anywhere and paste the address that the browser ended at.

Asks on a terminal for what is missing: addresses, client id, client secret. What is typed, or given by flag, is kept in the profile; the client secret and the refresh token are kept in the keychain of the system, or in an encrypted file with CRYPTODATA_KEYCHAIN=file.`,
  flags: {
    browser: negated('--no-browser', 'open no browser, only print the address'),
    timeout: integerOr('--timeout <seconds>', 'how long to wait for the consent', { min: 1, max: 3600 }, 300),
    scopes: scopesFlag,
  },
  examples: [
    { says: 'Log in', line: 'cryptodata login' },
    { says: 'Over SSH', line: 'cryptodata login --no-browser' },
    { says: 'For another client firm', line: 'cryptodata login -p acme' },
    { says: 'Try it against the sandbox, in two terminals', line: 'cryptodata sandbox' },
  ],
  prints:
    'The session: workspace, role, scopes granted and not granted, times left.\nOn stderr: the address to open.',
  exits: [0, 2, 3, 8, 9, 13, 130],
  async run(context, { browser, timeout, scopes }) {
    const typed = await complete(context);
    const host: AuthHost = { ...(await context.auth()), settings: typed.settings };
    const pasted = context.interactive ? lines(context) : undefined;
    try {
      const outcome = await runLogin(host, {
        onUrl: (url) => {
          context.say(`Open this address to log in:\n\n  ${url}\n`);
          if (pasted)
            context.say('Waiting for the browser. Or paste the address that it ended at, and press Enter.');
        },
        ...(browser ? { openBrowser: (url) => open(context, url) } : {}),
        ...(pasted ? { pasted: pasted.lines, onBadPaste: context.say } : {}),
        timeoutSeconds: timeout,
        ...(scopes ? { scopes } : {}),
        ...(typed.clientSecret === undefined ? {} : { clientSecret: typed.clientSecret }),
      });
      await keep(context, typed);
      const record = {
        ...describe(typed.settings.profile, outcome.info),
        scopesNotGranted: [...outcome.notGranted],
      };
      return {
        kind: 'record',
        record,
        columns: INFO_COLUMNS(context.now()),
        notes: () => [
          { text: `Secrets are kept in ${host.keychain.describe}.` },
          ...granted(outcome.notGranted),
        ],
      };
    } finally {
      pasted?.close();
    }
  },
});

function granted(notGranted: readonly string[]) {
  if (notGranted.length === 0) return [];
  return [
    {
      text: `Not granted: ${notGranted.join(' ')}. The consent was narrower than the request, or your role does not allow it.`,
      warning: true,
    },
  ];
}

interface Typed {
  readonly settings: Settings;
  /** Settings to keep in the profile: typed now, or given by flag. */
  readonly values: Readonly<Partial<Record<SettingKey, string>>>;
  readonly clientSecret: string | undefined;
}

const NEEDED: readonly SettingKey[] = ['auth_url', 'base_url', 'client_id'];

/** Asks for what is missing; where nobody can be asked, names it. */
async function complete(context: Context): Promise<Typed> {
  const settings = await context.settings();
  const values: Partial<Record<SettingKey, string>> = {};
  for (const key of NEEDED) {
    const found = settings.resolve(key);
    if (found?.origin.from === 'flag') values[key] = found.value;
    if (found) continue;
    if (context.interactive) values[key] = await askSetting(context, key);
    // base_url is for later: a login can do without.
    else if (key !== 'base_url') settings.require(key);
  }
  const completed = settings.withValues(values);
  const host: AuthHost = { ...(await context.auth()), settings: completed };
  if ((await readClientSecret(host)) !== null)
    return { settings: completed, values, clientSecret: undefined };
  if (!context.interactive) {
    throw usageError(
      'The client secret is not set',
      'Set CRYPTODATA_CLIENT_SECRET, or log in on a terminal, which asks for it.',
      'MISSING_CLIENT_SECRET',
    );
  }
  const { secret } = await import('../prompts.ts');
  return { settings: completed, values, clientSecret: await secret('Client secret', context.signal) };
}

async function askSetting(context: Context, key: SettingKey): Promise<string> {
  const { ask } = await import('../prompts.ts');
  const { describe, check } = findSetting(key);
  const answer = await ask(describe, context.signal, (text) => check?.(text, key));
  return check ? check(answer, key) : answer;
}

async function keep(context: Context, { settings, values }: Typed): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await changeConfig(configFile(context.directory), (config) => ({
    ...config,
    profiles: { ...config.profiles, [settings.profile]: { ...config.profiles[settings.profile], ...values } },
  }));
}

async function open(context: Context, url: string): Promise<void> {
  if (!(await context.openBrowser(url)))
    context.say('No browser could be opened here: open the address yourself.');
}

/** Lines that the user types, read from when they are first wanted: before, prompts read the same terminal. */
function lines(context: Context): { lines: AsyncIterable<string>; close: () => void } {
  let reader: Interface | undefined;
  async function* typed(): AsyncGenerator<string> {
    reader = createInterface({ input: context.streams.stdin });
    yield* reader;
  }
  return { lines: typed(), close: () => reader?.close() };
}

export const noun: Noun = { name: 'login', summary: login.summary, verbs: [login] };
