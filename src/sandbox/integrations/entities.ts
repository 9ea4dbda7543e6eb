// Spec: Integration (webhook data object; matches the Integrations API response), and the two fields that the change
// list adds to the items of GET /v1/integrations.

import { type EventKind, type RunCategory, type RunObject, runObject } from '../events/kinds.ts';

export const STATUSES = [
  'QUEUED',
  'SYNCING',
  'COMPLETED',
  'FAILED',
  'DELETING',
  'DELETED',
  'INACTIVE',
] as const;
export type Status = (typeof STATUSES)[number];

export interface Integration {
  readonly providerId: string;
  /** Entered by hand; its provider is in no catalogue. */
  readonly isCustomWallet: boolean;
  readonly provider: string;
  readonly providerPublicName: string;
  /** Empty, never null, where the connection is not by address. */
  readonly publicAddress: string;
  readonly walletId: string;
  readonly logoUrl: string;
  readonly isContract: false;
  readonly alias: string;
  readonly status: Status;
  /** Left out unless `status` is FAILED and there is one. */
  readonly errorMessage?: string;
  /** Unix milliseconds; 0 if unknown. */
  readonly addedOn: number;
  /** Unix milliseconds; 0 if never. */
  readonly lastSyncedAt: number;
  readonly category: 'exchange' | 'wallet' | 'blockchain' | 'unknown';
  readonly type: 'api' | 'csv';
  readonly totalTransactions: number;
}

export function readStatus(value: unknown): Status | undefined {
  return STATUSES.find((status) => status === value);
}

/** A status by its name, or `{ status, errorMessage? }`. */
export function readStatusStep(
  value: unknown,
): Status | { status: Status; errorMessage?: string } | undefined {
  if (typeof value !== 'object' || value === null) return readStatus(value);
  const { status, errorMessage }: { status?: unknown; errorMessage?: unknown } = value;
  const known = readStatus(status);
  if (known === undefined || (errorMessage !== undefined && typeof errorMessage !== 'string'))
    return undefined;
  return errorMessage === undefined ? known : { status: known, errorMessage };
}

// Spec: Integration (webhook data object). It is what the Integrations API serves, without the two fields that the
// change list adds there.

type IntegrationObject = Omit<Integration, 'providerId' | 'isCustomWallet'>;

export function webhookObject({
  providerId: _,
  isCustomWallet: __,
  ...object
}: Integration): IntegrationObject {
  return object;
}

const STATUS: Readonly<Record<string, Status>> = {
  'integration.created': 'QUEUED',
  'integration.updated': 'COMPLETED',
  'integration.deleted': 'DELETED',
  'integration.failed': 'FAILED',
};

/** What an event carries when it is only tried out: an account of the workspace, or a run that never was. */
export function exampleData(event: EventKind, accounts: readonly Integration[], now: number): object {
  const status = STATUS[event];
  const [account] = accounts;
  if (status === undefined || account === undefined) return exampleRun(event, now);
  const { errorMessage: _, ...object } = webhookObject(account);
  return status === 'FAILED'
    ? { ...object, status, errorMessage: 'The exchange rejected the API key' }
    : { ...object, status };
}

function exampleRun(event: EventKind, now: number): RunObject {
  const [category = '', status = ''] = event.split('.');
  return runObject(
    category as RunCategory,
    status as RunObject['status'],
    now,
    status === 'failed' ? 'The calculation ended with an error' : null,
  );
}
