// Accounts of ledgers that the user gives: those that the ledgers name, with what `integrations.json` says of them, and
// those that only the file names. Each field is taken where it is of its type (spec: Integration); others are left out.

import { isLosslessNumber } from 'lossless-json';
import { member } from '../data/resources.ts';
import { CUSTOM_PROVIDER } from '../ledgers/catalogue.ts';
import type { Provider } from '../providers/entities.ts';
import { type Integration, readStatus } from './entities.ts';

export interface GivenAccount {
  readonly walletId: string;
  readonly providerId: string;
  readonly totalTransactions: number;
}

export function accountOf(
  { walletId, providerId, totalTransactions }: GivenAccount,
  source: Provider | undefined,
): Integration {
  const type = source?.type;
  return {
    providerId,
    isCustomWallet: providerId === CUSTOM_PROVIDER,
    provider: providerId,
    providerPublicName: source?.publicName ?? providerId,
    publicAddress: '',
    walletId,
    logoUrl: source?.logo ?? '',
    isContract: false,
    alias: '',
    status: 'COMPLETED',
    addedOn: 0,
    lastSyncedAt: 0,
    category: type === 'exchange' || type === 'wallet' || type === 'blockchain' ? type : 'unknown',
    type: 'api',
    totalTransactions,
  };
}

/**
 * Those that are told of come first, in the order of the file.
 *
 * @throws RangeError for a record without a walletId
 */
export function withGiven(
  accounts: readonly Integration[],
  records: readonly unknown[],
  provider: (id: string) => Provider | undefined,
): Integration[] {
  const known = new Map(accounts.map((account) => [account.walletId, account]));
  const first = new Map<string, Integration>();
  for (const record of records) {
    const walletId = member(record, 'walletId');
    if (typeof walletId !== 'string') throw new RangeError('Each integration must have a walletId');
    const given = member(record, 'providerId') ?? member(record, 'provider');
    const providerId = typeof given === 'string' ? given : CUSTOM_PROVIDER;
    const account =
      first.get(walletId) ??
      known.get(walletId) ??
      accountOf({ walletId, providerId, totalTransactions: 0 }, provider(providerId));
    known.delete(walletId);
    first.set(walletId, told(account, record));
  }
  return [...first.values(), ...known.values()];
}

function told(account: Integration, record: unknown): Integration {
  const text = (name: keyof Integration & string, otherwise: string): string => {
    const value = member(record, name);
    return typeof value === 'string' ? value : otherwise;
  };
  const number = (name: string, otherwise: number): number => {
    const value = member(record, name);
    return isLosslessNumber(value) || typeof value === 'number' ? Number(value) : otherwise;
  };
  const categories = ['exchange', 'wallet', 'blockchain', 'unknown'] as const;
  const category = member(record, 'category');
  const custom = member(record, 'isCustomWallet');
  const type = member(record, 'type');
  const errorMessage = text('errorMessage', account.errorMessage ?? '');
  return {
    providerId: text('providerId', account.providerId),
    isCustomWallet: typeof custom === 'boolean' ? custom : account.isCustomWallet,
    provider: text('provider', account.provider),
    providerPublicName: text('providerPublicName', account.providerPublicName),
    publicAddress: text('publicAddress', account.publicAddress),
    walletId: account.walletId,
    logoUrl: text('logoUrl', account.logoUrl),
    isContract: false,
    alias: text('alias', account.alias),
    status: readStatus(member(record, 'status')) ?? account.status,
    ...(errorMessage === '' ? {} : { errorMessage }),
    addedOn: number('addedOn', account.addedOn),
    lastSyncedAt: number('lastSyncedAt', account.lastSyncedAt),
    category: categories.find((known) => known === category) ?? account.category,
    type: type === 'csv' || type === 'api' ? type : account.type,
    totalTransactions: number('totalTransactions', account.totalTransactions),
  };
}
