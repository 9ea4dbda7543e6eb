import { integrations } from '../../api/integrations.ts';
import { type JsonRecord, stringifyJson } from '../../core/json.ts';
import type { Column } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';

/** The latest known sync, added by `sync status`. Its states are a different vocabulary than `status`. */
const latestSync: readonly Column[] = [
  { key: 'latestSync.status', header: 'sync state', state: true, whole: true },
  { key: 'latestSync.recordsFailed', header: 'records failed', figure: true },
  { key: 'latestSync.limitReached', header: 'limit reached', drop: 1 },
];

const { table, csv } = integrations.columns;
const inTable = (...keys: readonly string[]) =>
  keys.flatMap((key) => table.find((column) => column.key === key) ?? []);

/** The status of accounts, and no other field. */
export const STATUS_COLUMNS = columnsAfter(
  {
    table: [
      ...inTable('status', 'providerPublicName', 'account', 'lastSyncedAt'),
      ...latestSync,
      ...inTable('errorMessage', 'walletId'),
    ],
    csv: [...csv, { key: 'latestSync.syncId' }, ...latestSync, { key: 'latestSync.message' }],
  },
  () => true,
);

/** The alias of an account; if it has none, the name of its provider. */
export function accountName({ alias, providerPublicName, provider }: JsonRecord): string {
  const found = [alias, providerPublicName, provider].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found : '';
}

/** Text of a field of any type; empty if it is absent. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}
