/** The events under "Event kinds" in the specification, grouped by the type of the object in `data`. */
export const INTEGRATION_EVENTS = [
  'integration.created',
  'integration.updated',
  'integration.deleted',
  'integration.failed',
] as const;
export const RUN_EVENTS = [
  'transfer_detection.started',
  'transfer_detection.completed',
  'transfer_detection.failed',
  'costbasis.started',
  'costbasis.completed',
  'costbasis.failed',
] as const;

export type IntegrationEvent = (typeof INTEGRATION_EVENTS)[number];
export type RunEvent = (typeof RUN_EVENTS)[number];
