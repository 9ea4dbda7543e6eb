import type { LazyNoun } from '../cli/define.ts';

/** All commands. The help, the completions and the command reference are generated from this list, and keep its order. */
export const TREE: readonly LazyNoun[] = [
  {
    name: 'login',
    summary: 'Log in with the browser, or store an API key',
    load: async () => (await import('./login/index.ts')).loginNoun,
  },
  {
    name: 'logout',
    summary: 'Revoke the session and delete it',
    load: async () => (await import('./logout.ts')).logoutNoun,
  },
  {
    name: 'whoami',
    summary: 'Show the current user, workspace, role and scopes',
    load: async () => (await import('./whoami.ts')).whoamiNoun,
  },
  {
    name: 'token',
    summary: 'Print an access token for other programs',
    load: async () => (await import('./token.ts')).tokenNoun,
  },
  {
    name: 'ledgers',
    summary: 'List, show, export and verify ledgers (legs of transactions)',
    load: async () => (await import('./ledgers/index.ts')).ledgersNoun,
  },
  {
    name: 'audit',
    summary: 'Check the books: negative balances, broken chains, lost transfers, duplicates, missing values',
    load: async () => (await import('./audit/index.ts')).auditNoun,
  },
  {
    name: 'close',
    summary: 'Write a filing pack for a period, or list changes made later',
    load: async () => (await import('./close/index.ts')).closeNoun,
  },
  {
    name: 'mirror',
    summary: 'Keep a verified local copy of the books, in Parquet files',
    load: async () => (await import('./mirror/index.ts')).mirrorNoun,
  },
  {
    name: 'balances',
    summary: 'List the balance of each wallet and asset, now or at the end of a day',
    load: async () => (await import('./balances/index.ts')).balancesNoun,
  },
  {
    name: 'holdings',
    summary: 'List tokens, NFTs, DeFi positions and calculated balances',
    load: async () => (await import('./holdings/index.ts')).holdingsNoun,
  },
  {
    name: 'txns',
    summary: 'List and export transactions, and send batches of changes',
    load: async () => (await import('./txns/index.ts')).txnsNoun,
  },
  {
    name: 'labels',
    summary: 'List the labels of transactions',
    load: async () => (await import('./labels/index.ts')).labelsNoun,
  },
  {
    name: 'assets',
    summary: 'Find assets by symbol, name, id or contract address',
    load: async () => (await import('./assets/index.ts')).assetsNoun,
  },
  {
    name: 'spam',
    summary: 'List the assets that are marked as spam',
    load: async () => (await import('./spam/index.ts')).spamNoun,
  },
  {
    name: 'contacts',
    summary: 'List contacts (requires a registered scope)',
    load: async () => (await import('./contacts/index.ts')).contactsNoun,
  },
  {
    name: 'counter-parties',
    summary: 'List counter-parties (requires a registered scope)',
    load: async () => (await import('./counter-parties/index.ts')).counterPartiesNoun,
  },
  {
    name: 'providers',
    summary: 'List the public provider catalogue',
    load: async () => (await import('./providers/index.ts')).providersNoun,
  },
  {
    name: 'legacy',
    summary: 'Read and post to the legacy API, and list its differences from the current API',
    load: async () => (await import('./legacy/index.ts')).legacyNoun,
  },
  {
    name: 'api',
    summary: 'Send any request with the current credentials',
    load: async () => (await import('./api/index.ts')).apiNoun,
  },
  {
    name: 'integrations',
    summary: 'List, test and delete connected accounts, or wait for them',
    load: async () => (await import('./integrations/index.ts')).integrationsNoun,
  },
  {
    name: 'sync',
    summary: 'Show, watch and start syncs of connected accounts',
    load: async () => (await import('./sync/index.ts')).syncNoun,
  },
  {
    name: 'csv',
    summary: 'Check and upload import files',
    load: async () => (await import('./csv/index.ts')).csvNoun,
  },
  {
    name: 'events',
    summary: 'Receive, check, store, forward, replay and trigger webhook deliveries',
    load: async () => (await import('./events/index.ts')).eventsNoun,
  },
  {
    name: 'sandbox',
    summary: 'Run the service on this machine, without an account',
    load: async () => (await import('./sandbox/index.ts')).sandboxNoun,
  },
  {
    name: 'config',
    summary: 'Show and change the settings of a profile',
    load: async () => (await import('./config/index.ts')).configNoun,
  },
  {
    name: 'profiles',
    summary: 'List and manage the profiles in config.toml',
    load: async () => (await import('./profiles/index.ts')).profilesNoun,
  },
  {
    name: 'completion',
    summary: 'Install or print completions for bash, zsh, fish and PowerShell',
    load: async () => (await import('./completion/index.ts')).completionNoun,
  },
  {
    name: 'commands',
    summary: 'List every command with its flags, output and exit codes',
    load: async () => (await import('./commands.ts')).commandsOf(TREE),
  },
  {
    name: 'schema',
    summary: "Print the JSON Schema of a command's output",
    load: async () => (await import('./schema.ts')).schemaNoun([...TREE, ...TOPICS]),
  },
  {
    name: 'mcp',
    summary: 'Serve read-only tools to a coding agent (Model Context Protocol)',
    load: async () => (await import('./mcp/index.ts')).mcpOf(TREE),
  },
  {
    name: 'doctor',
    summary: 'Check the installation, and collect data for a bug report',
    load: async () => (await import('./doctor/index.ts')).doctorNoun,
  },
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
  ...Object.entries(PAGES).map(([name, summary]) => ({
    name,
    summary,
    load: async () => (await import('./help-topics.ts')).topicNamed(name, summary),
  })),
  {
    name: 'errors',
    summary: 'Explain the error codes of the service',
    load: async () => (await import('./help-errors.ts')).helpErrorsNoun,
  },
  {
    name: 'states',
    summary: 'Explain the states of accounts, syncs, runs and periods',
    load: async () => (await import('./help-states.ts')).helpStatesNoun,
  },
];

/** The command to run for `cryptodata` without arguments. */
export const WELCOME: LazyNoun = {
  name: 'welcome',
  summary: 'Suggest what to do next',
  load: async () => (await import('./welcome.ts')).welcomeNoun,
};
