// An account that a user connects while the sandbox runs. The current API documents no write operations: a control
// endpoint does it.

import type { Provider } from '../providers/entities.ts';
import { categoryOf } from './accounts.ts';
import type { Integration } from './entities.ts';

export interface Connection {
  readonly providerId: string;
  readonly alias?: string;
  readonly publicAddress?: string;
  /** api: by API keys or OAuth, or by address; csv: by files, which are never synced. */
  readonly type?: Integration['type'];
}

export interface ConnectionParts {
  readonly walletId: string;
  readonly provider: Provider | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

export function accountOf(connection: Connection, { walletId, provider, now }: ConnectionParts): Integration {
  const { providerId, alias = '', publicAddress = '', type = 'api' } = connection;
  return {
    providerId,
    isCustomWallet: false,
    provider: providerId,
    providerPublicName: provider?.publicName ?? providerId,
    publicAddress,
    walletId,
    logoUrl: provider?.logo ?? '',
    isContract: false,
    alias,
    status: type === 'api' ? 'QUEUED' : 'COMPLETED',
    addedOn: now,
    lastSyncedAt: 0,
    category: categoryOf(provider),
    type,
    totalTransactions: 0,
  };
}

/** Reads `{ providerId, alias?, publicAddress?, type? }`, or what is wrong with it. */
export function readConnection(body: unknown): Connection | string {
  if (typeof body !== 'object' || body === null) return 'Send { "providerId": the id of a provider }';
  const { providerId, alias, publicAddress, type }: Partial<Record<keyof Connection, unknown>> = body;
  if (typeof providerId !== 'string') return 'providerId must be the id of a provider';
  if (alias !== undefined && typeof alias !== 'string') return 'alias must be a string';
  if (publicAddress !== undefined && typeof publicAddress !== 'string')
    return 'publicAddress must be a string';
  if (type !== undefined && type !== 'api' && type !== 'csv') return 'type must be api or csv';
  return {
    providerId,
    ...(alias === undefined ? {} : { alias }),
    ...(publicAddress === undefined ? {} : { publicAddress }),
    ...(type === undefined ? {} : { type }),
  };
}
