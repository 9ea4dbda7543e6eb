// Tests posted transactions, and the error bodies of the legacy API.

import { expect, it } from 'vitest';
import { type Answer, allLedgers, call, control, get, list, object, post, start, text } from './helpers.ts';

const now = Date.UTC(2026, 2, 1);
const sandbox = await start({ apiKeys: [{ key: 'key_reads' }], clock: () => now });
const { url, apiKey, truth } = sandbox;
const oauth = {
  authorization: `Bearer ${sandbox.env['CRYPTODATA_ACCESS_TOKEN']}`,
  'x-client-id': sandbox.clientId,
  'x-client-secret': sandbox.clientSecret,
};

function expectUnauthorized({ status, body }: Answer) {
  expect([status, body['error']]).toEqual([401, 'unauthorized']);
}

function expectInvalid({ status, body }: Answer, path: readonly (string | number)[]) {
  expect([path, status]).toEqual([path, 400]);
  expect(Object.keys(body)).toEqual(['error', 'message', 'details']);
  expect(body['error']).toBe('invalid_parameters');
  expect(list(body['details']).map((detail) => detail['path'])).toEqual([path]);
}

const path = '/api/v0/transactions';
const wallets = await call(`${url}/api/v1/integrations`, { headers: { 'x-api-key': apiKey } });
const wallet = list(wallets.body['data'])[0] ?? {};
const walletId = text(wallet['walletId']);
const plain = { timestamp: 1_700_000_000_000, transactionType: 'deposit', transactionId: '0xabc' };
const full = {
  ...plain,
  transactionType: 'trade',
  description: { title: 'A', desc: '' },
  sentCurrency: { currency: 'ETH', amount: 1.5 },
  receivedCurrency: { currency: 'USDC', amount: 4000 },
  fee: { currency: 'ETH', amount: 0 },
  feeValue: { fiatValue: 1, baseCurrency: 'USD', priceAccuracy: 'high' },
  netValue: { fiatValue: -1, baseCurrency: 'USD', priceAccuracy: 'high' },
  sender: { name: 'KRAKEN', publicName: 'Kraken', walletId: 'kraken' },
  receiver: { address: '0x1' },
  label: 'Trade',
};

