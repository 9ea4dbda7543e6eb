/**
 * A typed client for a crypto portfolio, tax and accounting data service.
 *
 * ```ts
 * import { createClient } from 'cryptodata';
 *
 * const client = createClient({ baseUrl: 'https://api.example.com', accessToken: token });
 * for await (const ledger of client.ledgers.list({ ltAfterBalance: '0', sortOrder: 'asc' })) {
 *   console.log(ledger.id, ledger.quantity);
 * }
 * await client.close();
 * ```
 *
 * Decimal strings stay strings. A JSON number with more digits than a double holds comes as a
 * {@link LosslessNumber}; {@link stringifyJson} writes it as it came. Everything raised on purpose is a
 * {@link CryptodataError} with a stable `code` and a `kind`; what the service answered is a {@link ServiceError}.
 *
 * @module
 */

export type { Query, QueryValue } from './client/address.ts';
export { type Client, type ClientOptions, createClient } from './client/client.ts';
export type { CredentialOptions } from './client/credentials.ts';
export type { ListPage } from './client/envelope.ts';
export { ServiceError } from './client/errors.ts';
export type { Extra } from './client/filters.ts';
export type {
  DefiHolding,
  LegacyIntegration,
  LegacyProvider,
  NftHolding,
  PostedAmount,
  PostedBatch,
  PostedParty,
  PostedTransaction,
  PostedValue,
  TransactionBatch,
} from './client/legacy-types.ts';
export type { Listing, ListRequest } from './client/listing.ts';
export type { Notice } from './client/paging.ts';
export type { WatchOptions } from './client/poll.ts';
export type { JsonNumber } from './client/records.ts';
export type { FormPart, ServiceRequest } from './client/request.ts';
export type { AssetFilters, Assets } from './client/resources/assets.ts';
export type { Contacts } from './client/resources/contacts.ts';
export type { CounterParties } from './client/resources/counter-parties.ts';
export type { Csv, CsvUpload } from './client/resources/csv.ts';
export type { Holding, Holdings } from './client/resources/holdings.ts';
export {
  type AliasQuestion,
  aliasExists,
  type Integration,
  type Integrations,
} from './client/resources/integrations.ts';
export type { Labels } from './client/resources/labels.ts';
export type { LedgerFilters, Ledgers } from './client/resources/ledgers.ts';
export type { DefiFilters, Legacy, LegacyFilters, NftFilters } from './client/resources/legacy.ts';
export type { OpenFilters } from './client/resources/open.ts';
export type { ProviderFilters, Providers } from './client/resources/providers.ts';
export type { Spam } from './client/resources/spam.ts';
export type { Sync, Syncs, SyncWatchOptions } from './client/resources/syncs.ts';
export {
  type BatchResult,
  legsOf,
  type Transaction,
  type TransactionFilters,
  type Transactions,
} from './client/resources/transactions.ts';
export type { Users } from './client/resources/users.ts';
export type { AttemptEvent, ServiceAnswer } from './client/transport.ts';
export type { ConnectorFunction, CredentialField, Ledger, Price, Provider, User } from './client/types.ts';
export type { Change } from './client/watch.ts';
export type { Api } from './core/credentials.ts';
export { CryptodataError, type ErrorKind } from './core/errors.ts';
export { type JsonRecord, LosslessNumber, parseJson, stringifyJson } from './core/json.ts';
