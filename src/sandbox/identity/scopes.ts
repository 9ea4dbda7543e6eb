// Spec: Authentication, Scopes.

const RESOURCES = [
  'portfolios',
  'transactions',
  'integrations',
  'contacts',
  'tax',
  'accounting',
  'reports',
  'invoices',
  'swaps',
  'workspace',
  'users',
];

/** Scopes for data about the user. All other scopes are for the data of a workspace. */
export const CORE_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'offline_access'];

/** All scopes of the service, including those that are not registered for the client. */
export const ALL_SCOPES: readonly string[] = [
  ...CORE_SCOPES,
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
];

/** Scopes of a new client. It has no write scopes, and no scopes for contacts, invoices or swaps. */
export const CLIENT_SCOPES: readonly string[] = [
  'openid',
  'profile',
  'offline_access',
  'email',
  'portfolios:read',
  'transactions:read',
  'integrations:read',
  'tax:read',
  'accounting:read',
  'reports:read',
  'workspace:read',
  'users:read',
];

const WORDS: Readonly<Record<string, string>> = {
  openid: 'Know which user you are',
  profile: 'See your name and picture',
  email: 'See your email address and whether it is verified',
  offline_access: 'Stay connected while you are away, for up to 30 days at a time',
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

/** Describes a scope for the consent page. */
export function describeScope(scope: string): string {
  const whole = WORDS[scope];
  if (whole !== undefined) return whole;
  const [resource = '', access = ''] = scope.split(':');
  return `${access === 'write' ? 'Change' : 'Read'} ${WORDS[resource] ?? resource}`;
}

export function splitScope(scope: unknown): string[] {
  return typeof scope === 'string' ? [...new Set(scope.split(' ').filter((part) => part !== ''))] : [];
}
