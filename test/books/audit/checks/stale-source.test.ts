import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { audit, findings, leg, type Options, resultOf } from '../support.ts';

const ENDED: Options = { period: { from: 0, to: 999 }, now: 5000 };

const of = (integration: JsonRecord): Options => ({
  service: { integrations: [{ walletId: 'w', alias: 'Main', ...integration }] },
});
const messages = async (integration: JsonRecord, options: Options = ENDED) =>
  (await findings('stale-source', [], { ...options, ...of(integration) })).map(({ message }) => message);

describe('an account', () => {
  const BEFORE =
    'Main last synced at 1970-01-01T00:00:00.998Z, before the end of the period: later transactions may be missing.';
  const NEVER = 'Main has never synced: its transactions may be missing.';

  test.each<[string, string[], JsonRecord, Options?]>([
    ['is stale if its last sync was before the end of the period', [BEFORE], { lastSyncedAt: 998 }],
    ['is not stale if its last sync was after the end of the period', [], { lastSyncedAt: 1000 }],
    ['is not stale while the period has not ended', [], { lastSyncedAt: 998 }, { ...ENDED, now: 999 }],
    ['is not stale in a period without an end', [], { lastSyncedAt: 998 }, { now: 5000 }],
    ['has never synced if the time is 0', [NEVER], { lastSyncedAt: 0 }],
    ['has never synced if the time is null', [NEVER], { lastSyncedAt: null }],
    ['has never synced, even while the period has not ended', [NEVER], { lastSyncedAt: null }, { now: 5000 }],
    ['is not stale if it is an uploaded file', [], { lastSyncedAt: 998, type: 'csv' }],
    ['is not stale if the user created it', [], { lastSyncedAt: 0, isCustomWallet: true }],
  ])('%s', async (_, said, integration, options) => {
    expect(await messages(integration, options)).toEqual(said);
  });
});

test('"stale-source" is partial if the last sync of an account is unknown', async () => {
  expect(await resultOf('stale-source', [], { ...ENDED, ...of({}) })).toMatchObject({
    ...{ status: 'partial', findings: 0, why: 'The last sync of 1 account is unknown.' },
  });
});

test.each<[string, JsonRecord[]]>([
  ['1 account without a sync could not be checked: 1 from uploaded files.', [{ type: 'csv' }]],
  ['1 account without a sync could not be checked: 1 entered by hand.', [{ isCustomWallet: true }]],
  [
    '3 accounts without a sync could not be checked: 2 from uploaded files, 1 entered by hand.',
    [{ type: 'csv' }, { type: 'csv', isCustomWallet: true }, { isCustomWallet: true }],
  ],
])('"stale-source" is partial, because %s', async (why, accounts) => {
  const integrations = [{ lastSyncedAt: 1000 }, ...accounts].map((one, at) => ({
    walletId: `w${at}`,
    ...one,
  }));
  expect(await resultOf('stale-source', [], { ...ENDED, service: { integrations } })).toMatchObject({
    ...{ status: 'partial', findings: 0, why },
  });
});

test('"stale-source" does not pass before the period has ended', async () => {
  const why = 'An overdue sync can be found only after the end of the period.';
  const synced = of({ lastSyncedAt: 998 });
  for (const open of [{ ...ENDED, now: 999 }, { now: 5000 }]) {
    expect(await resultOf('stale-source', [], { ...open, ...synced })).toMatchObject({
      status: 'partial',
      why,
    });
  }
  expect(await resultOf('stale-source', [], { ...ENDED, ...of({ lastSyncedAt: 1000 }) })).toMatchObject({
    ...{ status: 'passed', why: null },
  });
});

test('a missing sync is a cause of a negative balance only if the leg is later than the last sync', async () => {
  const below = (timestamp: number) =>
    leg('l', { timestamp, walletId: 'w', beforeBalance: '0', afterBalance: '-1' });
  const causesOf = async (time: number) => {
    const { findings } = await audit([below(time)], { ...ENDED, ...of({ lastSyncedAt: 500 }) });
    const [negative] = findings.filter(({ check }) => check === 'negative-balance');
    return negative?.causes.map(({ cause }) => cause);
  };
  expect(await causesOf(400)).not.toContain('account that has not synced');
  expect(await causesOf(600)).toContain('account that has not synced');
});
