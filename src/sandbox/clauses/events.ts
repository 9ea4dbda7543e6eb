import { type Clause, sections } from './clause.ts';

export const EVENTS: readonly Clause[] = sections(`
Events | events | event
  categories: The service sends webhook deliveries in three categories: integration, transfer detection and cost basis. No other event categories are sent

Envelope | envelope | event
  id: Delivery id, form whd_<id>; a retry of the same delivery reuses it
  event: <category>.<action>
  timestamp: ISO 8601 time of delivery
  grant_id: Form cgrant_<id>; the grant the delivery belongs to; the key for mapping to a customer
  workspace_id: Form ws_<id>; null only for grants issued before the v1 to v2 migration
  data: Event-specific payload
  body-only [header]: grant_id and workspace_id are in the body only, never in headers
  no-user: data carries no user identifier and, for transfer detection and cost basis, no wallet id

Event kinds | event | event
  integration.created: A user connected a wallet or exchange: Integration webhook object
  integration.updated: An integration was updated or synced: Integration webhook object
  integration.deleted: A user removed a connection: Integration webhook object (status DELETING then DELETED or FAILED)
  integration.failed: An integration sync errored: Integration webhook object with status FAILED, errorMessage when present
  transfer_detection.started: Transfer detection began for the workspace: Run object
  transfer_detection.completed: Transfer detection finished successfully: Run object
  transfer_detection.failed: Transfer detection errored: Run object, reason set
  costbasis.started: Cost basis calculation began: Run object
  costbasis.completed: Cost basis calculation finished successfully: Run object
  costbasis.failed: Cost basis calculation errored: Run object, reason set
  run.action [field]: string; always DETECT_TRANSFER for transfer detection, always ACCOUNT_MANAGER for cost basis
  run.status [field]: started, completed or failed
  run.reason [field]: string or null; error reason when failed, otherwise null
  run.timestamp [field]: number, Unix milliseconds of the status change
  workspace-wide: Transfer detection and cost basis events are workspace-wide
  created-first: The first integration.created for a new connection arrives before the client has stored any wallet id
`);
