import type { Client } from '../../client/client.ts';
import { CryptodataError } from '../../core/errors.ts';
import { asRecord } from '../lists.ts';
import { accountName } from './columns.ts';

/** Names of the connected accounts by walletId; empty if they cannot be read, as a missing name must not hide a failure. */
export async function accountNames(client: Client, signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const row of client.integrations.list({}, signal).asServed()) {
      const record = asRecord(row);
      const { walletId } = record;
      if (typeof walletId === 'string') names.set(walletId, accountName(record));
    }
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
  }
  return names;
}

/** `1 connected account`. */
export function accounts(count: number | bigint): string {
  return Number(count) === 1 ? '1 connected account' : `${count.toLocaleString('en')} connected accounts`;
}
