import { accountId, integrations, maySync } from '../api/integrations.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import type { Column } from '../formats/columns.ts';
import { columnsAfter } from '../formats/open.ts';

/**
 * Columns for the latest sync of each account, which `sync status` adds. The state of a sync is not the status of its account.
 */
const latestSync: readonly Column[] = [
  { key: 'latestSync.status', header: 'sync state', state: true, whole: true },
  { key: 'latestSync.recordsFailed', header: 'records failed', figure: true },
  { key: 'latestSync.limitReached', header: 'limit reached', drop: 1 },
];

const { table, csv } = integrations.columns;
const inTable = (...keys: readonly string[]) =>
  keys.flatMap((key) => table.find((column) => column.key === key) ?? []);

/** Returns the state of the latest sync: null if the account cannot have synced, `unknown` if `latestSync` is missing. */
function syncState(account: JsonRecord): unknown {
  const { latestSync } = account;
  if (isRecord(latestSync)) return latestSync['status'];
  return maySync(account) ? 'unknown' : null;
}

/** Columns of `sync status`. Tables omit columns that are unrelated to the status. */
export const STATUS_COLUMNS = columnsAfter(
  {
    table: [
      ...inTable('status', 'providerPublicName', 'account', 'lastSyncedAt'),
      { key: 'latestSync.status', header: 'sync state', state: true, whole: true, derive: syncState },
      ...latestSync.slice(1),
      ...inTable('errorMessage'),
      { key: 'walletId', whole: true, derive: accountId },
    ],
    csv: [...csv, { key: 'latestSync.syncId' }, ...latestSync, { key: 'latestSync.message' }],
  },
  () => true,
);

/** Converts a field of any type to text. The text is empty if the field is missing or null. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}
