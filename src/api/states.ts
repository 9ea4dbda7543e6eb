/**
 * Which states a name belongs to. They are never compared with each other: the service folds its own sync states into
 * those of connected accounts ("Sync states").
 */
export type Vocabulary = 'connected account' | 'sync' | 'background run' | 'accounting period';

/** One state of "States and transitions" in the specification. */
export interface CataloguedState {
  readonly state: string;
  readonly vocabulary: Vocabulary;
  /** Whether it is an end; null where the specification does not show it. */
  readonly terminal: boolean | null;
  readonly means: string;
  /** Where it is seen. */
  readonly seen: string;
}

const ACCOUNT = 'cryptodata integrations list, integrations wait, sync status; integration events';
const SYNC = 'cryptodata sync get, sync watch';
const RUN = 'events transfer_detection.* and costbasis.*';

/** Every state that the specification names. Of the seven sync states it names two. */
export const STATE_CATALOGUE: readonly CataloguedState[] = [
  account('QUEUED', false, 'Waiting to sync.'),
  account('SYNCING', false, 'A sync is running.'),
  account(
    'COMPLETED',
    true,
    'The sync finished. That rows were dropped is not seen here: a partial run reports COMPLETED too; look at the sync itself.',
  ),
  account('FAILED', true, 'The sync failed or was cancelled, or a removal failed; errorMessage may say why.'),
  account('DELETING', false, 'The removal of the account has begun; it settles as DELETED or FAILED.'),
  account('DELETED', true, 'The removal is finished; only the event integration.deleted says so.'),
  account('INACTIVE', true, 'Syncing is disabled, or the account is suspended.'),
  {
    state: 'partially_synced',
    vocabulary: 'sync',
    terminal: null,
    means:
      "Rows were dropped: recordsFailed and message say how many and why, limitReached whether it was the workspace's transaction limit. The account shows COMPLETED.",
    seen: SYNC,
  },
  {
    state: 'cancelled',
    vocabulary: 'sync',
    terminal: null,
    means: 'The sync was cancelled. The account shows FAILED.',
    seen: SYNC,
  },
  run('started', 'Transfer detection or cost basis calculation began for the workspace.', false),
  run('completed', 'The run finished successfully.', true),
  run('failed', 'The run errored; reason says why.', true),
  {
    state: 'locked',
    vocabulary: 'accounting period',
    terminal: null,
    means: 'The period is filed: writes that fall in it are refused with PERIOD_LOCKED until it is unlocked.',
    seen: 'cryptodata help errors PERIOD_LOCKED',
  },
];

function account(state: string, terminal: boolean, means: string): CataloguedState {
  return { state, vocabulary: 'connected account', terminal, means, seen: ACCOUNT };
}

function run(state: string, means: string, terminal: boolean): CataloguedState {
  return { state, vocabulary: 'background run', terminal, means, seen: RUN };
}