function send(body: unknown, headers: Record<string, string> = { 'x-api-key': apiKey }) {
  return call(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
const one = (transaction: unknown) => send({ walletId, transactions: [transaction] });

it('responds 201 with the accepted transactions [legacy.post.endpoint, legacy.post.status, legacy.post.message, legacy.post.data, legacy.post.count, legacy.post.user_id, legacy.post.timestamp, http.201, service.legacy-writes]', async () => {
  await sandbox.reset();
  const { status, body } = await send({ walletId, transactions: [plain, full] });
  expect(status).toBe(201);
  const source = { walletId, name: wallet['name'] };
  expect(body).toEqual({
    message: body['message'],
    data: [
      { ...plain, source },
      { ...plain, transactionType: 'trade', source },
    ],
    count: 2,
    user_id: truth.uid,
    timestamp: now,
  });
  expect(typeof body['message']).toBe('string');
  expect(truth.posted()).toEqual([{ walletId, transactions: [plain, full] }]);
  await sandbox.reset();
  expect(truth.posted()).toEqual([]);
});

it('requires an API key with write permission [legacy.post.permission, legacy-error.unauthorized, api-key.permissions]', async () => {
  const body = { walletId, transactions: [plain] };
  for (const headers of [{}, { 'x-api-key': 'key_reads' }, { 'x-api-key': 'nobody' }, oauth]) {
    expectUnauthorized(await send(body, headers));
  }
  // A request without the permission gets 401, even if the request body is invalid.
  expectUnauthorized(await send({}, { 'x-api-key': 'key_reads' }));
  expect(truth.posted()).toEqual([]);
});

const at = (...rest: (string | number)[]) => ['transactions', 0, ...rest];

it.each([
  [{ timestamp: '1700000000000' }, at('timestamp')],
  [{ timestamp: null }, at('timestamp')],
  [{ timestamp: undefined }, at('timestamp')],
  [{ transactionType: 'Deposit' }, at('transactionType')],
  [{ transactionType: undefined }, at('transactionType')],
  [{ transactionId: 7 }, at('transactionId')],
  [{ transactionId: '' }, at('transactionId')],
  [{ transactionId: undefined }, at('transactionId')],
  [{ description: 'text' }, at('description')],
  [{ description: { title: 1, desc: '' } }, at('description', 'title')],
  [{ description: { title: '' } }, at('description', 'desc')],
  [{ sentCurrency: null }, at('sentCurrency')],
  [{ sentCurrency: { currency: 'ETH', amount: '1.5' } }, at('sentCurrency', 'amount')],
  [{ receivedCurrency: { amount: 1 } }, at('receivedCurrency', 'currency')],
  [{ fee: [] }, at('fee')],
  [{ feeValue: { fiatValue: '1', baseCurrency: 'USD', priceAccuracy: 'high' } }, at('feeValue', 'fiatValue')],
  [{ netValue: { fiatValue: 1, baseCurrency: 'USD', priceAccuracy: 1 } }, at('netValue', 'priceAccuracy')],
  [{ netValue: { fiatValue: 1, priceAccuracy: 'high' } }, at('netValue', 'baseCurrency')],
  [{ sender: { name: 'Kraken' } }, at('sender', 'name')],
  [{ sender: { publicName: 1 } }, at('sender', 'publicName')],
  [{ receiver: { walletId: 1 } }, at('receiver', 'walletId')],
  [{ receiver: { address: null } }, at('receiver', 'address')],
  [{ receiver: 'KRAKEN' }, at('receiver')],
  [{ label: 'trade' }, at('label')],
  [{ label: 'Deposit' }, at('label')],
  [{ label: 3 }, at('label')],
])('rejects a transaction with %o', async (wrong, detail) => {
  expectInvalid(await one({ ...full, ...wrong }), detail);
});

it('if one transaction is invalid, rejects the whole batch and reports each error [legacy.post.failure]', async () => {
  const wrong = { ...plain, timestamp: 'x', fee: { currency: 'ETH', amount: null } };
  const { status, body } = await send({ walletId, transactions: [plain, wrong, 'text'] });
  expect(status).toBe(400);
  expect(list(body['details']).map((detail) => detail['path'])).toEqual([
    ['transactions', 1, 'timestamp'],
    ['transactions', 1, 'fee', 'amount'],
    ['transactions', 2],
  ]);
  for (const detail of list(body['details'])) expect(Object.keys(detail)).toEqual(['path', 'message']);
  expect(truth.posted()).toEqual([]);
});

it('rejects unknown wallets and invalid bodies [legacy-error.wallet-not-found]', async () => {
  const none = await send({ walletId: 'wal_none', transactions: [plain] });
  expectInvalid(none, ['walletId']);
  expect(none.body['message']).toBe('Wallet not found');
  expectInvalid(await send({ transactions: [] }), ['walletId']);
  expectInvalid(await send({ walletId }), ['transactions']);
  expectInvalid(await send({ walletId, transactions: {} }), ['transactions']);
  expectInvalid(await send([plain]), []);
  for (const body of ['{"walletId":', '', 'text']) {
    const answer = await send(body);
    expect([answer.status, answer.body['error'], answer.body['details']]).toEqual([
      400,
      'invalid_parameters',
      [{ path: [], message: 'The request could not be read' }],
    ]);
  }
  const typed = await send(
    { walletId, transactions: [plain] },
    { 'x-api-key': apiKey, 'content-type': 'text/csv' },
  );
  expect([typed.status, typed.body['error']]).toEqual([400, 'invalid_parameters']);
});

it('accepts labels that fit the transaction type', async () => {
  for (const [transactionType, label] of [
    ['deposit', 'Staking'],
    ['withdrawal', 'Withdrawal'],
    ['payment', 'Payment'],
  ]) {
    expect((await one({ ...plain, transactionType, label })).status).toBe(201);
  }
});

it('accepts a batch of 10,000 transactions [not-shown.batch-size]', async () => {
  const transactions = Array.from({ length: 10_000 }, (_, index) => ({
    ...full,
    transactionId: `t${index}`,
  }));
  expect((await send({ walletId, transactions })).body['count']).toBe(10_000);
});

it('rejects transactions for a removed wallet', async () => {
  await post(sandbox, '/v1/integrations/batch-delete', [walletId]);
  await get(sandbox, '/v1/integrations');
  await get(sandbox, '/v1/integrations');
  expect((await one(plain)).status).toBe(400);
  await sandbox.reset();
  expect((await one(plain)).status).toBe(201);
});

const rowsOf = async (query: Record<string, string | number>) => {
  const { body } = await get(sandbox, '/v1/ledgers', query);
  return list(body['data']);
};

it('posted amounts keep all their digits in the ledgers and in the transactions [silent.posted-legs]', async () => {
  await sandbox.reset();
  const [held] = await rowsOf({ limit: 1, endTime: plain.timestamp, sortOrder: 'desc' });
  const posting = `{"walletId":${JSON.stringify(walletId)},"transactions":[{"timestamp":${plain.timestamp},
    "transactionType":"trade","transactionId":"0xdef",
    "sentCurrency":{"currency":"USD","amount":12345678901234567890.123456789012345678},
    "receivedCurrency":{"currency":"ETH","amount":1e-18},
    "fee":{"currency":"PSHAW","amount":0.1},
    "description":{"title":"Rent","desc":"=1+1"}}]}`;
  expect((await send(posting)).status).toBe(201);
  const { body } = await get(sandbox, '/v1/transactions/0xdef/ledgers');
  const legs = list(body['data']).reverse();
  expect(
    legs.map((leg) => [leg['type'], leg['quantity'], object(leg['assetRaw'])['symbol'], leg['walletId']]),
  ).toEqual([
    ['outgoing', '12345678901234567890.123456789012345678', 'USD', walletId],
    ['incoming', '0.000000000000000001', 'ETH', walletId],
    ['fee', '0.1', 'PSHAW', walletId],
  ]);
  for (const leg of legs) {
    expect(leg).toMatchObject({
      transactionId: '0xdef',
      timestamp: plain.timestamp,
      label: 'Trade',
      description: 'Rent\n=1+1',
      syncId: null,
      profit: null,
    });
    expect(Object.keys(leg)).toEqual(Object.keys(held ?? {}));
  }
  // This asset is unknown, so the leg has no asset id and no running balance.
  expect(legs[2]).toMatchObject({ assetId: null, afterBalance: null, price: null, value: null });
  expect(legs[1]?.['assetId']).toEqual(expect.any(String));
  const at = { startTime: plain.timestamp, endTime: plain.timestamp };
  expect(await rowsOf({ ...at, sortOrder: 'asc' })).toEqual(legs);
  const page = await get(sandbox, '/v1/transactions', { ...at, types: 'trade', labels: 'Trade' });
  expect(list(page.body['data'])).toEqual([
    { id: '0xdef', incomingAssets: [legs[1]], outgoingAssets: [legs[0]], fee: legs[2] },
  ]);
});

it('rejects an amount with too many decimal places instead of truncating it', async () => {
  await sandbox.reset();
  const before = sandbox.truth.ledgers;
  const fee = { currency: 'ETH', amount: 1e-19 };
  expectInvalid(await one({ ...plain, fee }), at('fee', 'amount'));
  expectInvalid(await one({ ...plain, timestamp: 1e300 }), at('timestamp'));
  expect(sandbox.truth.ledgers).toBe(before);
});

it('rejects the whole batch if one transaction is in a locked period [silent.posted-legs]', async () => {
  await sandbox.reset();
  const before = sandbox.truth.ledgers;
  const sentCurrency = { currency: 'ETH', amount: 1 };
  const transactions = [plain, { ...plain, timestamp: Date.UTC(2020, 11, 31, 23, 59, 59, 999) }].map(
    (transaction) => ({ ...transaction, sentCurrency }),
  );
  const refused = await send({ walletId, transactions });
  expect([refused.status, refused.body]).toEqual([
    409,
    { error: { code: 'PERIOD_LOCKED', message: expect.any(String) } },
  ]);
  expect([sandbox.truth.ledgers, truth.posted()]).toEqual([before, []]);

  const period = `${url}/_sandbox/period`;
  const lock = (lockedUntil: unknown) => control(sandbox, 'period', { lockedUntil });
  expect((await call(period)).body).toEqual({ lockedUntil: Date.UTC(2021, 0, 1) });
  for (const wrong of [undefined, 'soon', 1.5, '2020-13-45', {}]) expect(await lock(wrong)).toBe(400);
  expect(await lock('2020-12-31T00:00:00Z')).toBe(200);
  expect((await send({ walletId, transactions })).status).toBe(201);
  expect(sandbox.truth.ledgers).toBe(before + 2);
  expect(await lock(plain.timestamp + 1)).toBe(200);
  expect((await one(plain)).status).toBe(409);
  expect(await lock(null)).toBe(200);
  expect((await one({ ...plain, timestamp: 0 })).status).toBe(201);
  await sandbox.reset();
  expect((await call(period)).body).toEqual({ lockedUntil: Date.UTC(2021, 0, 1) });
});

it('accepts posted transactions for a newly connected account, and counts them [integration.totalTransactions]', async () => {
  await sandbox.reset();
  await control(sandbox, 'integrations', { providerId: 'kraken', alias: 'Just now' });
  const connected = list((await get(sandbox, '/v1/integrations')).body['data']).at(-1);
  const id = text(connected?.['walletId']);
  const received = { receivedCurrency: { currency: 'ETH', amount: 2 }, fee: { currency: 'USD', amount: 1 } };
  const transactions = [
    { ...plain, ...received },
    { ...plain, ...received, transactionId: '0xdef' },
  ];
  expect((await send({ walletId: id, transactions })).status).toBe(201);
  const legs = list((await get(sandbox, '/v1/ledgers?transactionIds=0xabc,0xdef')).body['data']);
  expect(legs.map((leg) => leg['walletId'])).toEqual([id, id, id, id]);
  const counted = async () => {
    const accounts = list((await get(sandbox, '/v1/integrations')).body['data']);
    return accounts.find((account) => account['walletId'] === id)?.['totalTransactions'];
  };
  expect(await counted()).toBe(2);
  for (const leg of legs.filter((one) => one['transactionId'] === '0xdef')) {
    sandbox.ledgers.remove(text(leg['id']));
  }
  expect(await counted()).toBe(1);
  // The posted legs are found both by provider and by wallet id.
  const found = list((await get(sandbox, '/v1/ledgers?providers=kraken&limit=200')).body['data']);
  expect(found.filter((leg) => leg['walletId'] === id)).toHaveLength(2);
  const kept = object((await get(sandbox, `/v1/transactions?walletIds=${id}`)).body['meta']);
  expect(kept['total']).toBe(1);
  await sandbox.reset();
});

it('totalTransactions is correct after ledgers are inserted and removed [integration.totalTransactions]', async () => {
  await sandbox.reset();
  const all = await allLedgers(sandbox);
  for (const leg of all.slice(0, 30)) sandbox.ledgers.remove(text(leg['id']));
  const [known] = all.slice(50);
  sandbox.ledgers.insert(
    { transactionId: text(known?.['transactionId']), walletId },
    { walletId, quantity: '2' },
  );
  const shown = new Map<string, Set<string>>();
  for (const leg of await allLedgers(sandbox)) {
    const of = text(leg['walletId']);
    shown.set(of, (shown.get(of) ?? new Set()).add(text(leg['transactionId'])));
  }
  for (const account of list((await get(sandbox, '/v1/integrations')).body['data'])) {
    const id = text(account['walletId']);
    expect([id, account['totalTransactions']]).toEqual([id, shown.get(id)?.size ?? 0]);
  }
  await sandbox.reset();
});
