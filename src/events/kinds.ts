import { ACCOUNT_STATUSES } from '../api/account-statuses.ts';

/** The object in `data`: "Event kinds" of the specification. */
export type DataKind = 'integration' | 'run';

export interface EventKind {
  readonly event: string;
  readonly data: DataKind;
  /** Possible values of `data.status`. */
  readonly statuses: readonly string[];
}

/** DELETED is "only sent on integration.deleted". */
const NOT_DELETED = ACCOUNT_STATUSES.filter((status) => status !== 'DELETED');

/** Every kind in the specification. "No other event categories are sent." */
export const EVENT_KINDS: readonly EventKind[] = [
  { event: 'integration.created', data: 'integration', statuses: NOT_DELETED },
  { event: 'integration.updated', data: 'integration', statuses: NOT_DELETED },
  { event: 'integration.deleted', data: 'integration', statuses: ['DELETING', 'DELETED', 'FAILED'] },
  { event: 'integration.failed', data: 'integration', statuses: ['FAILED'] },
  ...(['transfer_detection', 'costbasis'] as const).flatMap((category) =>
    (['started', 'completed', 'failed'] as const).map((action) => ({
      event: `${category}.${action}`,
      data: 'run' as const,
      statuses: [action],
    })),
  ),
];

export const KIND_NAMES: readonly string[] = EVENT_KINDS.map(({ event }) => event);
export const CATEGORIES: readonly string[] = [...new Set(KIND_NAMES.map(categoryOf))];

/** The category of an event: `costbasis` for `costbasis.failed`. */
export function categoryOf(event: string): string {
  return event.split('.', 1)[0] ?? '';
}

/** The `action` of runs, by category. */
export const RUN_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['transfer_detection', 'DETECT_TRANSFER'],
  ['costbasis', 'ACCOUNT_MANAGER'],
]);

/** Whether an event is of one of these types: kinds, or `category.*`. */
export function isOfTypes(event: string, types: readonly string[]): boolean {
  return types.some((type) => (type.endsWith('.*') ? event.startsWith(type.slice(0, -1)) : event === type));
}
