// Tests data from two sources: the user, and the export of another sandbox (`--data DIR`).

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadData, type Sandbox } from '../../src/sandbox/index.ts';
import { allLedgers, allTransactions, call, control, get, list, object, start } from './helpers.ts';

const directory = await mkdtemp(join(tmpdir(), 'cryptodata-given-'));
afterAll(() => rm(directory, { recursive: true, force: true }));
let count = 0;

async function directoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  count += 1;
  const path = await mkdtemp(join(directory, `${count}-`));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

async function exported({ url }: Sandbox): Promise<Record<string, string>> {
  const { body } = await call(`${url}/_sandbox/data`);
  const names = Array.isArray(body['files']) ? body['files'].map(String) : [];
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await (await fetch(`${url}/_sandbox/data/${name}`)).text();
  return files;
}

const first = await start({ rows: 300, seed: 'given', data: { labels: [{ name: 'Mine', weight: 1 }] } });
first.ledgers.insert({ timestamp: Date.UTC(2023, 0, 1), asset: 'ETH', quantity: '0.000000000000000001' });
const files = await exported(first);
const second = await start({ data: await loadData(await directoryOf(files)) });

it('serves exactly the data that another sandbox exported', async () => {
  expect(Object.keys(files)).toEqual(['holdings.json', 'integrations.json', 'labels.json', 'ledgers.jsonl']);
  expect(await exported(second)).toEqual(files);
  const queries = [
    '/v1/ledgers?limit=200',
    '/v1/ledgers?limit=200&sortOrder=asc&offset=150',
    '/v1/ledgers?limit=200&types=fee,outgoing',
    '/v1/ledgers?limit=200&providers=kraken,bitstamp',
    '/v1/ledgers?limit=200&ltAfterBalance=0',
    '/v1/ledgers?limit=200&gtAfterBalance=1e3',
    '/v1/ledgers?limit=200&hasMissingPrice=true',
    '/v1/ledgers?limit=200&hasMissingAsset=true',
    '/v1/ledgers?limit=200&startTime=1650000000000&endTime=1680000000000',
    '/v1/transactions?limit=200',
    '/v1/transactions?limit=200&types=trade',
    '/v1/transactions?limit=200&labels=Deposit,Staking',
    '/v1/transactions?limit=200&isMissingTransaction=true',
    '/v1/transactions?limit=200&minTotalGains=0.5',
    '/v1/transactions?limit=200&hasMissingPrice=false',
    '/v1/holdings?limit=200',
    '/v1/integrations',
    '/v1/labels',
  ];
  for (const query of queries) {
    const [path = '', search = ''] = query.split('?');
    const parameters = Object.fromEntries(new URLSearchParams(search));
    const [here, there] = [await get(first, path, parameters), await get(second, path, parameters)];
    expect([query, there.status, there.raw]).toEqual([query, 200, here.raw]);
  }
  const synced = (await allLedgers(second)).find((row) => row['syncId'] !== null);
  expect((await get(second, `/v1/sync/${synced?.['syncId']}`)).status).toBe(200);
  expect((await get(second, '/v1/sync/syn_none')).status).toBe(404);
  const { negativePairs, negative, ledgers, transactions, withoutBalance } = second.truth;
  expect({ negativePairs, negative, ledgers, transactions, withoutBalance }).toEqual({
    negativePairs: first.truth.negativePairs,
    negative: first.truth.negative,
    ledgers: 301,
    transactions: first.truth.transactions,
    withoutBalance: first.truth.withoutBalance,
  });
});

const record = (id: string, fields: Record<string, unknown> = {}) => ({
  id,
  transactionId: 'txn_real_1',
  workspaceId: 'ws_real',
  type: 'incoming',
  assetId: 'ast_real',
  assetRaw: { symbol: 'ETH' },
  quantity: '1',
  timestamp: 1000,
  walletId: 'wal_real',
  fromAccount: null,
  toAccount: { provider: 'kraken', walletId: 'wal_real' },
  beforeBalance: '0',
  afterBalance: '1',
  own: { any: ['thing'] },
  ...fields,
});
const lines = (...records: readonly unknown[]) => records.map((each) => `${JSON.stringify(each)}\n`).join('');

