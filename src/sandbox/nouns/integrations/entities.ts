// Spec: "Integration (webhook data object; matches the Integrations API response)". The change list of the specification adds
// the fields `providerId` and `isCustomWallet` to GET /v1/integrations.

import { type Reader, type Saved, shape } from '../../core/readers.ts';
import { type EmittedKind, type RunCategory, type RunObject, runObject } from '../../events/kinds.ts';

const { flag, number, object, oneOf, text } = shape;

export const CONNECTION_STATUSES = [
  'QUEUED',
  'SYNCING',
  'COMPLETED',
  'FAILED',
  'DELETING',
  'DELETED',
  'INACTIVE',
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** The fields of an account, in the order of a response. */
export const ACCOUNT_READERS = {
  providerId: text,
  /** Whether the data is entered by hand. The provider of a custom wallet is not in the provider catalogue. */
  isCustomWallet: flag,
  provider: text,
  providerPublicName: text,
  /** An empty string, never null, if the account is not connected by address. */
  publicAddress: text,
  walletId: text,
  logoUrl: text,
  isContract: oneOf(false),
  alias: text,
  status: oneOf(...CONNECTION_STATUSES),
  /** Present only if `status` is FAILED. */
  errorMessage: text,
  /** Unix milliseconds; 0 if unknown. */
  addedOn: number,
  /** Time of the last sync in Unix milliseconds; 0 if the account was never synced. */
  lastSyncedAt: number,
  category: oneOf('exchange', 'wallet', 'blockchain', 'unknown'),
  type: oneOf('api', 'csv'),
  totalTransactions: number,
};

const { errorMessage, ...REQUIRED } = ACCOUNT_READERS;
export const readIntegration = object(REQUIRED, { errorMessage });
export type ConnectedAccount = Saved<typeof readIntegration>;

const readStatus = oneOf(...CONNECTION_STATUSES);
const readFullStep = object({ status: readStatus }, { errorMessage: text });

/** A status, or a status with an error message. */
export type StatusStep = ConnectionStatus | Saved<typeof readFullStep>;

export const readStatusStep: Reader<StatusStep> = (value, place) =>
  typeof value === 'string' ? readStatus(value, place) : readFullStep(value, place);

/** The `data` of a webhook event: an integration without `providerId` and `isCustomWallet`. */
export function webhookObject({ providerId: _, isCustomWallet: __, ...object }: ConnectedAccount) {
  return object;
}

const STATUS: Readonly<Record<string, ConnectionStatus>> = {
  'integration.created': 'QUEUED',
  'integration.updated': 'COMPLETED',
  'integration.deleted': 'DELETED',
  'integration.failed': 'FAILED',
};

/** If a workspace has no accounts, its example events use this account. */
const REMOVED: ConnectedAccount = {
  ...{ providerId: 'kraken', isCustomWallet: false, provider: 'kraken', providerPublicName: 'Kraken' },
  ...{ publicAddress: '', walletId: 'wal_removed', logoUrl: 'https://images.example/providers/kraken.svg' },
  ...{ isContract: false, alias: 'Removed account', status: 'DELETED', addedOn: 0, lastSyncedAt: 0 },
  ...{ category: 'exchange', type: 'api', totalTransactions: 0 },
};

/** Example data for an event: an account of the workspace, or an invented calculation run. */
export function exampleEventData(
  event: EmittedKind,
  accounts: readonly ConnectedAccount[],
  now: number,
): object {
  const status = STATUS[event];
  if (status === undefined) return exampleRun(event, now);
  const [account = REMOVED] = accounts;
  const { errorMessage: _, ...object } = webhookObject(account);
  return status === 'FAILED'
    ? { ...object, status, errorMessage: 'The exchange rejected the API key' }
    : { ...object, status };
}

function exampleRun(event: EmittedKind, now: number): RunObject {
  const [category = '', status = ''] = event.split('.');
  return runObject(
    category as RunCategory,
    status as RunObject['status'],
    now,
    status === 'failed' ? 'The calculation ended with an error' : null,
  );
}
