// Spec: Events. The kinds of events, their envelope, and the run object.

import { type Reader, refuse } from '../core/readers.ts';

const EMITTED_KINDS = [
  'integration.created',
  'integration.updated',
  'integration.deleted',
  'integration.failed',
  'transfer_detection.started',
  'transfer_detection.completed',
  'transfer_detection.failed',
  'costbasis.started',
  'costbasis.completed',
  'costbasis.failed',
] as const;
export type EmittedKind = (typeof EMITTED_KINDS)[number];

export interface Envelope {
  /** Format: `whd_<id>`. A retry has the same id as the first attempt. */
  readonly id: string;
  readonly event: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Format: `cgrant_<id>`. */
  readonly grant_id: string;
  /** Format: `ws_<id>`; null only for grants issued before the v1 to v2 migration. */
  readonly workspace_id: string | null;
  readonly data: object;
}

/** Spec: Run object. */
export interface RunObject {
  readonly action: 'DETECT_TRANSFER' | 'ACCOUNT_MANAGER';
  readonly status: 'started' | 'completed' | 'failed';
  /** Why the run failed; null if it did not fail. */
  readonly reason: string | null;
  /** Time of the status change, in Unix milliseconds. */
  readonly timestamp: number;
}

export type RunCategory = 'transfer_detection' | 'costbasis';

const ACTIONS = { transfer_detection: 'DETECT_TRANSFER', costbasis: 'ACCOUNT_MANAGER' } as const;

export function runObject(
  category: RunCategory,
  status: RunObject['status'],
  timestamp: number,
  reason: string | null = null,
): RunObject {
  return { action: ACTIONS[category], status, reason, timestamp };
}

export const readKind: Reader<EmittedKind> = (value, place) =>
  EMITTED_KINDS.find((kind) => kind === value) ??
  refuse(place, `one of ${EMITTED_KINDS.join(', ')}; to send any other kind, add "set": {"event": "NAME"}`);
