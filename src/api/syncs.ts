import { single } from './endpoint.ts';
import { bool, nullable, number, open, type RecordOf, required, text } from './records.ts';

/**
 * The specification names only these two of the seven sync states. Both states are final, because they map to final statuses of
 * an integration.
 */
export const NAMED_SYNC_STATES = ['partially_synced', 'cancelled'] as const;

/** "Sync states". The specification lists no other fields of a sync. */
const record = {
  /** One of seven states, of which the specification names only two. */
  status: required(open(...NAMED_SYNC_STATES)),
  recordsFailed: nullable(number),
  /** Whether the workspace's transaction limit, not a failure of the connector, stopped the sync. */
  limitReached: nullable(bool),
  message: nullable(text),
};
export type Sync = RecordOf<typeof record>;

export const sync = single({ path: '/v1/sync/{syncId}', noun: 'sync', record });
