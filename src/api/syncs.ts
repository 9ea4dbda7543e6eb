import { single } from './endpoint.ts';
import { bool, nullable, number, type RecordOf, required, text } from './records.ts';

/** "Sync states": no other field is specified. */
const record = {
  /** One of seven states, of which two are specified: `partially_synced` and `cancelled`. */
  status: required(text),
  recordsFailed: nullable(number),
  /** Stopped by the workspace's transaction limit, and not by a failure of the connector. */
  limitReached: nullable(bool),
  message: nullable(text),
};
export type Sync = RecordOf<typeof record>;

export const sync = single({ path: '/v1/sync/{syncId}', noun: 'sync', record });

/**
 * The states of a sync that the specification names; both are final, as the statuses of an integration that they are
 * folded into. The other five have no names there.
 */
export const NAMED_SYNC_STATES = ['partially_synced', 'cancelled'] as const;
