import { isExactNumber, type JsonRecord } from '../core/json.ts';
import { single } from './endpoint.ts';
import { bool, nullable, number, open, type RecordOf, required, text } from './records.ts';

/**
 * The specification names only these two of the seven sync states. The client treats both as final: when a sync has one of
 * these states, the account has a final status.
 */
export const NAMED_SYNC_STATES = ['partially_synced', 'cancelled'] as const;

/** Fields of a sync, from "Sync states" in the specification. The specification lists no other fields. */
const record = {
  /** One of seven states. The specification names only two of the seven states. */
  status: required(open(...NAMED_SYNC_STATES)),
  recordsFailed: nullable(number),
  /** Whether the sync stopped because of the workspace's transaction limit, and not because of a connector failure. */
  limitReached: nullable(bool),
  message: nullable(text),
};
export type Sync = RecordOf<typeof record>;

/** Returns the number of failed records. Returns 0 if the field is missing. */
export function failedRecords({ recordsFailed }: JsonRecord): number {
  return Number(isExactNumber(recordsFailed) ? recordsFailed.value : recordsFailed) || 0;
}

/** Whether the sync dropped records, whatever its state. The cause is either failed records or the transaction limit. */
export function droppedRecords(record: JsonRecord): boolean {
  const { status, limitReached } = record;
  return status === 'partially_synced' || failedRecords(record) > 0 || limitReached === true;
}

export const sync = single({ path: '/v1/sync/{syncId}', noun: 'sync', record });
