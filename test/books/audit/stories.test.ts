// Audits books without errors to which faults of every kind and decoys were added. A decoy looks like a fault but is correct.

import { expect, test } from 'vitest';
import { withLegsByTime } from '../../../src/app/legs-by-time.ts';
import type { Check } from '../../../src/books/audit/check.ts';
import { CHECKS } from '../../../src/books/audit/checks/index.ts';
import { auditLegs } from '../../../src/books/audit/index.ts';
import { Scope } from '../../../src/books/scope.ts';
import type { LegInput } from '../../../src/books/walk.ts';
import type { JsonRecord } from '../../../src/core/json.ts';
import { runs } from '../../runs.ts';
import { cleanBooks, shuffled } from './books.ts';
import { STORIES, Story, tellStories } from './stories.ts';
import { audit, byTime, NOW } from './support.ts';

async function findingsIn(legs: LegInput) {
  return auditLegs(legs, { scope: new Scope({ now: NOW }) });
}

test.each(Object.keys(STORIES))('reports exactly the expected findings for a leg that %s', async (name) => {
  const story = new Story('one', Date.UTC(2025, 5, 1));
  STORIES[name]?.(story);
  // Add legs without faults, because some checks compare a leg with the other legs.
  const { findings } = await findingsIn(byTime([...cleanBooks(5, 50).legs, ...story.legs]));
  const found = findings.map(({ check, ledgerId, amount }) => `${check} ${ledgerId} ${amount}`);
  expect(found.sort()).toEqual(story.expected.sort());
});

const LEGS = runs(200_000);

test(`finds every planted fault among ${LEGS} legs, and nothing else`, { timeout: 300_000 }, async () => {
  const days = 2000;
  const { legs, expected } = tellStories(1, 12, days);
  const books = cleanBooks(2, LEGS - legs.length, days);
  const { findings, checks } = await findingsIn(byTime([...books.legs, ...legs]));
  const found = findings.map(({ check, ledgerId, amount }) => `${check} ${ledgerId} ${amount}`);
  expect(found.sort()).toEqual(expected);
  const missed = checks.filter(({ status }) => status !== 'failed').map(({ check }) => check);
  const ofService = (CHECKS as readonly Check[]).filter(({ isAboutService }) => isAboutService);
  expect(missed).toEqual(ofService.map(({ name }) => name));
  expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
});

test('the findings and their order do not depend on the order of the legs', async () => {
  const { legs } = tellStories(3, 2, 60);
  const all = [...cleanBooks(4, 2000, 60).legs, ...legs];
  const { findings } = await findingsIn(byTime(all));
  expect(findings.length).toBeGreaterThan(40);
  for (const seed of [1, 2, 3]) {
    const mixed = shuffled(all, seed);
    expect((await findingsIn(byTime(mixed))).findings).toEqual(findings);
    // The legs in a file may be in any order.
    const read = async function* () {
      yield* mixed;
    };
    expect((await withLegsByTime({ read }, findingsIn)).findings).toEqual(findings);
  }
});

test('the findings do not depend on the order of two records with the same id and time', async () => {
  const story = new Story('twice', Date.UTC(2025, 5, 1));
  story.leg('incoming', '5');
  story.leg('outgoing', '2', { balances: ['5', '4'] });
  const [first = {}, second = {}] = story.legs;
  const other = { ...second, quantity: '3', afterBalance: '1' };
  const { findings } = await findingsIn([first, second, other]);
  expect(findings.map(({ check }) => check)).toContain('duplicate');
  expect((await findingsIn([first, other, second])).findings).toEqual(findings);
});

test('reports only failing and stale accounts', async () => {
  const until = Date.UTC(2025, 5, 1);
  const synced = { status: 'COMPLETED', lastSyncedAt: until + 1 };
  const integrations = [
    { ...synced, walletId: 'healthy', providerId: 'up' },
    { ...synced, walletId: 'csv', type: 'csv', lastSyncedAt: 0 },
    { ...synced, walletId: 'failed', status: 'FAILED', errorMessage: 'bad key' },
    { ...synced, walletId: 'off', status: 'INACTIVE' },
    { ...synced, walletId: 'partial' },
    { ...synced, walletId: 'dropped' },
    { ...synced, walletId: 'limited' },
    { ...synced, walletId: 'down', providerId: 'broken' },
    { ...synced, walletId: 'stale', lastSyncedAt: until },
    { ...synced, walletId: 'never', lastSyncedAt: 0 },
  ];
  const syncs = new Map<string, JsonRecord>([
    ['healthy', { status: 'synced', recordsFailed: 0 }],
    ['partial', { status: 'partially_synced' }],
    ['dropped', { recordsFailed: 3 }],
    ['limited', { limitReached: true }],
  ]);
  const service = { integrations, syncs, unhealthyProviders: new Map([['broken', 'down']]) };
  const { findings } = await audit([], { service, period: { from: 0, to: until } });
  expect(findings.map(({ check, walletId }) => `${check} ${walletId}`).sort()).toEqual(
    [
      ...['failed', 'off', 'partial', 'dropped', 'limited', 'down'].map((id) => `failing-source ${id}`),
      ...['stale-source stale', 'stale-source never'],
    ].sort(),
  );
});
