import type { AccountStatus } from './account-statuses.ts';

/**
 * The vocabulary to which a state belongs. States of different vocabularies are never compared, because the service maps the
 * state of a sync to a different status of the connected account ("Sync states").
 */
export type Vocabulary = 'connected account' | 'sync' | 'background run' | 'accounting period';

/** One state of "States and transitions" in the specification. */
export interface CataloguedState {
  readonly state: string;
  readonly vocabulary: Vocabulary;
  /** Whether the state is final; null if the specification does not define it. */
  readonly terminal: boolean | null;
  readonly means: string;
  /** Commands and events that show the state. */
  readonly seen: string;
}

const ACCOUNT = 'cryptodata integrations list, integrations wait, sync status; integration events';
const SYNC = 'cryptodata sync get, sync watch';
const RUN = 'events transfer_detection.* and costbasis.*';

/** Every state that the specification names. The specification names only two of the seven sync states. */
export const STATE_CATALOGUE: readonly CataloguedState[] = [
  account('QUEUED', false, 'Waiting to sync.'),
  account('SYNCING', false, 'A sync is running.'),
  account(
    'COMPLETED',
    true,
    'The sync finished. Rows may have been dropped, because a partial sync also reports COMPLETED: check the state of the sync.',
  ),
  account(
    'FAILED',
    true,
    'The sync failed or was cancelled, or a removal failed; errorMessage may give the reason.',
  ),
  account(
    'DELETING',
    false,
    'The account is being removed. The next state is DELETED, or FAILED if the removal fails.',
  ),
  account('DELETED', true, 'The account is removed; only the event integration.deleted reports this state.'),
  account('INACTIVE', true, 'Syncing is disabled, or the account is suspended.'),
  {
    state: 'partially_synced',
    vocabulary: 'sync',
    terminal: null,
    means:
      "Rows were dropped: recordsFailed counts the dropped rows, and message gives the reason. limitReached shows whether the workspace's transaction limit stopped the sync. The account shows COMPLETED.",
    seen: SYNC,
  },
  {
    state: 'cancelled',
    vocabulary: 'sync',
    terminal: null,
    means: 'The sync was cancelled. The account shows FAILED until it syncs again.',
    seen: SYNC,
  },
  run('started', 'Transfer detection or cost basis calculation began for the workspace.', false),
  run('completed', 'The run finished successfully.', true),
  run('failed', 'The run failed; see reason.', true),
  {
    state: 'locked',
    vocabulary: 'accounting period',
    terminal: null,
    means:
      'The period is filed. Writes that affect the period are rejected with PERIOD_LOCKED until the period is unlocked.',
    seen: 'cryptodata help errors PERIOD_LOCKED',
  },
];

function account(state: AccountStatus, terminal: boolean, means: string): CataloguedState {
  return { state, vocabulary: 'connected account', terminal, means, seen: ACCOUNT };
}

function run(state: string, means: string, terminal: boolean): CataloguedState {
  return { state, vocabulary: 'background run', terminal, means, seen: RUN };
}
