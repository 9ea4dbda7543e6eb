import { INTEGRATION_EVENTS, type IntegrationEvent, RUN_EVENTS, type RunEvent } from './event-kinds.ts';
import { type Integration, integrations } from './integrations.ts';
import { anything, int, nullable, open, type RecordOf, required, text, type Unlisted } from './records.ts';

/** "Envelope" of a webhook delivery. */
export const envelope = {
  /** Delivery id, `whd_…`; a retry of the same delivery has the same id. */
  id: required(text),
  event: required(open(...INTEGRATION_EVENTS, ...RUN_EVENTS)),
  /** Time of the delivery, in ISO 8601. */
  timestamp: required(text),
  /** `cgrant_…`: the grant that the delivery belongs to, which identifies the customer. */
  grant_id: required(text),
  /** `ws_…`; null only for old grants. */
  workspace_id: required(nullable(text)),
  data: required(anything),
};
type Envelope = Omit<RecordOf<typeof envelope>, 'event' | 'data'>;

/** "Run object": transfer detection or cost basis calculation of a workspace. */
export const run = {
  action: open('DETECT_TRANSFER', 'ACCOUNT_MANAGER'),
  status: open('started', 'completed', 'failed'),
  /** Why the run failed; null if it did not fail. */
  reason: nullable(text),
  /** Time of the change, in Unix milliseconds. */
  timestamp: int,
};
export type Run = RecordOf<typeof run>;

/** A webhook delivery. `event` decides the type of `data`. */
export type WebhookEvent = Envelope &
  (
    | { readonly event: IntegrationEvent; readonly data: Integration }
    | { readonly event: RunEvent; readonly data: Run }
    | { readonly event: Unlisted; readonly data: unknown }
  );

/** The specified fields of `data`; undefined for an event that the specification does not list. */
export function dataFieldsOf(event: unknown) {
  if (INTEGRATION_EVENTS.some((known) => known === event)) return integrations.record;
  return RUN_EVENTS.some((known) => known === event) ? run : undefined;
}
