/**
 * A typed client for a crypto portfolio, tax and accounting data service.
 *
 * ```ts
 * import { createClient } from 'cryptodata';
 *
 * await using client = createClient({ baseUrl: 'https://api.example.com', accessToken: token });
 * for await (const ledger of client.ledgers.list({ ltAfterBalance: '0', sortOrder: 'asc' })) {
 *   console.log(ledger.id, ledger.quantity);
 * }
 * const { rows, sha256 } = await client.exportLedgers({ out: 'ledgers.csv', period: '2025' });
 * ```
 *
 * Decimal strings are not converted. A JSON number that a double cannot represent becomes a {@link LosslessNumber}.
 * {@link stringifyJson} writes such a number unchanged. The record types declare the fields of the specification. To read any
 * other field, use {@link field}. Each kind of error has its own subclass of {@link CryptodataError}. Every expected error has
 * a stable `code`.
 *
 * @module
 */

export type { UploadResult } from './api/csv.ts';
export type { JobRun, WebhookEvent } from './api/events.ts';
export type { Holding } from './api/holdings.ts';
export { type AccountsResult, type Integration, readAliasExists } from './api/integrations.ts';
export { type Ledger, type Price, symbolOf } from './api/ledgers.ts';
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
} from './api/legacy.ts';
export type { ConnectorFunction, CredentialField, Provider } from './api/providers.ts';
export { field, type Unlisted } from './api/records.ts';
export type { Sync } from './api/syncs.ts';
export { type BatchResult, legsOf, type Transaction } from './api/transactions.ts';
export type { User } from './api/users.ts';
export type { Episode, EpisodeLeg } from './books/negative.ts';
export type { Query, QueryValue } from './client/address.ts';
export type { CallPromise, WithResponse } from './client/call-promise.ts';
export type { ClientOptions, ConnectionOptions } from './client/create.ts';
export type { CredentialOptions } from './client/credentials.ts';
export type { Fetch } from './client/fetch.ts';
export type { Extra } from './client/filters.ts';
export type { Listing, ListRequest } from './client/listing.ts';
export type { Logger, LogLevel } from './client/log.ts';
export type {
  AliasQuestion,
  AssetFilters,
  Assets,
  Contacts,
  CounterParties,
  Csv,
  CsvUpload,
  DefiFilters,
  Holdings,
  Integrations,
  Labels,
  LedgerFilters,
  Ledgers,
  Legacy,
  LegacyFilters,
  NftFilters,
  OpenFilters,
  OpenRecord,
  ProviderFilters,
  Providers,
  Spam,
  Syncs,
  TransactionFilters,
  Transactions,
  Users,
} from './client/nouns.ts';
export type {
  CallOptions,
  IntegrationsWatchOptions,
  StatusChange,
  SyncWatchOptions,
  WatchOptions,
} from './client/options.ts';
export type {
  AttemptEvent,
  FormPart,
  Notice,
  RequestPreview,
  ServiceAnswer,
  ServiceRequest,
} from './client/request.ts';
export type { ListPage } from './client/response.ts';
export type { AppInfo } from './client/user-agent.ts';
export type { Api } from './core/credentials.ts';
export {
  AuthError,
  ConflictError,
  CryptodataError,
  type ErrorKind,
  ForbiddenError,
  InterruptedError,
  NetworkError,
  NotFoundError,
  OutputError,
  PartialError,
  RateLimitError,
  RejectedError,
  ServiceError,
  TimeoutError,
  UnverifiedError,
  UpstreamError,
  UsageError,
} from './core/errors.ts';
export { type JsonNumber, type JsonRecord, LosslessNumber, parseJson, stringifyJson } from './core/json.ts';
export { type Client, createClient } from './library/create.ts';
export { fromProfile } from './library/from-profile.ts';
export type {
  ExportParams,
  ExportProgress,
  LedgerSelectionFilters,
  NegativeParams,
  NegativeResult,
  PeriodParams,
  RowFormat,
  VerifiedExport,
} from './library/types.ts';
export { verifyWebhook, type WebhookHeaders, type WebhookOptions } from './library/webhooks.ts';
