import { expect, test } from 'vitest';
import { type Sources, sourceDrafts } from '../../../src/books/audit/sources.ts';
import type { JsonRecord } from '../../../src/core/json.ts';

/** Returns the check and message of each finding about one account. By default, its last sync was after the period. */
function messages(integration: JsonRecord, more: Partial<Sources> = {}, until = 1000) {
  const integrations = [{ walletId: 'w', alias: 'Main', lastSyncedAt: 2000, ...integration }];
  return sourceDrafts({ integrations, ...more }, until).map(({ check, message }) => [check, message]);
}

test('looks up the health of a provider by provider id, or by provider name if the account has no provider id', () => {
  const unhealthyProviders = new Map([
    ['p1', 'down'],
    ['kraken', 'degraded'],
  ]);
  const of = (integration: JsonRecord) => messages(integration, { unhealthyProviders });
  expect(of({ providerId: 'p1', provider: 'kraken' })).toEqual([
    ['failing-source', expect.stringMatching(/^Main: .* down\.$/)],
  ]);
  expect(of({ provider: 'kraken' })).toEqual([
    ['failing-source', expect.stringMatching(/^Main: .* degraded\.$/)],
  ]);
  expect(of({ providerId: 'p2', provider: 'kraken' })).toEqual([]);
});

test('warns about an unhealthy provider, and suggests the command that shows the provider', () => {
  const unhealthyProviders = new Map([['p1', 'down']]);
  const [draft] = sourceDrafts(
    { integrations: [{ walletId: 'w', providerId: 'p1' }], unhealthyProviders },
    1,
  );
  expect(draft).toMatchObject({
    ...{ check: 'failing-source', severity: 'warning', walletId: 'w', inPeriod: true, isPresentOnly: true },
    next: 'cryptodata providers get p1',
  });
});

test('the report of a failed sync contains the error message from the service, if there is one', () => {
  const failed = (errorMessage: unknown) => messages({ status: 'FAILED', errorMessage })[0]?.[1];
  expect(failed('bad key')).toBe('Main: the last sync failed (bad key).');
  expect(failed(null)).toBe('Main: the last sync failed.');
});

test('the name of an account is its alias, otherwise its provider, otherwise its id', () => {
  const name = (integration: JsonRecord) =>
    messages({ status: 'INACTIVE', ...integration }).map(([, message]) => message?.split(':')[0]);
  expect(name({ providerPublicName: 'Kraken' })).toEqual(['Main']);
  expect(name({ alias: '', providerPublicName: 'Kraken' })).toEqual(['Kraken']);
  expect(name({ alias: null })).toEqual(['w']);
  expect(name({ alias: null, walletId: undefined, id: 'i' })).toEqual(['i']);
});

test('reports each problem of the last sync, and suggests a command that shows the sync', () => {
  const drafts = (sync: JsonRecord) =>
    sourceDrafts(
      { integrations: [{ walletId: 'w', lastSyncedAt: 2000 }], syncs: new Map([['w', sync]]) },
      1000,
    ).map(({ check, next }) => [check, next]);
  const failing = (next: string) => [['failing-source', next]];
  expect(drafts({ syncId: 's', recordsFailed: 1 })).toEqual(failing('cryptodata sync get s'));
  expect(drafts({ syncId: 's', status: 'partially_synced' })).toEqual(failing('cryptodata sync get s'));
  expect(drafts({ syncId: 's', limitReached: true })).toEqual(failing('cryptodata sync get s'));
  expect(drafts({ recordsFailed: 1, status: 'partially_synced' })).toEqual(failing('cryptodata sync status'));
  expect(drafts({ syncId: 's', recordsFailed: '1' })).toEqual(failing('cryptodata sync get s'));
  expect(drafts({ syncId: 's', recordsFailed: 1, limitReached: true })).toHaveLength(2);
  expect(drafts({ syncId: 's', recordsFailed: 0, limitReached: false, status: 'completed' })).toEqual([]);
});

test.each([
  [1, 'w: the latest known sync dropped 1 record.'],
  [2000, 'w: the latest known sync dropped 2,000 records.'],
])(
  'the message about %d dropped records has the correct plural and thousands separators',
  (recordsFailed, said) => {
    const sources = { integrations: [{ walletId: 'w' }], syncs: new Map([['w', { recordsFailed }]]) };
    expect(sourceDrafts(sources, 1000).map(({ message }) => message)).toContain(said);
  },
);

test('reports an account as stale if its last sync was before the end of the period', () => {
  const stale = (lastSyncedAt: unknown, type = 'api') =>
    messages({ lastSyncedAt, type }).map(([check]) => check);
  expect(stale(999)).toEqual(['stale-source']);
  expect(stale(0)).toEqual(['stale-source']);
  expect(stale(1000)).toEqual([]);
  // An account is not stale if its sync time is unknown or if it is an uploaded file.
  expect(stale(null)).toEqual([]);
  expect(stale(999, 'csv')).toEqual([]);
  expect(messages({ lastSyncedAt: 0 })[0]?.[1]).toContain('never');
  expect(messages({ lastSyncedAt: 999 })[0]?.[1]).toContain('1970-01-01T00:00:00.999Z');
});
