// Makes the states and times of accounts consistent with their syncs. In the specification, the sync state `partially_synced`
// maps to COMPLETED, and `cancelled` maps to FAILED. `lastSyncedAt` is the time of the last successful sync.

import { type LegColumns, NOT_SYNCED } from '../../books/columns.ts';
import { SPAN_END } from '../../books/prices.ts';
import type { ConnectionStatus } from '../integrations/entities.ts';
import { SYNC_DAYS } from '../ledgers/format.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** A sync that imported legs. */
interface Sync {
  readonly number: number;
  readonly lastLeg: number;
}

/** @param listsSyncs whether the legs of a wallet contain the ids of their syncs */
export function agreeSyncs(
  columns: LegColumns,
  statuses: readonly ConnectionStatus[],
  listsSyncs: (wallet: number) => boolean,
) {
  const latest = latestSyncs(columns, statuses.length).map((syncs, wallet) =>
    listsSyncs(wallet) ? syncs : [],
  );
  /** States that override the usual state of a sync, by sync number. */
  const states = new Map<number, string>();
  const times = statuses.map((status, wallet) => {
    const [last, previous] = latest[wallet] ?? [];
    if (status === 'FAILED') {
      if (last) states.set(last.number, 'cancelled');
      if (previous) states.set(previous.number, 'partially_synced');
      return previous ? timeOf(previous, wallet) : 0;
    }
    // Without a sync, use a time after the end of the last year in every time zone, so that the account is up to date.
    return last === undefined ? SPAN_END + DAY - wallet * MINUTE : timeOf(last, wallet);
  });
  /** The time of the last successful sync of a wallet, in Unix milliseconds; 0 if no sync was successful. */
  const lastSyncedAt = (wallet: number) => times[wallet] ?? 0;
  return { states, lastSyncedAt };
}

/** Returns the last two syncs of each wallet, latest first. */
function latestSyncs({ size, flags, wallet, timestamp }: LegColumns, wallets: number): Sync[][] {
  const found: Sync[][] = Array.from({ length: wallets }, () => []);
  for (let row = size - 1; row >= 0; row -= 1) {
    const syncs = found[wallet[row] ?? 0];
    if (syncs === undefined || syncs.length === 2 || ((flags[row] ?? 0) & NOT_SYNCED) !== 0) continue;
    const lastLeg = timestamp[row] ?? 0;
    const number = (wallet[row] ?? 0) * SYNC_DAYS + Math.floor(lastLeg / DAY);
    if (syncs[0]?.number !== number) syncs.push({ number, lastLeg });
  }
  return found;
}

/** Returns the time of a sync: near the end of the day, but not before the last leg of the sync. */
function timeOf({ number, lastLeg }: Sync, wallet: number): number {
  return Math.max(lastLeg, ((number % SYNC_DAYS) + 1) * DAY - 1 - wallet * MINUTE);
}
