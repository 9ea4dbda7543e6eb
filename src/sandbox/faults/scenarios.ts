// The built-in scenarios.

import { suggestion } from '../core/nearest.ts';
import { type ReadScenario, readScenario, type Scenario } from './scenario.ts';

const PARTIAL = {
  status: 'partially_synced',
  recordsFailed: 37,
  limitReached: true,
  message: 'The workspace has reached its transaction limit',
};

export const SCENARIOS: Readonly<Record<string, Scenario & { readonly about: string }>> = {
  'flaky-network': {
    about: 'Connections break; responses are truncated, delayed or replaced by a proxy. Retries succeed.',
    seed: 'flaky-network-18',
    faults: [
      'reset:/v1/*:rate=0.05',
      'reset:/v1/*:at=400:rate=0.03',
      'torn:/v1/*:rate=0.04',
      'torn:/v1/*:length=wrong:rate=0.03',
      'html:/v1/*:rate=0.03',
      '502:/v1/*:rate=0.04',
      'slow:/v1/*:delay=120:rate=0.1',
      'reset:/oidc/token:rate=0.1',
    ],
  },
  'rate-limited': {
    about:
      'About one in five requests gets a 429. The delay is in retry_after or Retry-After, in seconds or as a date.',
    faults: [
      '429:/v1/*:every=8:retry-after=1',
      '429:/v1/*:after=3:every=16:retry-after=1:retry-header=Retry-After',
      '429:/v1/*:after=9:every=32:retry-after=2:retry-header=Retry-After:retry-as=date',
      '429:/oidc/token:nth=2:retry-after=1',
    ],
  },
  'drifting-pages': {
    about:
      'Ledgers are inserted, backdated and deleted between pages, and ledgers with the same timestamp change order.',
    seed: 'drifting-pages',
    faults: [
      'ties:times=all',
      'drift:rows=insert:count=2:every=3',
      'drift:rows=backdate:nth=4,9',
      'drift:rows=delete:nth=6',
    ],
  },
  'token-revoked': {
    about: 'The access token expires after 5 requests; after 10 more, its grant is revoked.',
    faults: ['expired:after=5', 'revoked:after=15'],
  },
  'partial-sync': {
    about: 'The sync syn_partial ends as partially_synced; webhooks report its account as COMPLETED.',
    steps: [
      { post: 'syncs/syn_partial', body: { states: [PARTIAL] } },
      { at: 1000, post: 'syncs/syn_partial', body: { walletId: '{integration}', states: [PARTIAL] } },
    ],
  },
  'locked-period': {
    about: 'Writes are rejected with PERIOD_LOCKED for the first minute.',
    steps: [
      { post: 'period', body: { lockedUntil: '2026-01-01' } },
      { at: 60_000, post: 'period', body: { lockedUntil: null } },
    ],
  },
  'webhook-storm': {
    about: '300 events are sent in half a minute; many deliveries are duplicated or reordered.',
    seed: 'webhook-storm',
    faults: ['duplicate:rate=0.25', 'reorder:rate=0.2'],
    steps: [
      { at: 500, times: 200, every: 150, post: 'events', body: { event: 'integration.updated' } },
      { at: 600, times: 20, every: 1500, post: 'events', body: { event: 'transfer_detection.started' } },
      { at: 900, times: 20, every: 1500, post: 'events', body: { event: 'transfer_detection.completed' } },
      { at: 1100, times: 20, every: 1500, post: 'events', body: { event: 'costbasis.started' } },
      { at: 1400, times: 20, every: 1500, post: 'events', body: { event: 'costbasis.completed' } },
      { at: 1450, times: 20, every: 1500, post: 'events', body: { event: 'integration.failed' } },
    ],
  },
};

/**
 * Reads a scenario from its name or from an object.
 *
 * @throws RangeError if the scenario is unknown or invalid
 */
export function findScenario(given: unknown): ReadScenario {
  if (typeof given !== 'string') return readScenario(given);
  const scenario = Object.hasOwn(SCENARIOS, given) ? SCENARIOS[given] : undefined;
  if (scenario !== undefined) return readScenario(scenario);
  throw new RangeError(`${JSON.stringify(given)} is unknown; ${suggestion(given, Object.keys(SCENARIOS))}`);
}
