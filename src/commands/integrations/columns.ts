import { type JsonRecord, stringifyJson } from '../../core/json.ts';
import type { Column, Columns } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';

/** The fields that the specification names, in its order, the two of the list itself first. */
const FIELDS = [
  'providerId',
  'isCustomWallet',
  'provider',
  'providerPublicName',
  'publicAddress',
  'walletId',
  'logoUrl',
  'isContract',
  'alias',
  'status',
  'errorMessage',
  'addedOn',
  'lastSyncedAt',
  'category',
  'type',
  'totalTransactions',
];

const name: Column = { key: 'providerPublicName', header: 'name' };
const lastSync: Column = {
  key: 'lastSyncedAt',
  header: 'last sync',
  moment: true,
  derive: ({ lastSyncedAt }) => (lastSyncedAt === 0 ? 'never' : lastSyncedAt),
};
const added: Column = {
  key: 'addedOn',
  header: 'added',
  moment: true,
  derive: ({ addedOn }) => (addedOn === 0 ? 'unknown' : addedOn),
};
const error: Column = { key: 'errorMessage', header: 'error' };
const csv: readonly Column[] = FIELDS.map((key) => ({ key }));

const LIST: Columns = {
  table: [
    name,
    { key: 'alias' },
    { key: 'status' },
    { key: 'category' },
    { key: 'type' },
    { key: 'totalTransactions', header: 'transactions', figure: true },
    added,
    lastSync,
    error,
    { key: 'walletId' },
  ],
  csv,
};

/** The latest known sync, which `sync status` adds: its states are another vocabulary than `status`. */
const latestSync: readonly Column[] = [
  { key: 'latestSync.status', header: 'sync state' },
  { key: 'latestSync.recordsFailed', header: 'records failed', figure: true },
  { key: 'latestSync.limitReached', header: 'limit reached' },
];

const STATUS: Columns = {
  table: [{ key: 'status' }, name, { key: 'alias' }, lastSync, ...latestSync, error, { key: 'walletId' }],
  csv: [...csv, { key: 'latestSync.syncId' }, ...latestSync, { key: 'latestSync.message' }],
};

const isKnown = (key: string) => FIELDS.includes(key);

export const INTEGRATION_COLUMNS = columnsAfter(LIST, isKnown);
/** How the accounts do, and nothing else of them. */
export const STATUS_COLUMNS = columnsAfter(STATUS, () => true);

/** An account as people know it: by its alias, else the name of its provider. */
export function accountName({ alias, providerPublicName, provider }: JsonRecord): string {
  const found = [alias, providerPublicName, provider].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found : '';
}

/** Text of a field, whatever came; nothing for what is not there. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}
