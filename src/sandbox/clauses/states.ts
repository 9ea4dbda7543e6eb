import { type Clause, sections } from './clause.ts';

export const STATES: readonly Clause[] = sections(`
Integration status (webhook vocabulary) | status | state
  QUEUED: Waiting to sync; not terminal
  SYNCING: Sync running; not terminal
  COMPLETED: Sync finished (also reported when rows were dropped: partial runs report COMPLETED); terminal
  FAILED: Sync failed or was cancelled; terminal
  DELETING: Removal started; not terminal
  DELETED: Removal finished; only sent on integration.deleted; terminal
  INACTIVE: Syncing disabled or integration suspended; terminal
  removed [transition]: DELETING: removal settles, removal succeeded: DELETED, and an integration.deleted event with status DELETED
  not-removed [transition]: DELETING: removal settles, removal failed: FAILED, and an integration event with status FAILED

Sync states | sync | state
  states: The sync has seven states
  folds.partially_synced [transition]: The webhook status folds them: partially_synced maps to COMPLETED
  folds.cancelled [transition]: The webhook status folds them: cancelled maps to FAILED
  partially_synced: GET /v1/sync/{syncId} exposes the underlying partially_synced status
  recordsFailed [field]: GET /v1/sync/{syncId} exposes recordsFailed
  limitReached [field]: GET /v1/sync/{syncId} exposes limitReached (true when the run was cut short by the workspace's transaction limit rather than a connector failure)

Transfer detection and cost basis runs | run | transition
  started [state]: Both event categories carry status started, completed or failed
  completed: started: run finishes, success: completed, completed event sent
  failed: started: run errors: failed, failed event sent with reason
  order: In a full portfolio recalculation the events typically occur in this order: transfer_detection.started, transfer_detection.completed, costbasis.started, costbasis.completed

Accounting period | period | state
  locked: A period can be filed and locked; writes that fall in it are rejected with PERIOD_LOCKED (409) and nothing is applied
  unlocked [transition]: The period must be unlocked before the edit can land
`);
