import type { LazyNoun } from '../cli/define.ts';

/**
 * The command tree, in the order of the help. Help, completions and the command reference in the README all
 * come from it.
 */
export const TREE: readonly LazyNoun[] = [
  {
    name: 'login',
    summary: 'Log in with the browser, or keep an API key',
    load: async () => (await import('./login/index.ts')).noun,
  },
  {
    name: 'logout',
    summary: 'Revoke the session and forget it',
    load: async () => (await import('./logout.ts')).noun,
  },
  {
    name: 'whoami',
    summary: 'Who is logged in, to which workspace, with what',
    load: async () => (await import('./whoami.ts')).noun,
  },
  {
    name: 'token',
    summary: 'Print an access token for other programs',
    load: async () => (await import('./token.ts')).noun,
  },
  {
    name: 'ledgers',
    summary: 'The legs of transactions: list, get, export, verify an export, find negative balances',
    load: async () => (await import('./ledgers/index.ts')).noun,
  },
  {
    name: 'holdings',
    summary: 'What is held: tokens, NFTs, DeFi positions, calculated balances',
    load: async () => (await import('./holdings/index.ts')).noun,
  },
  {
    name: 'txns',
    summary: 'Transactions: list, their legs, export, send a batch',
    load: async () => (await import('./txns/index.ts')).noun,
  },
  {
    name: 'labels',
    summary: 'The labels that transactions can have',
    load: async () => (await import('./labels/index.ts')).noun,
  },
  {
    name: 'assets',
    summary: 'Find assets by symbol, name, id or contract address',
    load: async () => (await import('./assets/index.ts')).noun,
  },
  {
    name: 'spam',
    summary: 'The assets that are marked as spam',
    load: async () => (await import('./spam/index.ts')).noun,
  },
  {
    name: 'contacts',
    summary: 'Contacts, once their scope is registered',
    load: async () => (await import('./contacts/index.ts')).noun,
  },
  {
    name: 'counter-parties',
    summary: 'Counter-parties, once their scope is registered',
    load: async () => (await import('./counter-parties/index.ts')).noun,
  },
  {
    name: 'providers',
    summary: 'The public catalogue of what can be connected',
    load: async () => (await import('./providers/index.ts')).noun,
  },
  {
    name: 'legacy',
    summary: 'Read the legacy API, post to it, and convert its answers',
    load: async () => (await import('./legacy/index.ts')).noun,
  },
  {
    name: 'api',
    summary: 'Make any call with the credentials of the session',
    load: async () => (await import('./api/index.ts')).noun,
  },
  {
    name: 'integrations',
    summary: 'List, test, delete and wait for connected accounts',
    load: async () => (await import('./integrations/index.ts')).noun,
  },
  {
    name: 'sync',
    summary: 'Show, watch and start syncs of connected accounts',
    load: async () => (await import('./sync/index.ts')).noun,
  },
  {
    name: 'csv',
    summary: 'Check and upload import files',
    load: async () => (await import('./csv/index.ts')).noun,
  },
  {
    name: 'events',
    summary: 'Receive, check, store, forward, replay and trigger webhook deliveries',
    load: async () => (await import('./events/index.ts')).noun,
  },
  {
    name: 'sandbox',
    summary: 'Run the service on this machine, without an account',
    load: async () => (await import('./sandbox/index.ts')).noun,
  },
  {
    name: 'config',
    summary: 'Settings of a profile',
    load: async () => (await import('./config/index.ts')).noun,
  },
  {
    name: 'profiles',
    summary: 'The profiles of config.toml',
    load: async () => (await import('./profiles/index.ts')).noun,
  },
  {
    name: 'doctor',
    summary: 'Check the installation, and gather what a bug report needs',
    load: async () => (await import('./doctor/index.ts')).noun,
  },
];

/** What `cryptodata help TOPIC` knows beside the commands. */
export const TOPICS: readonly LazyNoun[] = [
  {
    name: 'errors',
    summary: 'Every error code of the service: what it means, whether a retry helps, what to do',
    load: async () => (await import('./help-errors.ts')).noun,
  },
  {
    name: 'states',
    summary: 'Every state that the service names: what it means and where it is seen',
    load: async () => (await import('./help-states.ts')).noun,
  },
];
