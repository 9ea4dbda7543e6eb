import type { LazyNoun, Noun } from '../cli/define.ts';

/** Every file that the tree loads exports its commands as `noun`. */
const nounOf = ({ noun }: { readonly noun: Noun }) => noun;

/** All commands. The help, the completions and the command reference are generated from this list, and keep its order. */
export const TREE: readonly LazyNoun[] = [
  {
    name: 'login',
    summary: 'Log in with the browser, or store an API key',
    load: () => import('./login/index.ts').then(nounOf),
  },
  {
    name: 'logout',
    summary: 'Revoke the session and delete it',
    load: () => import('./logout.ts').then(nounOf),
  },
  {
    name: 'whoami',
    summary: 'Show the current user, workspace, role and scopes',
    load: () => import('./whoami.ts').then(nounOf),
  },
  {
    name: 'token',
    summary: 'Print an access token for other programs',
    load: () => import('./token.ts').then(nounOf),
  },
  {
    name: 'ledgers',
    summary: 'List, show, export and verify ledgers (legs of transactions)',
    load: () => import('./ledgers/index.ts').then(nounOf),
  },
  {
    name: 'audit',
    summary: 'Check the books: negative balances, broken chains, lost transfers, duplicates, missing values',
    load: () => import('./audit/index.ts').then(nounOf),
  },
  {
    name: 'close',
    summary: 'Write a filing pack for a period, or list changes made later',
    load: () => import('./close/index.ts').then(nounOf),
  },
  {
    name: 'mirror',
    summary: 'Keep a verified local copy of the books, in Delta tables',
    load: () => import('./mirror/index.ts').then(nounOf),
  },
  {
    name: 'balances',
    summary: 'List the balance of each wallet and asset, now or at the end of a day',
    load: () => import('./balances/index.ts').then(nounOf),
  },
  {
    name: 'holdings',
    summary: 'List tokens (list), NFTs (nfts), DeFi positions (defi) and calculated balances (balances)',
    load: () => import('./holdings/index.ts').then(nounOf),
  },
  {
    name: 'txns',
    summary: 'List and export transactions, and send batches of changes',
    load: () => import('./txns/index.ts').then(nounOf),
  },
  {
    name: 'labels',
    summary: 'List the labels of transactions',
    load: () => import('./labels/index.ts').then(nounOf),
  },
  {
    name: 'assets',
    summary: 'Find assets by symbol, name, id or contract address',
    load: () => import('./assets/index.ts').then(nounOf),
  },
  {
    name: 'spam',
    summary: 'List the assets that are marked as spam',
    load: () => import('./spam/index.ts').then(nounOf),
  },
  {
    name: 'contacts',
    summary: 'List contacts (requires a registered scope)',
    load: () => import('./contacts/index.ts').then(nounOf),
  },
  {
    name: 'counter-parties',
    summary: 'List counter-parties (requires a registered scope)',
    load: () => import('./counter-parties/index.ts').then(nounOf),
  },
  {
    name: 'providers',
    summary: 'List the public provider catalogue',
    load: () => import('./providers/index.ts').then(nounOf),
  },
  {
    name: 'legacy',
    summary: 'Read and post to the legacy API, and list its differences from the current API',
    load: () => import('./legacy/index.ts').then(nounOf),
  },
  {
    name: 'api',
    summary: 'Send any request with the current credentials',
    load: () => import('./api/index.ts').then(nounOf),
  },
  {
    name: 'integrations',
    summary: 'List, test and delete connected accounts, or wait for them',
    load: () => import('./integrations/index.ts').then(nounOf),
  },
  {
    name: 'sync',
    summary: 'Show, watch and start syncs of connected accounts',
    load: () => import('./sync/index.ts').then(nounOf),
  },
  {
    name: 'csv',
    summary: 'Check and upload import files',
    load: () => import('./csv/index.ts').then(nounOf),
  },
  {
    name: 'events',
    summary: 'Receive, check, store, forward, replay and trigger webhook deliveries',
    load: () => import('./events/index.ts').then(nounOf),
  },
  {
    name: 'sandbox',
    summary: 'Run the service on this machine, without an account',
    load: () => import('./sandbox/index.ts').then(nounOf),
  },
  {
    name: 'config',
    summary: 'Show and change the settings of a profile',
    load: () => import('./config/index.ts').then(nounOf),
  },
  {
    name: 'profiles',
    summary: 'List and manage the profiles in config.toml',
    load: () => import('./profiles/index.ts').then(nounOf),
  },
  {
    name: 'completion',
    summary: 'Install or print completions for bash, zsh, fish and PowerShell',
    load: () => import('./completion/index.ts').then(nounOf),
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
    load: () => import('./doctor/index.ts').then(nounOf),
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
    load: () => import('./help-errors.ts').then(nounOf),
  },
  {
    name: 'states',
    summary: 'Explain the states of accounts, syncs, runs and periods',
    load: () => import('./help-states.ts').then(nounOf),
  },
];

/** The command to run for `cryptodata` without arguments. */
export const WELCOME: LazyNoun = {
  name: 'welcome',
  summary: 'Suggest what to do next',
  load: () => import('./welcome.ts').then(nounOf),
};
