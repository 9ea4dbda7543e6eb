import { SCOPE_WORDS, splitScopes } from '../../api/scopes.ts';
import { KEY, SESSION } from '../../app/session-record.ts';
import { type Flag, type NounVerbs, verb } from '../../cli/define.ts';
import { durationFlag, negated, toggle } from '../../cli/flags.ts';
import { oneOf } from '../../cli/output.ts';
import { usageError } from '../../core/errors.ts';

const scopesFlag: Flag<readonly string[] | undefined> = {
  written: '--scopes <scopes>',
  describe:
    'scopes to request, separated by spaces or commas: names, default, read or all; +NAME adds a scope to the default set',
  separated: true,
  suggests: () => SCOPE_WORDS,
  parse: (given, previous) => [...(previous ?? []), ...splitScopes(given)],
};

const login = verb({
  name: 'login',
  summary: 'Log in with the browser, or store an API key',
  about: `The command opens the service's consent page in the browser (OAuth 2.0 authorization code with PKCE) and waits for the redirect on this machine. If the browser cannot reach this machine (SSH, containers), open the printed address on another machine. Then paste the address that the browser shows after the consent, or pipe the address to stdin.

On a terminal, the command asks for missing settings: addresses, client id and client secret. Typed settings stay in the profile if a later step fails. The client secret and the refresh token are stored in the system's keychain, or in an encrypted file with CRYPTODATA_KEYCHAIN=file.

Values of --scopes: "default" is the set of scopes that every client has; "read" adds all read scopes; "all" adds all read and write scopes. Write scopes and the scopes for contacts, invoices and swaps must first be registered for the client; otherwise the service may reject the login.

--with-api-key stores an enterprise API key and its workspace (--workspace) instead of a session. The key is read from stdin or typed on a terminal, tested against the service, and stored in the keychain. A profile has either a session or a key.`,
  flags: {
    browser: negated('--no-browser', 'print the address, and do not open a browser'),
    timeout: durationFlag(
      '--timeout <duration>',
      'maximum time to wait for consent in the browser (default: 5m)',
      {
        min: 1,
        max: 3600,
      },
    ),
    scopes: scopesFlag,
    withApiKey: toggle(
      '--with-api-key',
      'store an API key instead of opening a browser; the key is read from stdin or a prompt',
    ),
  },
  examples: {
    'Log in': 'cryptodata login',
    'Log in over SSH': 'cryptodata login --no-browser',
    'Log in on a server without a keychain': 'CRYPTODATA_KEYCHAIN=file cryptodata login --no-browser',
    'Log in for another client firm': 'cryptodata login -p acme',
    'Request the scope contacts:read in addition to the default scopes':
      'cryptodata login --scopes +contacts:read',
    'Store an API key': 'cryptodata login --with-api-key --workspace ws_5f2c8e01b7 < key.txt',
    'Start a sandbox, then log in from another terminal': 'cryptodata sandbox',
  },
  prints:
    'The session: workspace, role, granted scopes, scopes that were not granted, and time until expiry. With an API key: { profile, source, workspaceId, sub }.\nOn stderr: the address to open, and each requested scope that was not granted, with the reason.',
  output: [oneOf(SESSION), oneOf(KEY, { when: 'with --with-api-key' })],
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
        `${flag} cannot be used with --with-api-key`,
        `Omit ${flag}: it applies only to a login in the browser.`,
        'FLAGS_CONFLICT',
      );
    }
    const { logInWithKey } = await import('./api-key.ts');
    return logInWithKey(context);
  },
});

export const noun: NounVerbs = { verbs: [login] };
