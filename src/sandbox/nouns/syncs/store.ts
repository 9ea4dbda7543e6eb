// Serves the syncs that ledgers refer to, and scripted syncs. The specification names only two of the seven sync states. The
// sandbox uses the two named states, and the states in the option `syncStates`.

import { rowAfter } from '../../books/book.ts';
import { type LegColumns, NOT_SYNCED } from '../../books/columns.ts';
import type { SandboxTime } from '../../core/clock.ts';
import type { NumberedIds } from '../../core/ids.ts';
import { type Reader, type Saved, shape } from '../../core/readers.ts';
import {
  createRun,
  type SavedRun,
  type ScriptRun,
  savedRunReader,
  scriptMembers,
} from '../../core/script.ts';
import { CONNECTION_STATUSES, type ConnectionStatus } from '../integrations/entities.ts';
import { SYNC_DAYS } from '../ledgers/format.ts';

const { flag, mapOf, nullable, number, object, text } = shape;

const readName = shape.of((value): value is string => typeof value === 'string' && value !== '', 'a name');
/** Fields of a sync record. `integration` is the status of the account while the sync is in this state. */
const readSyncRecord = object(
  { status: readName },
  {
    ...{ recordsFailed: number, limitReached: flag, message: text },
    integration: shape.oneOf(...CONNECTION_STATUSES),
  },
);
/** A state of a sync, alone or together with other fields of the sync record. */
export type SyncState = string | Saved<typeof readSyncRecord>;
const readSyncState: Reader<SyncState> = (value, place) =>
  typeof value === 'string' ? readName(value, place) : readSyncRecord(value, place);

const { states, every } = scriptMembers(readSyncState);
/** `walletId` is an account. The status of the account changes together with the state of the sync. */
export const readSyncScript = object({ states }, { every, walletId: text });
export type SyncScript = Saved<typeof readSyncScript>;

/** In the specification, a sync has seven states, of which only two are named. */
export const MAX_FURTHER_STATES = 5;

export type SyncStore = ReturnType<typeof createSyncStore>;

export interface SyncStoreOptions {
  readonly columns: LegColumns;
  readonly ids: NumberedIds;
  readonly listsSyncs: (wallet: number) => boolean;
  /** States that override the usual state of a sync, by sync number. */
  readonly decided: ReadonlyMap<number, string>;
  /** Ids of the syncs to which the user's ledgers refer. */
  readonly given: ReadonlySet<string>;
  readonly clock: SandboxTime;
  readonly isAccount: (walletId: string) => boolean;
  /** Sets the status of an account when the state of its sync changes. */
  readonly follow: (walletId: string, status: ConnectionStatus, errorMessage?: string) => void;
  /** Names of additional states. */
  readonly states: readonly string[];
  readonly scripts: Readonly<Record<string, SyncScript>>;
}

const DAY = 86_400_000;

export function createSyncStore(options: SyncStoreOptions) {
  const { columns, ids, listsSyncs, decided, given, clock, isAccount, follow, states, scripts } = options;
  const runs = new Map<string, { run: ScriptRun<SyncState>; walletId: string | undefined }>();
  const stateOf = (number: number) => decided.get(number) ?? stateOfNumber(number, states);

  function script(id: string, { walletId, ...given }: SyncScript, saved?: SavedRun<SyncState>): void {
    runs.get(id)?.run.stop();
    const entered = (state: SyncState) => {
      if (walletId === undefined) return;
      const status = folded(state, states.at(-1));
      const { message } = recordOf(state);
      if (status === 'FAILED' && message !== '') follow(walletId, status, message);
      else follow(walletId, status);
    };
    const run = createRun(given, { clock, entered, saved });
    runs.set(id, { run, walletId });
  }

  function reset(): void {
    clear();
    for (const [id, given] of Object.entries(scripts)) script(id, given);
  }

  function clear(): void {
    for (const { run } of runs.values()) run.stop();
    runs.clear();
  }

  function look(id: string) {
    const scripted = runs.get(id);
    if (scripted !== undefined) return recordOf(scripted.run.look());
    const index = ids.index(id);
    if (given.has(id)) return settled(numberOf(id), stateOf(numberOf(id)));
    if (index === undefined || !listsSyncs(Math.floor(index / SYNC_DAYS))) return undefined;
    return hasRun(columns, index) ? settled(index, stateOf(index)) : undefined;
  }

  reset();
  return {
    look,
    isAccount,
    script,
    reset,
    save: (): SavedSyncs =>
      Object.fromEntries(
        [...runs].map(([id, { run, walletId = null }]) => [id, { walletId, run: run.save() }]),
      ),
    restore(saved: SavedSyncs): void {
      clear();
      for (const [id, { walletId, run }] of Object.entries(saved)) {
        script(id, walletId === null ? run.script : { ...run.script, walletId }, run);
      }
    },
  };
}

export const readSavedSyncs = mapOf(object({ walletId: nullable(text), run: savedRunReader(readSyncState) }));
export type SavedSyncs = Saved<typeof readSavedSyncs>;

/** Hashes a sync id to a number. */
function numberOf(id: string): number {
  return [...id].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 0);
}

/** Whether the wallet of the sync has a synced leg on the day of the sync. */
function hasRun(columns: LegColumns, index: number): boolean {
  const { size, timestamp, wallet, flags } = columns;
  const [ofWallet, day] = [Math.floor(index / SYNC_DAYS), index % SYNC_DAYS];
  const end = (day + 1) * DAY;
  for (let row = rowAfter(columns, day * DAY - 1); row < size && (timestamp[row] ?? 0) < end; row += 1) {
    if (wallet[row] === ofWallet && ((flags[row] ?? 0) & NOT_SYNCED) === 0) return true;
  }
  return false;
}

/**
 * Returns the state of a sync that imported legs. The state is `partially_synced`, or the last name in `further`, which is the
 * state of a finished sync.
 *
 * @param further names of additional states
 */
function stateOfNumber(number: number, further: readonly string[]): string {
  const finished = further.at(-1);
  return finished === undefined || number % 7 === 0 ? 'partially_synced' : finished;
}

function settled(index: number, status: string) {
  if (status !== 'partially_synced') return recordOf(status);
  const recordsFailed = 1 + (index % 37);
  // `limitReached` means that the sync stopped because of the workspace's transaction limit, not because of the connector.
  const limitReached = index % 5 === 0;
  const message = limitReached
    ? 'The workspace has reached its transaction limit'
    : `${recordsFailed} records could not be read`;
  return { status, recordsFailed, limitReached, message };
}

/**
 * Returns the account status for a state of a sync. In the specification, `partially_synced` maps to COMPLETED, and
 * `cancelled` maps to FAILED. In the sandbox, the state of a finished sync maps to COMPLETED, and other states map to SYNCING. A script
 * can override the status.
 */
function folded(state: SyncState, finished: string | undefined): ConnectionStatus {
  const { status, integration = undefined } = typeof state === 'string' ? { status: state } : state;
  if (integration !== undefined) return integration;
  if (status === 'partially_synced' || status === finished) return 'COMPLETED';
  return status === 'cancelled' ? 'FAILED' : 'SYNCING';
}

/** A sync record, with exactly the fields that the specification defines. */
function recordOf(state: SyncState) {
  const { integration: _ = undefined, ...given } = typeof state === 'string' ? { status: state } : state;
  const message = given.status === 'cancelled' ? 'The sync was cancelled' : '';
  return { recordsFailed: 0, limitReached: false, message, ...given };
}
