import type { JsonRecord } from '../core/json.ts';
import { ACCOUNT_STATUSES } from './account-statuses.ts';
import { call, type Join, joinOf, list, openList, openPaging } from './endpoint.ts';
import { isOneOf } from './readings.ts';
import { anything, bool, nullable, number, open, type RecordOf, text } from './records.ts';

/**
 * Fields of a connected account. See "Integration (webhook data object; matches the Integrations API response)" in the
 * specification. `providerId` and `isCustomWallet` occur only in lists.
 */
const record = {
  /** Id of the provider in the provider catalogue. */
  providerId: nullable(text),
  /** Whether the user created the account manually. The catalogue does not list the provider of a manual account. */
  isCustomWallet: nullable(bool),
  provider: nullable(text),
  providerPublicName: nullable(text),
  /** The public address of a wallet. Empty for exchange accounts, OAuth connections and CSV uploads. */
  publicAddress: nullable(text),
  /** Id of the connected account. The specification does not say whether lists contain this id. See `accountJoin`. */
  walletId: nullable(text),
  logoUrl: nullable(text),
  isContract: nullable(bool),
  alias: nullable(text),
  /** Status of the account, not the state of its last sync. */
  status: nullable(open(...ACCOUNT_STATUSES)),
  /** Reason for a failure; present only if `status` is `FAILED`. */
  errorMessage: nullable(text),
  /** Time when the account was added, in Unix milliseconds; 0 if unknown. */
  addedOn: nullable(number),
  /** Time of the last successful sync in Unix milliseconds; 0 if no sync has succeeded. */
  lastSyncedAt: nullable(number),
  category: nullable(open('exchange', 'wallet', 'blockchain', 'unknown')),
  /** `csv` for uploaded files, otherwise `api`. */
  type: nullable(open('api', 'csv')),
  totalTransactions: nullable(number),
};
export type Integration = RecordOf<typeof record>;

export const accountJoin: Join = { fields: ['walletId', 'id'], matches: 'walletId of a leg' };

/** The id of a connected account; undefined if the record has none. */
export function accountId(record: JsonRecord): string | undefined {
  return joinOf(record, accountJoin)?.id;
}

/**
 * Whether the account may have synced. If `lastSyncedAt` is 0, the account has never synced. An account that was entered by
 * hand never syncs.
 */
export function maySync({ lastSyncedAt, isCustomWallet }: JsonRecord): boolean {
  return lastSyncedAt !== 0 && isCustomWallet !== true;
}

export const integrations = list({
  path: '/v1/integrations',
  noun: 'connected account',
  nouns: 'connected accounts',
  paging: openPaging,
  record,
  join: accountJoin,
  isOpen: true,
  columns: {
    table: [
      { key: 'providerPublicName', header: 'provider', drop: 5 },
      { key: 'account', derive: ({ alias, providerPublicName }) => alias || providerPublicName },
      { key: 'status', state: true, whole: true },
      { key: 'category', drop: 2 },
      { key: 'type', drop: 1 },
      { key: 'totalTransactions', header: 'transactions', figure: true, drop: 4 },
      {
        key: 'addedOn',
        header: 'added',
        moment: true,
        drop: 3,
        derive: ({ addedOn }) => (addedOn === 0 ? 'unknown' : addedOn),
      },
      {
        key: 'lastSyncedAt',
        header: 'last sync',
        moment: true,
        drop: 6,
        derive: ({ lastSyncedAt }) => (lastSyncedAt === 0 ? 'never' : lastSyncedAt),
      },
      { key: 'errorMessage', header: 'error' },
      { key: 'walletId' },
    ],
  },
});

export const integrationAssets = openList({
  path: '/v1/integrations/{id}/assets',
  noun: 'asset',
  nouns: 'assets',
  // The specification lists no fields. In all other records, `walletId` is the id of an account.
  hasId: ({ walletId }, id) => isOneOf([walletId], [id]),
});

/** The specification defines neither the name of the query parameter nor the format of the response. */
export const aliasExists = call({ method: 'GET', path: '/v1/integrations/alias-exists' });
export const testCredentials = call({ method: 'POST', path: '/v1/integrations/test-credentials' });
export const batchDelete = call({
  method: 'POST',
  path: '/v1/integrations/batch-delete',
  answer: {
    /** Accounts that failed. */
    failed: anything,
  },
});
export const resyncAll = call({
  method: 'POST',
  path: '/v1/integrations/resync-all',
  answer: {
    /** Accounts that failed. */
    failed: anything,
  },
});
/** The response to a request that affects several accounts. The request succeeds with or without failed accounts. */
export type AccountsResult = RecordOf<typeof batchDelete.answer>;

/**
 * Returns whether an alias exists, according to a response of `alias-exists`. The specification does not define the format of
 * the response. The function looks for a boolean in `data` and in fields whose names end with "exists". Returns undefined if
 * there is no such boolean, or more than one.
 */
export function readAliasExists(answer: JsonRecord): boolean | undefined {
  const { success: _, ...fields } = answer;
  const values = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'boolean' && (name === 'data' || /exists$/i.test(name)) ? [value] : [],
  );
  return values.length === 1 ? values[0] : undefined;
}

/** Returns the alias of an account, or the provider's name if the account has no alias. */
export function accountName({ alias, providerPublicName, provider }: JsonRecord): string {
  const found = [alias, providerPublicName, provider].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found : '';
}

/** The statuses in "Integration status". DELETED is omitted, because it occurs only in events. */
export const INTEGRATION_STATUSES = ACCOUNT_STATUSES.filter((status) => status !== 'DELETED');
