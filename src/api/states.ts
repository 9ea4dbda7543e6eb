import type { AccountStatus } from './account-statuses.ts';

/**
 * The kind of object that has the state. States of different kinds are never compared. For example, the account of a
 * `partially_synced` sync has the status `COMPLETED` (see "Sync states" in the specification).
 */
type Vocabulary = 'connected account' | 'sync' | 'background run' | 'accounting period';

/** A state from "States and transitions" in the specification. */
export interface CataloguedState {
  readonly state: string;
  readonly vocabulary: Vocabulary;
  /** Whether the state is final; null if the specification does not say. */
  readonly terminal: boolean | null;
  readonly means: string;
  /** Commands and events that show the state. */
  readonly seen: string;
}

const ACCOUNT = 'cryptodata integrations list, integrations wait, sync status; integration events';
const SYNC = 'cryptodata sync get, sync watch';
const RUN = 'transfer_detection.* and costbasis.* events';

/** All states that the specification names. The specification names only two of the seven sync states. */
export const STATE_CATALOGUE: readonly CataloguedState[] = [
  account('QUEUED', false, 'Waiting to sync.'),
  account('SYNCING', false, 'A sync is running.'),
  account(
    'COMPLETED',
    true,
    'The sync finished, but may have been partial. Check the state of the sync to find out whether rows were dropped.',
  ),
  account(
    'FAILED',
    true,
    'The sync failed or was cancelled, or a removal failed. The field "errorMessage" may contain the reason.',
  ),
  account(
    'DELETING',
    false,
    'The account is being removed. The next state is DELETED, or FAILED if the removal fails.',
  ),
  account('DELETED', true, 'The account was removed. Only the event integration.deleted reports this state.'),
  account('INACTIVE', true, 'Syncing is disabled, or the account is suspended.'),
  {
    state: 'partially_synced',
    vocabulary: 'sync',
    terminal: null,
    means:
      'The sync dropped rows. The field "recordsFailed" contains the number of dropped rows, and "message" contains the reason. The field "limitReached" is true if the transaction limit of the workspace stopped the sync. The connected account shows COMPLETED.',
    seen: SYNC,
  },
  {
    state: 'cancelled',
    vocabulary: 'sync',
    terminal: null,
    means: 'The sync was cancelled. The connected account shows FAILED until it syncs again.',
    seen: SYNC,
  },
  run('started', 'Transfer detection or cost basis calculation has started in the workspace.', false),
  run('completed', 'The run finished successfully.', true),
  run('failed', 'The run failed. The field "reason" contains the cause.', true),
  {
    state: 'locked',
    vocabulary: 'accounting period',
    terminal: null,
    means:
      'The period is filed. Changes to data in the period are rejected with PERIOD_LOCKED until the period is unlocked.',
    seen: 'cryptodata help errors PERIOD_LOCKED',
  },
];

function account(state: AccountStatus, terminal: boolean, means: string): CataloguedState {
  return { state, vocabulary: 'connected account', terminal, means, seen: ACCOUNT };
}

function run(state: string, means: string, terminal: boolean): CataloguedState {
  return { state, vocabulary: 'background run', terminal, means, seen: RUN };
}
