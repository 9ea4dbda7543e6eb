import * as assets from './assets.ts';
import * as contacts from './contacts.ts';
import * as csv from './csv.ts';
import type { Endpoint, List } from './endpoint.ts';
import * as holdings from './holdings.ts';
import * as integrations from './integrations.ts';
import * as labels from './labels.ts';
import * as ledgers from './ledgers.ts';
import * as legacy from './legacy.ts';
import * as providers from './providers.ts';
import * as spam from './spam.ts';
import * as syncs from './syncs.ts';
import * as transactions from './transactions.ts';
import * as users from './users.ts';

const files = {
  ...providers,
  ...ledgers,
  ...transactions,
  ...holdings,
  ...integrations,
  ...syncs,
  ...csv,
  ...labels,
  ...assets,
  ...spam,
  ...contacts,
  ...users,
  ...legacy,
};

export const ENDPOINTS: readonly Endpoint[] = Object.values<unknown>(files).filter(isEndpoint);

export const LISTS: readonly List[] = ENDPOINTS.filter(isList);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

function isList(endpoint: Endpoint): endpoint is List {
  return 'paging' in endpoint;
}
