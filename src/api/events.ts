import { INTEGRATION_EVENTS, type IntegrationEvent, RUN_EVENTS, type RunEvent } from './event-kinds.ts';
import { integrations } from './integrations.ts';
import { anything, int, nullable, open, type RecordOf, required, text, type Unlisted } from './records.ts';

/** Fields of a webhook delivery, from "Envelope" in the specification. */
export const envelope = {
  /** Id of the delivery (`whd_…`). A retry of the delivery has the same id. */
  id: required(text),
  event: required(open(...INTEGRATION_EVENTS, ...RUN_EVENTS)),
  /** Time of the delivery, in ISO 8601. */
  timestamp: required(text),
  /** Id of the grant to which the delivery belongs (`cgrant_…`). The grant identifies the customer. */
  grant_id: required(text),
  /** Id of the workspace (`ws_…`); null only for old grants. */
  workspace_id: required(nullable(text)),
  data: required(anything),
};
type Envelope = Omit<RecordOf<typeof envelope>, 'event' | 'data'>;

/** Fields of a run that detects transfers or calculates the cost basis, from "Run object" in the specification. */
export const jobRun = {
  action: open('DETECT_TRANSFER', 'ACCOUNT_MANAGER'),
  status: open('started', 'completed', 'failed'),
  /** Reason for the failure; null if the run did not fail. */
  reason: nullable(text),
  /** Time of the change, in Unix milliseconds. */
  timestamp: int,
};
export type JobRun = RecordOf<typeof jobRun>;

/**
 * Fields of an account in a webhook delivery. An account in a delivery always has a `walletId`, unlike an account in a list.
 */
const account = { ...integrations.record, walletId: required(text) };

/** A webhook delivery. The value of `event` determines the type of `data`. */
export type WebhookEvent = Envelope &
  (
    | { readonly event: IntegrationEvent; readonly data: RecordOf<typeof account> }
    | { readonly event: RunEvent; readonly data: JobRun }
    | { readonly event: Unlisted; readonly data: unknown }
  );

/** Returns the fields of `data` that the specification lists for an event, or undefined for an unknown event. */
export function dataFieldsOf(event: unknown) {
  if (INTEGRATION_EVENTS.some((known) => known === event)) return account;
  return RUN_EVENTS.some((known) => known === event) ? jobRun : undefined;
}
