import { single } from './endpoint.ts';
import { bool, nullable, number, type RecordOf, required, text } from './records.ts';

/** "Sync states": no other field is specified. */
const record = {
  /** One of seven states, of which two are specified: `partially_synced` and `cancelled`. */
  status: required(text),
  recordsFailed: nullable(number),
  /** Whether the workspace's transaction limit, not a failure of the connector, stopped the sync. */
  limitReached: nullable(bool),
  message: nullable(text),
};
export type Sync = RecordOf<typeof record>;

export const sync = single({ path: '/v1/sync/{syncId}', noun: 'sync', record });

/**
 * The specified states of a sync. Both are final, because they map to
 * final statuses of an integration. The other five states are not named.
 */
export const NAMED_SYNC_STATES = ['partially_synced', 'cancelled'] as const;
