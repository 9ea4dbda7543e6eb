/** "Integration status (webhook vocabulary)": the states of a connected account. */
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
