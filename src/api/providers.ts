import { byPage, list, single } from './endpoint.ts';
import { flagFilter, textFilter as word } from './filters.ts';
import { contains, isOneOf, normalized } from './readings.ts';
import {
  arrayOf,
  bool,
  mapOf,
  nullable,
  object,
  open,
  parts,
  type RecordOf,
  required,
  text,
} from './records.ts';

/** An input field for connecting an account. The service may add fields, so show all entries of `credentialFields`. */
const credentialField = {
  required: bool,
  type: open('string', 'password', 'boolean'),
  label: text,
  placeholder: nullable(text),
};
export type CredentialField = RecordOf<typeof credentialField>;

/** A function of a provider's connector. Each function fetches one kind of data. */
const connectorFunction = {
  /** The name to use in `config.userFunctions`. */
  name: text,
  public_name: text,
  /**
   * Whether this is a core function. If a core function fails, the outage is full. If any other function fails, the outage is
   * partial.
   */
  is_base: bool,
  /** `trade`, `deposit`, … */
  categories: arrayOf(text),
  enabled: bool,
  /** Whether the function is enabled and its last health probe succeeded. Also false if the function was never probed. */
  operational: bool,
};
export type ConnectorFunction = RecordOf<typeof connectorFunction>;

const PROVIDER_TYPES = ['exchange', 'blockchain', 'wallet', 'service', 'aggregator'] as const;

const CAPABILITIES = [
  'trades',
  'deposits',
  'withdrawals',
  'staking',
  'nft',
  'defi',
  'holdings',
  'margin',
  'futures',
  'swap',
  'bridge',
] as const;

/** "Provider (current catalogue)". */
const record = {
  id: required(text),
  slug: text,
  name: text,
  publicName: text,
  description: nullable(text),
  type: open(...PROVIDER_TYPES),
  logo: nullable(text),
  featured: bool,
  /** If false, accounts can still be connected, but their syncs will probably fail. */
  isWorking: bool,
  importMethods: arrayOf(open('api', 'csv', 'oauth', 'address', 'wallet_connect', 'manual')),
  credentialFields: mapOf(object(credentialField)),
  /** A missing key means that the capability is not supported. */
  capabilities: mapOf(bool, CAPABILITIES),
  walletSupportedChains: nullable(arrayOf(parts('id', 'onlyManual'))),
  functions: nullable(arrayOf(object(connectorFunction))),
  integrationInfo: nullable(parts()),
  walletLimitations: nullable(parts()),
  metadata: nullable(parts()),
  /** ISO 8601. */
  createdAt: text,
  /** ISO 8601. */
  updatedAt: text,
};
export type Provider = RecordOf<typeof record>;

export const providers = list({
  path: '/v1/providers',
  scope: null,
  noun: 'provider',
  nouns: 'providers',
  paging: byPage({ max: 100 }),
  record,
  filters: {
    type: word('providers of this type', 'type', {
      choices: PROVIDER_TYPES,
      decides: ({ type }, wanted) => (typeof type === 'string' ? normalized(type) === wanted : undefined),
    }),
    featured: flagFilter('only providers highlighted by the service', ({ featured }) =>
      typeof featured === 'boolean' ? featured : undefined,
    ),
    isWorking: flagFilter('only operational providers', ({ isWorking }) =>
      typeof isWorking === 'boolean' ? isWorking : undefined,
    ),
    search: word('text to find in the name, public name or slug', 'text', {
      known: { unchecked: 'any text can be searched; if nothing is found, similar names are suggested' },
      decides: ({ name, publicName, slug }, text) => contains([name, publicName, slug], text),
    }),
  },
  columns: {
    table: [
      { key: 'publicName', header: 'name' },
      { key: 'type' },
      { key: 'isWorking', header: 'working' },
      { key: 'featured', drop: 1 },
      { key: 'importMethods', header: 'import by', derive: ({ importMethods }) => joined(importMethods) },
      { key: 'id' },
    ],
  },
});

export const provider = single({
  path: '/v1/providers/{id}',
  scope: null,
  noun: 'provider',
  record,
  // The service may also accept a slug or a name in the path.
  hasId: (found, id) => isOneOf([found['id'], found['slug'], found['name']], [id]),
});

export function joined(value: unknown): unknown {
  return Array.isArray(value) ? value.join(', ') : value;
}
