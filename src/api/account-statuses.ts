/** Statuses of a connected account, from "Integration status (webhook vocabulary)" in the specification. */
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
