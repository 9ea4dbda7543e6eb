// Spec: Posted transaction, and Legacy error body.

import { expect, it } from 'vitest';
import { type Answer, call, get, list, post, start, text } from './helpers.ts';

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

it('answers 201 with what was taken', async () => {
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

it('needs a key that may write', async () => {
  const body = { walletId, transactions: [plain] };
  for (const headers of [{}, { 'x-api-key': 'key_reads' }, { 'x-api-key': 'nobody' }, oauth]) {
    expectUnauthorized(await send(body, headers));
  }
  // Who may not call does not learn what is wrong with the body.
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
])('refuses %o', async (wrong, detail) => {
  expectInvalid(await one({ ...full, ...wrong }), detail);
});

it('refuses the whole for one that is wrong, and names each fault', async () => {
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

it('refuses wallets that are none, and bodies that are no payload', async () => {
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
      [],
    ]);
  }
  const typed = await send(
    { walletId, transactions: [plain] },
    { 'x-api-key': apiKey, 'content-type': 'text/csv' },
  );
  expect([typed.status, typed.body['error']]).toEqual([400, 'invalid_parameters']);
});

it('takes labels that suit the type, and ten thousand at once', async () => {
  for (const [transactionType, label] of [
    ['deposit', 'Staking'],
    ['withdrawal', 'Withdrawal'],
    ['payment', 'Payment'],
  ]) {
    expect((await one({ ...plain, transactionType, label })).status).toBe(201);
  }
  const transactions = Array.from({ length: 10_000 }, (_, index) => ({
    ...full,
    transactionId: `t${index}`,
  }));
  expect((await send({ walletId, transactions })).body['count']).toBe(10_000);
});

it('finds no wallet that was removed', async () => {
  await post(sandbox, '/v1/integrations/batch-delete', [walletId]);
  await get(sandbox, '/v1/integrations');
  await get(sandbox, '/v1/integrations');
  expect((await one(plain)).status).toBe(400);
  await sandbox.reset();
  expect((await one(plain)).status).toBe(201);
});
