import { expect, test } from 'vitest';
import type { ServiceData } from '../../../../src/books/audit/service-data.ts';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { audit, payments, resultOf } from '../support.ts';

/** Returns the findings about one account, whose last sync is recent. */
async function of(integration: JsonRecord, service: ServiceData = {}) {
  const integrations = [{ walletId: 'w', alias: 'Main', lastSyncedAt: 2000, ...integration }];
  return (await audit([], { service: { integrations, ...service } })).findings;
}

const messages = async (integration: JsonRecord, service?: ServiceData) =>
  (await of(integration, service)).map(({ message }) => message);

test('"failing-source" looks up a provider by its id, or by its name if the account has no provider id', async () => {
  const unhealthyProviders = new Map([
    ['p1', 'down'],
    ['kraken', 'degraded'],
  ]);
  const health = (integration: JsonRecord) => messages(integration, { unhealthyProviders });
  expect(await health({ providerId: 'p1', provider: 'kraken' })).toEqual(['Main: the provider is down.']);
  expect(await health({ provider: 'kraken' })).toEqual(['Main: the provider is degraded.']);
  expect(await health({ providerId: 'p2', provider: 'kraken' })).toEqual([]);
});

test('"failing-source" warns about an unhealthy provider, and suggests the command that shows the provider', async () => {
  expect(await of({ providerId: 'p1' }, { unhealthyProviders: new Map([['p1', 'down']]) })).toMatchObject([
    { check: 'failing-source', severity: 'warning', walletId: 'w', next: 'cryptodata providers get p1' },
  ]);
});

test('a failed sync may explain a later negative balance, but a provider that is down now does not', async () => {
  const below = payments({ type: 'outgoing', quantity: '1', before: '0', after: '-1' });
  const causes = async (integration: JsonRecord, service: ServiceData) => {
    const integrations = [{ walletId: 'w', alias: 'Main', lastSyncedAt: 2000, ...integration }];
    const { findings } = await audit(below, { service: { integrations, ...service } });
    const { causes = [] } = findings.find(({ check }) => check === 'negative-balance') ?? {};
    return causes.map(({ cause }) => cause);
  };
  const CAUSE = 'account that did not sync completely';
  expect(await causes({ status: 'FAILED' }, {})).toContain(CAUSE);
  const unhealthyProviders = new Map([['p1', 'down']]);
  expect(await causes({ providerId: 'p1' }, { unhealthyProviders })).not.toContain(CAUSE);
});

test('the report of a failed sync contains the error message from the service, if there is one', async () => {
  const failed = async (errorMessage: unknown) => (await messages({ status: 'FAILED', errorMessage }))[0];
  expect(await failed('bad key')).toBe('Main: the last sync failed (bad key).');
  expect(await failed(null)).toBe('Main: the last sync failed.');
});

test('the name of an account is its alias, otherwise its provider, otherwise its id', async () => {
  const name = async (integration: JsonRecord) =>
    (await messages({ status: 'INACTIVE', ...integration })).map((message) => message.split(':')[0]);
  expect(await name({ providerPublicName: 'Kraken' })).toEqual(['Main']);
  expect(await name({ alias: '', providerPublicName: 'Kraken' })).toEqual(['Kraken']);
  expect(await name({ alias: null })).toEqual(['w']);
  expect(await name({ alias: null, walletId: undefined, id: 'i' })).toEqual(['i']);
});

test('"failing-source" reports each problem of the last sync, and suggests a command that shows the sync', async () => {
  const found = async (sync: JsonRecord) =>
    (await of({}, { syncs: new Map([['w', sync]]) })).map(({ message, next }) => [message, next]);
  const GET = 'cryptodata sync get s';
  const dropped = (records: string) => `Main: the latest known sync dropped ${records}.`;
  expect(await found({ syncId: 's', recordsFailed: 1 })).toEqual([[dropped('1 record'), GET]]);
  expect(await found({ syncId: 's', recordsFailed: '2000' })).toEqual([[dropped('2,000 records'), GET]]);
  expect(await found({ syncId: 's', status: 'partially_synced' })).toEqual([
    ['Main: the latest known sync was partial.', GET],
  ]);
  expect(await found({ syncId: 's', limitReached: true })).toEqual([
    ["Main: the latest known sync stopped at the workspace's transaction limit.", GET],
  ]);
  expect(await found({ syncId: '-Kx', limitReached: true })).toMatchObject([
    [expect.anything(), 'cryptodata sync get -- -Kx'],
  ]);
  expect(await found({ recordsFailed: 1, status: 'partially_synced' })).toEqual([
    [dropped('1 record'), 'cryptodata sync status'],
  ]);
  expect(await found({ syncId: 's', recordsFailed: 1, limitReached: true })).toHaveLength(2);
  expect(await found({ syncId: 's', recordsFailed: 0, limitReached: false, status: 'completed' })).toEqual(
    [],
  );
});

test('"failing-source" is partial if the latest sync of an account is unknown', async () => {
  const integrations = [{ walletId: 'w', lastSyncedAt: 2000, status: 'COMPLETED' }];
  expect(
    await resultOf('failing-source', [], { service: { integrations, unknownSyncs: ['w'] } }),
  ).toMatchObject({
    status: 'partial',
    why: 'The latest sync of 1 account is unknown, so records may have been dropped.',
  });
});

test('"failing-source" checks the accounts without knowing the health of the providers', async () => {
  const result = (status: string) => {
    const integrations = [{ walletId: 'w', lastSyncedAt: 2000, status }];
    return resultOf('failing-source', [], { service: { integrations, unknownHealth: 'Forbidden.' } });
  };
  const why = 'The health of the providers is unknown. Forbidden.';
  expect(await result('COMPLETED')).toMatchObject({ status: 'partial', why });
  expect(await result('FAILED')).toMatchObject({ status: 'failed', findings: 1, why });
});

test('the limits of a check count only accounts in scope', async () => {
  const service = { integrations: [], unknownSyncs: ['w', 'v', null] };
  const isChosen = ({ walletId }: { readonly walletId: string | null }) => walletId !== 'v';
  expect(await resultOf('failing-source', [], { service, isChosen })).toMatchObject({
    why: expect.stringContaining('The latest sync of 2 accounts is unknown'),
  });
});
