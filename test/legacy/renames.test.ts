import { describe, expect, test } from 'vitest';
import { CHANGES, renamedPath } from '../../src/legacy/renames.ts';

describe('renamedPath', () => {
  test.each([
    ['/v1/defi-holdings', '/v1/defi'],
    ['/v1/nft-holdings', '/v1/nfts'],
    ['/v1/userinfo', '/v1/users/me'],
    ['/v1/transactions/label-types', '/v1/labels'],
    ['/v1/integrations/providers', '/v1/providers'],
    ['/integrations/public/list', '/v1/providers'],
    ['/v1/counterparties', '/v1/counter-parties'],
    ['/v0/wallets', '/v1/integrations'],
    ['/v0/transactions', '/v1/transactions'],
    ['/v0/nft-holdings', '/v1/nfts'],
    ['/v0/defi-holdings', '/v1/defi'],
    ['/v1/assets/lookup', '/v1/assets/search?contractAddress=...'],
    ['/v1/reconciliation/missing-prices', '/v1/transactions?hasMissingPrice=true'],
  ])('renames the path %s to %s', (path, now) => {
    expect(renamedPath(path)).toEqual({ now });
    const written = [`/api${path}`, path.slice(1), `${path}/`, `${path}?a=/b`, `https://x.test/api${path}#x`];
    for (const form of written) expect(renamedPath(form), form).toEqual({ now });
  });

  test.each([
    ['/v1/profiling', 'GET', 'removed without replacement'],
    ['/v1/holdings/graph', 'GET', 'removed without replacement'],
    ['/v1/counterparties/cp_1', 'GET', 'GET /v1/counter-parties'],
    ['/v0/transactions', 'POST', 'no documented replacement'],
    ['/v0/integrations', 'post', 'Connect widget'],
    ['/v1/transactions/values', 'PATCH', 'no documented replacement'],
    ['/v1/transactions/t1', 'PATCH', 'no documented replacement'],
    ['/v0/anything/else', 'GET', 'removed completely'],
    ['/v0', 'GET', 'removed completely'],
  ])('reports %s (%s) as removed', (path, method, why) => {
    expect(renamedPath(path, method)).toEqual({ removed: true, why: expect.stringContaining(why) });
  });

  test.each([
    '/v1/holdings',
    '/v1/ledgers',
    '/v1/transactions',
    '/v1/transactions/t1',
    '/v1/counter-parties',
    '/v1/counterparties/a/b',
    '/v00/x',
    '/',
    '',
  ])('does not rename the path %s', (path) => {
    expect(renamedPath(path)).toBeUndefined();
  });
});

test('each change is listed once; an addition has no old name, and a removal has no new name', () => {
  const before = CHANGES.flatMap((change) => (change.kind === 'path' ? [change.before] : []));
  for (const path of ['GET /v1/holdings', 'GET /v1/assets/lookup', 'GET /v0/defi-holdings']) {
    expect(before).toContain(path);
  }
  expect(new Set(CHANGES.map(({ before, now }) => `${before} → ${now}`)).size).toBe(CHANGES.length);
  for (const { change, before, now } of CHANGES) {
    expect([before === null, now === null]).toEqual([change === 'added', change === 'removed']);
  }
});
