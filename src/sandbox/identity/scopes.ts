// Spec: Authentication, Scopes.

/** The data that a scope is for, by resource. */
const RESOURCES: Readonly<Record<string, string>> = {
  portfolios: 'your holdings, DeFi positions, NFTs and balances',
  transactions: 'your transactions, ledgers, labels and spam',
  integrations: 'your wallets, exchanges, syncs and CSV imports',
  contacts: 'your contacts and counter-parties',
  tax: 'your tax data',
  accounting: 'your accounting data',
  reports: 'your reports',
  invoices: 'your invoices',
  swaps: 'your swaps',
  workspace: 'the settings of the workspace',
  users: 'the list of users in the workspace',
};

const CORE: Readonly<Record<string, string>> = {
  openid: 'Know which user you are',
  profile: 'See your name and picture',
  email: 'See your email address and whether it is verified',
  offline_access: 'Stay connected while you are away, for up to 30 days at a time',
};

/** Scopes for data about the user. All other scopes are for the data of a workspace. */
export const CORE_SCOPES: readonly string[] = Object.keys(CORE);

/** All scopes of the service, including those that are not registered for the client. */
export const ALL_SCOPES: readonly string[] = [
  ...CORE_SCOPES,
  ...Object.keys(RESOURCES).flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
];

/** Scopes of a new client. A new client has no write scopes, and no scopes for contacts, invoices or swaps. */
export const CLIENT_SCOPES: readonly string[] = [
  ...['openid', 'profile', 'offline_access', 'email', 'portfolios:read', 'transactions:read'],
  ...['integrations:read', 'tax:read', 'accounting:read', 'reports:read', 'workspace:read', 'users:read'],
];

export function describeScope(scope: string): string {
  const [resource = '', access = ''] = scope.split(':');
  return CORE[scope] ?? `${access === 'write' ? 'Change' : 'Read'} ${RESOURCES[resource] ?? resource}`;
}

export function splitScope(scope: unknown): string[] {
  return typeof scope === 'string' ? [...new Set(scope.split(' ').filter((part) => part !== ''))] : [];
}