it('serves user-supplied ledgers byte for byte, and updates their balances after an insert', async () => {
  const odd = lines(
    record('c', {
      timestamp: 3000,
      type: 'outgoing',
      fromAccount: { provider: 'kraken', walletId: 'wal_real' },
      beforeBalance: '1',
      afterBalance: '0',
      label: 'Their own',
    }),
  ).replace('"own"', '"exact":0.1234567890123456789012345678901,"own"');
  const path = await directoryOf({
    'ledgers.jsonl': `\ufeff${odd}\n${lines(record('b', { transactionId: 'txn_real_2', timestamp: 2000, assetId: null, afterBalance: null, beforeBalance: null }), record('a'))}`,
    'integrations.json': '[{"walletId":"wal_real","alias":"Mine","status":"INACTIVE"}]',
    'notes.txt': 'left alone',
  });
  const sandbox = await start({ data: await loadData(path) });
  const page = await get(sandbox, '/v1/ledgers');
  expect(page.raw).toContain(odd.trim());
  expect(list(page.body['data']).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  const [one, two] = await allTransactions(sandbox);
  expect([one?.['id'], two?.['id']]).toEqual(['txn_real_2', 'txn_real_1']);
  expect(list(two?.['incomingAssets']).map(({ id }) => id)).toEqual(['a']);
  expect(list(two?.['outgoingAssets']).map(({ id }) => id)).toEqual(['c']);
  const [account] = list((await get(sandbox, '/v1/integrations')).body['data']);
  expect(account).toMatchObject({
    alias: 'Mine',
    status: 'INACTIVE',
    providerId: 'kraken',
    totalTransactions: 2,
  });

  sandbox.ledgers.insert({ walletId: 'wal_real', asset: 'ETH', quantity: '0.5', timestamp: 1500 });
  const rows = await allLedgers(sandbox, { sortOrder: 'asc' });
  expect(rows.map((row) => row['afterBalance'])).toEqual(['1', '1.5', null, '0.5']);
  expect((await get(sandbox, '/v1/ledgers')).raw).toContain('"exact":0.1234567890123456789012345678901');
  sandbox.ledgers.remove('a');
  expect(object((await get(sandbox, '/v1/ledgers/c')).body['data'])['afterBalance']).toBe('-0.5');
  await sandbox.reset();
  expect((await get(sandbox, '/v1/ledgers')).raw).toBe(page.raw);
});

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

it('serves records nested up to 500 levels deep', async () => {
  const text = `[${deep(499)},${JSON.stringify('["\\'.repeat(1000))}]`;
  const sandbox = await start({ data: await loadData(await directoryOf({ 'labels.json': text })) });
  expect((await get(sandbox, '/v1/labels')).raw).toContain(deep(499));
});

it.each([
  ['labels.json', deep(20_000), ''],
  ['labels.jsonl', `{}\n${deep(501)}`, ':2'],
  ['ledgers.jsonl', `{"a":${deep(5000)}}`, ':1'],
])(
  'rejects a record in %s that is nested too deeply, and reports the maximum depth',
  async (name, content, line) => {
    const told = `${name}${line}: it is nested more than 500 levels deep`;
    await expect(loadData(await directoryOf({ [name]: content }))).rejects.toThrow(told);
  },
);

it.each([
  [{ 'ledgers.jsonl': `${lines(record('a'))}{"id":` }, /ledgers\.jsonl:2: invalid JSON/],
  [
    { 'ledgers.jsonl': lines(record('a'), record('b', { quantity: 1 })) },
    /ledgers\.jsonl:2: "quantity" must be/,
  ],
  [{ 'ledgers.jsonl': lines(record('a', { type: 'in' })) }, /:1: "type" must be one of incoming/],
  [{ 'ledgers.jsonl': lines(record('a', { timestamp: '1' })) }, /:1: "timestamp" must be/],
  [{ 'ledgers.jsonl': lines(record('')) }, /:1: "id" must be/],
  [{ 'ledgers.jsonl': lines('text') }, /:1: "id" must be/],
  [{ 'ledgers.jsonl': lines(record('a'), record('a')) }, /records 1 and 2 have the same id: a/],
  [{ 'ledgers.json': JSON.stringify([record('a'), 7]) }, /ledgers\.json: record 2: "id" must be/],
  [{ 'ledgers.json': '[]', 'ledgers.jsonl': '' }, /ledgers\.jsonl: duplicate file for ledgers/],
  [{ 'labels.json': '[\n{},\n{"a" 1}]' }, /labels\.json:3: invalid JSON/],
  [{ 'labels.json': '{"rows":[]}' }, /labels\.json: the object has no list in "data"/],
  [{ 'labels.json': '7' }, /labels\.json: expected a list or an object/],
  [{ 'lables.json': '[]' }, /lables\.json: unknown resource; the name must be one of ledgers, /],
])('rejects invalid data files: %o', async (wrong, told) => {
  await expect(loadData(await directoryOf(wrong))).rejects.toThrow(told);
});

it('refuses to start if an integration has no wallet id', async () => {
  const data = await loadData(await directoryOf({ 'integrations.json': '[{"alias":"x"}]' }));
  await expect(start({ data })).rejects.toThrow('walletId');
});

it('a new account accepts transactions, and its id differs from every id in the user data', async () => {
  const given = await start({ data: await loadData(await directoryOf(files)) });
  for (const alias of ['One', 'Two']) {
    expect(await control(given, 'integrations', { providerId: 'kraken', alias })).toBe(201);
  }
  const all = list((await get(given, '/v1/integrations')).body['data']).map((account) => account['walletId']);
  expect(new Set(all).size).toBe(all.length);
  expect(all).not.toContain('');
  const walletId = all.at(-1);
  // A transaction of the type `payment` can be posted even if no ledger of the user has the label Payment.
  const transaction = {
    timestamp: Date.UTC(2024, 0, 1),
    transactionType: 'payment',
    transactionId: '0xpaid',
  };
  const sent = { ...transaction, sentCurrency: { currency: 'ETH', amount: 1 } };
  const { status } = await call(`${given.url}/api/v0/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': given.apiKey },
    body: JSON.stringify({ walletId, transactions: [sent] }),
  });
  expect(status).toBe(201);
  const [leg] = list((await get(given, '/v1/ledgers?transactionIds=0xpaid')).body['data']);
  expect([leg?.['walletId'], leg?.['label']]).toEqual([walletId, 'Payment']);
});

it('filters transactions by one label out of 300', async () => {
  const records = Array.from({ length: 300 }, (_, index) => ({
    id: `led_${index}`,
    transactionId: `txn_${index}`,
    walletId: 'wal_1',
    type: 'incoming',
    quantity: '1',
    timestamp: Date.UTC(2024, 0, 1) + index,
    label: `Label ${index}`,
    assetRaw: { symbol: 'ETH' },
  }));
  const given = await start({ data: { ledgers: records } });
  const { body } = await get(given, '/v1/transactions?labels=Label%20299');
  expect(list(body['data']).map(({ id }) => id)).toEqual(['txn_299']);
});

it('serves and compares amounts of up to 78 digits before the decimal point', async () => {
  const leg = (quantity: string, number: number) => ({
    id: `big_${number}`,
    transactionId: `tx_${number}`,
    walletId: 'wal_1',
    type: 'incoming',
    timestamp: Date.UTC(2024, 0, 1) + number,
    assetId: 'ast_1',
    quantity,
    afterBalance: quantity,
  });
  const sixty = '123456789012345678901234567890123456789012345678901234567890';
  const amounts = [sixty, `-${sixty}`, `${sixty}.123456789012345678`, '1e59', '9'.repeat(78)];
  const sandbox = await start({ data: { ledgers: amounts.map(leg) } });
  const found = async (query: Record<string, string>) =>
    (await allLedgers(sandbox, { sortOrder: 'asc', ...query })).map(({ quantity }) => quantity);
  expect(await found({})).toEqual(amounts);
  expect(await found({ gtAfterBalance: sixty })).toEqual([amounts[2], amounts[4]]);
  expect(await found({ ltAfterBalance: '1e60' })).toEqual(amounts.slice(0, 4));
  expect(await found({ ltAfterBalance: '1e200' })).toEqual(amounts);
  for (const quantity of ['1e78', '9'.repeat(79), '0.0000000000000000001'])
    await expect(start({ data: { ledgers: [leg(quantity, 1)] } })).rejects.toThrow(
      '"quantity" must be a decimal string with at most 78 digits before the decimal point and 18 after it',
    );
});
