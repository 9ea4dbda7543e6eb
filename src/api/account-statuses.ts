/** The statuses of a connected account ("Integration status (webhook vocabulary)"). */
export const ACCOUNT_STATUSES = [
  'QUEUED',
  'SYNCING',
  'COMPLETED',
  'FAILED',
  'DELETING',
  'DELETED',
  'INACTIVE',
] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];
