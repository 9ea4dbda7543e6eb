import { byPage, list, single } from './endpoint.ts';
import { flag, text as word } from './filters.ts';
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

/** An input needed to connect an account. The service may add inputs, so iterate over the map. */
const credentialField = {
  required: bool,
  /** The type of input. */
  type: open('string', 'password', 'boolean'),
  label: text,
  placeholder: nullable(text),
};
export type CredentialField = RecordOf<typeof credentialField>;

/** One kind of data that a provider's connector can fetch, with its health. */
const connectorFunction = {
  /** The value accepted in `config.userFunctions`. */
  name: text,
  public_name: text,
  /** Whether this is a core function. An outage is full if it affects a core function, otherwise partial. */
  is_base: bool,
  /** `trade`, `deposit`, … */
  categories: arrayOf(text),
  enabled: bool,
  /** True if the function is enabled and its last health probe succeeded; false if there was no probe. */
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
  /** If false, connecting is allowed, but syncs will probably fail. */
  isWorking: bool,
  importMethods: arrayOf(open('api', 'csv', 'oauth', 'address', 'wallet_connect', 'manual')),
  credentialFields: mapOf(object(credentialField)),
  /** A capability whose key is absent is unsupported. */
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
    type: word('providers of this type', 'type', PROVIDER_TYPES),
    featured: flag('only providers highlighted by the service'),
    isWorking: flag('only operational providers'),
    search: word('match on name, public name and slug', 'text'),
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

export const provider = single({ path: '/v1/providers/{id}', scope: null, noun: 'provider', record });

export function joined(value: unknown): unknown {
  return Array.isArray(value) ? value.join(', ') : value;
}
