// Spec: Integration (webhook data object; matches the Integrations API response), and the two fields that the change
// list adds to the items of GET /v1/integrations.

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
