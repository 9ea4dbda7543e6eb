import type { AccountStatus } from '../api/account-statuses.ts';
import { INTEGRATION_EVENTS, type IntegrationEvent, RUN_EVENTS } from '../api/event-kinds.ts';
import { INTEGRATION_STATUSES } from '../api/integrations.ts';

/** Type of the object in `data`. See "Event kinds" in the specification. */
type DataKind = 'integration' | 'run';

export interface EventKind {
  readonly event: string;
  readonly data: DataKind;
  /** Possible values of `data.status`. */
  readonly statuses: readonly string[];
}

const STATUSES: Readonly<Record<IntegrationEvent, readonly AccountStatus[]>> = {
  'integration.created': INTEGRATION_STATUSES,
  'integration.updated': INTEGRATION_STATUSES,
  'integration.deleted': ['DELETING', 'DELETED', 'FAILED'],
  'integration.failed': ['FAILED'],
};

/** All event kinds in the specification, which says: "No other event categories are sent." */
export const EVENT_KINDS: readonly EventKind[] = [
  ...INTEGRATION_EVENTS.map((event) => ({ event, data: 'integration' as const, statuses: STATUSES[event] })),
  ...RUN_EVENTS.map((event) => ({ event, data: 'run' as const, statuses: [actionOf(event)] })),
];

export const KIND_NAMES: readonly string[] = EVENT_KINDS.map(({ event }) => event);
export const CATEGORIES: readonly string[] = [...new Set(KIND_NAMES.map(categoryOf))];

/** The category of an event: `costbasis` for `costbasis.failed`. */
export function categoryOf(event: string): string {
  return event.split('.', 1)[0] ?? '';
}

/** The action of an event: `failed` for `costbasis.failed`. */
function actionOf(event: string): string {
  return event.slice(categoryOf(event).length + 1);
}

/** The value of `data.action` for each category of run events. */
export const RUN_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['transfer_detection', 'DETECT_TRANSFER'],
  ['costbasis', 'ACCOUNT_MANAGER'],
]);

/** Whether an event matches one of the types. A type is a kind, or a category such as `costbasis.*`. */
export function isOfTypes(event: string, types: readonly string[]): boolean {
  return types.some((type) => (type.endsWith('.*') ? event.startsWith(type.slice(0, -1)) : event === type));
}
