import { type Clause, sections } from './clause.ts';

export const ACCOUNT_FIELDS: readonly Clause[] = sections(`
Provider (current catalogue) | provider | field
  id: string; Provider id; matches the providerId of an integration
  slug: string; URL-safe identifier
  name: string; Internal name
  publicName: string; Display name
  description: string or null; Short description
  type: string; exchange, blockchain, wallet, service or aggregator
  logo: string or null; Logo URL
  featured: boolean; Highlighted by the service
  isWorking: boolean; false means the provider's upstream API is detected as degraded or broken. Connecting is still allowed, but syncs will likely fail
  importMethods: array of string; Any of api, csv, oauth, address, wallet_connect, manual
  credentialFields: object; Map of field name to credential field definition (below); open-ended
  capabilities: object; Boolean flags; keys among trades, deposits, withdrawals, staking, nft, defi, holdings, margin, futures, swap, bridge. An absent key means unsupported
  walletSupportedChains: array or null; For wallets: entries { id, onlyManual? }
  functions: array or null; Connector functions (below)
  integrationInfo: object or null; Setup hints and known API limitations
  walletLimitations: object or null; Import options (entries with name, status boolean, isRecommended boolean), per-method feature lists, step-by-step instructions
  metadata: object or null; Provider-specific extras: a third-party data aggregator id, a wallet-connection id, native token
  createdAt: string; ISO 8601
  updatedAt: string; ISO 8601
  walletSupportedChains.entries: Entries { id, onlyManual? }
  capabilities.absent [rule]: An absent key means unsupported
  capabilities.keys: Keys among trades, deposits, withdrawals, staking, nft, defi, holdings, margin, futures, swap, bridge
  credential.required: boolean
  credential.type: string, password or boolean; drives the input type
  credential.label: string
  credential.placeholder: string, optional
  credential.keys [rule]: Possible keys include apiKey, secretKey, password, accountName, address, communityId; the map is open-ended
  function.name: string; the value accepted in config.userFunctions
  function.public_name: string
  function.is_base: boolean; core function
  function.categories: array of string, e.g. trade, deposit
  function.enabled: boolean
  function.operational: boolean: enabled and last health probe clean; false also for a function never probed
  function.degraded [rule]: enabled true with operational false means degraded
  function.outage [rule]: A base function that is not operational means full outage; a non-base one means partial outage
  no-internals [rule]: The connector's internal configuration (upstream endpoints, rate-limit and batching parameters, raw probe error text) is omitted from the response
  no-custom-wallet [rule]: An internal custom-wallet provider is always excluded from the catalogue
  isCustomWallet [rule]: A user's manual wallets appear on GET /v1/integrations with isCustomWallet true

Integration (legacy public list object) | public-list | field
  id: string; Provider identifier
  name: string; Internal provider name
  publicName: string; Display name
  logo: string; Logo URL
  type: string; wallet, exchange, blockchain, services (or others)
  isAPI: boolean; API key or address-based connection supported
  isCSV: boolean; CSV import supported
  isOAuth: boolean; OAuth supported
  isEVM: boolean; EVM-compatible chain
  isWorking: boolean; Currently operational
  communityId: number; Optional; id in a third-party data aggregator, for blockchain integrations
  importGuide: string; Connection instructions
  functions: array; Entries { name: string, publicName: string }
  integrationInfo: object; Optional metadata; for exchanges may hold apiKeyRequired and apiSecretRequired booleans
  walletLimitations: object or null; Optional limitations
  functions.entries: Entries { name: string, publicName: string }
  integrationInfo.keys: For exchanges may hold apiKeyRequired and apiSecretRequired booleans

Integration (webhook data object; matches the Integrations API response) | integration | field
  provider: string; Provider identifier
  providerPublicName: string; Display name
  publicAddress: string; Address for address-based connections; empty string (never null) for exchange, OAuth and CSV integrations
  walletId: string; Integration id as used by the Integrations API
  logoUrl: string; Logo URL; empty string if the provider has none
  isContract: boolean; Always false; contract detection is not performed
  alias: string; User alias; empty string if unset
  status: string; See States and transitions
  errorMessage: string; Why the sync failed; omitted entirely unless status is FAILED and a message exists (never null)
  addedOn: number; Milliseconds timestamp; 0 if unknown
  lastSyncedAt: number; Milliseconds timestamp of last successful sync; 0 if never synced
  category: string; exchange, wallet, blockchain or unknown
  type: string; api (API keys or OAuth) or csv (file upload)
  totalTransactions: number; Count of transactions from this integration
`);
