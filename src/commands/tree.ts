import type { LazyNoun, NounVerbs } from '../cli/define.ts';

/** @param load loads a file that exports the commands as `noun` */
function lazy(name: string, summary: string, load: () => Promise<{ readonly noun: NounVerbs }>): LazyNoun {
  return { name, summary, load: async () => ({ ...(await load()).noun, name, summary }) };
}

/** All commands. The help, the completions and the command reference are generated from this list, and keep its order. */
export const TREE: readonly LazyNoun[] = [
  lazy('login', 'Log in with the browser, or store an API key', () => import('./login/index.ts')),
  lazy('logout', 'Revoke the session and delete it', () => import('./logout.ts')),
  lazy('whoami', 'Show the current user, workspace, role and scopes', () => import('./whoami.ts')),
  lazy('token', 'Print an access token for other programs', () => import('./token.ts')),
  lazy(
    'ledgers',
    'List, show, export and verify ledgers (legs of transactions)',
    () => import('./ledgers/index.ts'),
  ),
  lazy(
    'audit',
    'Check the books: negative balances, broken chains, lost transfers, duplicates, missing values',
    () => import('./audit/index.ts'),
  ),
  lazy(
    'close',
    'Write a filing pack for a period, or list changes made later',
    () => import('./close/index.ts'),
  ),
  lazy(
    'mirror',
    'Keep a verified local copy of the books, in Delta tables',
    () => import('./mirror/index.ts'),
  ),
  lazy(
    'balances',
    'List the balance of each wallet and asset, now or at the end of a day',
    () => import('./balances/index.ts'),
  ),
  lazy(
    'holdings',
    'List tokens (list), NFTs (nfts), DeFi positions (defi) and calculated balances (balances)',
    () => import('./holdings/index.ts'),
  ),
  lazy('txns', 'List and export transactions, and send batches of changes', () => import('./txns/index.ts')),
  lazy('labels', 'List the labels of transactions', () => import('./labels/index.ts')),
  lazy('assets', 'Find assets by symbol, name, id or contract address', () => import('./assets/index.ts')),
  lazy('spam', 'List the assets that are marked as spam', () => import('./spam/index.ts')),
  lazy('contacts', 'List contacts (requires a registered scope)', () => import('./contacts/index.ts')),
  lazy(
    'counter-parties',
    'List counter-parties (requires a registered scope)',
    () => import('./counter-parties/index.ts'),
  ),
  lazy('providers', 'List the public provider catalogue', () => import('./providers/index.ts')),
  lazy(
    'legacy',
    'Read and post to the legacy API, and list its differences from the current API',
    () => import('./legacy/index.ts'),
  ),
  lazy('api', 'Send any request with the current credentials', () => import('./api/index.ts')),
  lazy(
    'integrations',
    'List, test and delete connected accounts, or wait for them',
    () => import('./integrations/index.ts'),
  ),
  lazy('sync', 'Show, watch and start syncs of connected accounts', () => import('./sync/index.ts')),
  lazy('csv', 'Check and upload import files', () => import('./csv/index.ts')),
  lazy(
    'events',
    'Receive, check, store, forward, replay and trigger webhook deliveries',
    () => import('./events/index.ts'),
  ),
  lazy('sandbox', 'Run the service on this machine, without an account', () => import('./sandbox/index.ts')),
  lazy('config', 'Show and change the settings of a profile', () => import('./config/index.ts')),
  lazy('profiles', 'List and manage the profiles in config.toml', () => import('./profiles/index.ts')),
  lazy(
    'completion',
    'Install or print completions for bash, zsh, fish and PowerShell',
    () => import('./completion/index.ts'),
  ),
  lazy('commands', 'List every command with its flags, output and exit codes', async () =>
    (await import('./commands.ts')).commandsOf(TREE),
  ),
  lazy('schema', "Print the JSON Schema of a command's output", async () =>
    (await import('./schema.ts')).schemaNoun([...TREE, ...TOPICS]),
  ),
  lazy('mcp', 'Serve read-only tools to a coding agent (Model Context Protocol)', async () =>
    (await import('./mcp/index.ts')).mcpOf(TREE),
  ),
  lazy(
    'doctor',
    'Check the installation, and collect data for a bug report',
    () => import('./doctor/index.ts'),
  ),
];

/** Topics that consist of text only. */
const PAGES = {
  environment: 'Environment variables',
  'exit-codes': 'Exit codes, the same for every command',
  output: 'Output formats, columns and streams',
  time: 'Periods, days and time zones',
  scripting: 'Pipelines, CI and retries',
  security: 'Where secrets are stored, and what is sent',
};

/** The values of TOPIC in `cryptodata help TOPIC`, other than commands. */
export const TOPICS: readonly LazyNoun[] = [
  ...Object.entries(PAGES).map(([name, summary]) =>
    lazy(name, summary, async () => (await import('./help-topics.ts')).topicNamed(name, summary)),
  ),
  lazy('errors', 'Explain the error codes of the service', () => import('./help-errors.ts')),
  lazy('states', 'Explain the states of accounts, syncs, runs and periods', () => import('./help-states.ts')),
];

/** The command to run for `cryptodata` without arguments. */
export const WELCOME: LazyNoun = lazy('welcome', 'Suggest what to do next', () => import('./welcome.ts'));
