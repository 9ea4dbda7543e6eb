import type { TextStyle } from './style.ts';

const LOOKS: readonly [TextStyle, readonly string[]][] = [
  [
    'red',
    [
      'failed',
      'inactive',
      'cancelled',
      'down',
      'outage',
      'expired',
      'revoked',
      'error',
      'rejected',
      'invalid',
    ],
  ],
  [
    'yellow',
    [
      ...['queued', 'syncing', 'deleting', 'started', 'pending', 'partially_synced', 'degraded', 'warning'],
      ...['locked', 'not-possible', 'unknown'],
    ],
  ],
  ['green', ['completed', 'operational', 'passed', 'active', 'ok', 'same']],
];

/** The colour of a state; undefined for unknown states. */
export function lookOfState(state: string): TextStyle | undefined {
  return LOOKS.find(([, states]) => states.includes(state.toLowerCase()))?.[0];
}
