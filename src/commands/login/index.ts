import { type Flag, type Noun, verb } from '../../cli/define.ts';
import { integer, negated, toggle } from '../../cli/flags.ts';
import { usageError } from '../../core/errors.ts';
import { splitScopes } from '../../core/scopes.ts';

const scopesFlag: Flag<readonly string[] | undefined> = {
  written: '--scopes <scopes>',
  describe:
    'what to ask for, separated by spaces or commas: names, +NAME for the default set and NAME, or default, read, all',
  parse: (given, previous) => [...(previous ?? []), ...splitScopes(given)],
};

const login = verb({
  name: 'login',
  summary: 'Log in with the browser, or keep an API key',
  about: `Opens the service's consent page in the browser (OAuth 2.0 authorization code with PKCE) and waits for the answer on this machine. If no browser can reach this machine (SSH, containers), open the printed address anywhere. Then paste the address that the browser ended at, or pipe it to stdin.

On a terminal, asks for missing settings: addresses, client id, client secret. Typed settings are kept in the profile, even if a later step fails. The client secret and the refresh token are kept in the system's keychain, or in an encrypted file with CRYPTODATA_KEYCHAIN=file.

--scopes default is what a client has without more; read is every resource to read, all is every resource to read and write. Write scopes, and contacts, invoices and swaps, must be registered on the client first: the service may refuse a login that asks for them before.

--with-api-key keeps an enterprise API key instead, with its workspace (--workspace): read from stdin, or asked for on a terminal, tried at the service, and kept in the keychain. A profile holds a session or a key, not both.`,
  flags: {
    browser: negated('--no-browser', 'open no browser, only print the address'),
    timeout: integer('--timeout <seconds>', 'how long to wait for the consent (default: 300)', {
      min: 1,
      max: 3600,
    }),
    scopes: scopesFlag,
    withApiKey: toggle('--with-api-key', 'keep an API key, from stdin or asked for; no browser is needed'),
  },
  examples: [
    { says: 'Log in', line: 'cryptodata login' },
    { says: 'Over SSH', line: 'cryptodata login --no-browser' },
    { says: 'For another client firm', line: 'cryptodata login -p acme' },
    { says: 'With contacts beside the default scopes', line: 'cryptodata login --scopes +contacts:read' },
    {
      says: 'With an API key',
      line: 'cryptodata login --with-api-key --workspace ws_5f2c8e01b7 < key.txt',
    },
    { says: 'Try it against the sandbox, in two terminals', line: 'cryptodata sandbox' },
  ],
  prints:
    'The session: workspace, role, scopes granted and not granted, times left. With an API key { profile, source, workspaceId, sub }.\nOn stderr: the address to open; what was asked for and not granted, and why.',
  exits: [0, 2, 3, 4, 5, 7, 8, 9, 13, 130],
  anyProfile: true,
  async run(context, { browser, timeout, scopes, withApiKey }) {
    if (!withApiKey) {
      const { logInWithBrowser } = await import('./browser.ts');
      return logInWithBrowser(context, { browser, timeoutSeconds: timeout, scopes });
    }
    const odd = [!browser && '--no-browser', scopes && '--scopes', timeout !== undefined && '--timeout'];
    const [flag] = odd.filter((name) => typeof name === 'string');
    if (flag !== undefined) {
      throw usageError(
        `${flag} does not go with --with-api-key`,
        'It is for a login in the browser. What a key may do is chosen when it is made.',
        'FLAGS_CONFLICT',
      );
    }
    const { logInWithKey } = await import('./api-key.ts');
    return logInWithKey(context);
  },
});

export const noun: Noun = { name: 'login', summary: login.summary, verbs: [login] };
