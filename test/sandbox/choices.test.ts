// Tests what the sandbox does where the specification leaves a detail open.

import { expect, it } from 'vitest';
import { allLedgers, bearer, call, get, list, object, start, text } from './helpers.ts';

const sandbox = await start({ rows: 600 });
const { env, url, apiKey, workspaceId } = sandbox;
const token = bearer(env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
const send = (path: string, body: unknown, headers: Record<string, string> = token.headers) =>
  call(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('the asset of an unresolved leg is an empty object [silent.unresolved-asset]', async () => {
  const legs = await allLedgers(sandbox, { hasMissingAsset: 'true' });
  expect(legs.length).toBeGreaterThan(0);
  for (const leg of legs) {
    expect([leg['asset'], leg['assetId']]).toEqual([{}, null]);
    expect(text(object(leg['assetRaw'])['symbol'])).not.toBe('');
  }
});

it('query parameters with unknown names are ignored [silent.unknown-names]', async () => {
  const known = await get(sandbox, '/v1/ledgers', { limit: 2 });
  expect((await get(sandbox, '/v1/ledgers', { limit: 2, lmit: 3 })).raw).toBe(known.raw);
});

it('the responses of alias-exists, test-credentials and defi/totals contain `success` and `data` [silent.check-forms]', async () => {
  const credentials = { providerId: 'binance', credentials: { apiKey: 'mine' } };
  const exists = await get(sandbox, '/v1/integrations/alias-exists', { alias: 'none' });
  const tested = await send('/v1/integrations/test-credentials', credentials);
  const totals = await get(sandbox, '/v1/defi/totals');
  const data = [exists, tested, totals].map(({ body }) => body);
  expect(data).toEqual([false, {}, {}].map((one) => ({ success: true, data: one })));
});

it('writes succeed with 200 [silent.write-statuses]', async () => {
  expect((await send('/v1/integrations/batch-delete', ['wal_none'])).status).toBe(200);
  expect((await send('/v1/integrations/resync-all', {})).status).toBe(200);
  expect((await send('/v1/transactions/batch', [])).status).toBe(200);
});

it('a request with an unknown docId returns an empty list [silent.unknown-document]', async () => {
  const client = { 'x-client-id': sandbox.clientId, 'x-client-secret': sandbox.clientSecret };
  const { status, body } = await call(`${url}/v0/defi-holdings?docId=none`, {
    headers: { ...token.headers, ...client },
  });
  expect([status, body]).toMatchObject([200, { holdings: [], total_defi_value: 0, total_count: 0 }]);
});

it('repeated ids, empty batches and negative amounts are accepted [silent.posted-repeats]', async () => {
  const key = { 'x-api-key': apiKey };
  const wallets = await call(`${url}/api/v1/integrations`, { headers: key });
  const walletId = text(list(wallets.body['data'])[0]?.['walletId']);
  const post = (...transactions: object[]) =>
    send(`/api/v0/transactions?wid=${workspaceId}`, { walletId, transactions }, key);
  const deposit = (amount: number) => ({
    timestamp: 1_750_000_000_000,
    transactionType: 'deposit',
    transactionId: 'repeated',
    receivedCurrency: { currency: 'ETH', amount },
  });
  expect((await post()).body).toMatchObject({ count: 0, data: [] });
  expect([(await post(deposit(2))).status, (await post(deposit(-1))).status]).toEqual([201, 201]);
  const legs = await allLedgers(sandbox, { transactionIds: 'repeated' });
  expect(legs.map((leg) => leg['quantity']).sort()).toEqual(['-1', '2']);
});
