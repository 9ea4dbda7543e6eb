// Adds and removes ledgers while the sandbox runs. An array with the same changes provides the expected results.

import * as fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import type { NewLeg, Sandbox } from '../../src/sandbox/index.ts';
import { runs } from '../runs.ts';
import { allLedgers, allTransactions, call, get, type Json, list, object, start, text } from './helpers.ts';

const now = Date.UTC(2027, 0, 1);
const sandbox = await start({ rows: 240, seed: 'changes', clock: () => now });
const ascending = { sortOrder: 'asc' };
const written = await allLedgers(sandbox, ascending);
const writtenTransactions = (await allTransactions(sandbox)).reverse();
const untouched = sandbox.truth;

beforeEach(() => sandbox.reset());

const [LOW, HIGH] = [Number(untouched.firstTimestamp), Number(untouched.lastTimestamp)];
const walletIds = [...new Set(written.map((row) => text(row['walletId'])))];
const symbols = ['ETH', 'BTC', 'USD', 'SHIB', 'NEVER-HEARD-OF'];

/** Converts a decimal string to an integer in units of 10^-18, independently of the tested code. */
function units(value: unknown): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text(value)) ?? [];
  const size = BigInt(whole + fraction.padEnd(18, '0'));
  return sign === '-' ? -size : size;
}

function plain(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(19, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}

const symbolOf = (row: Json) => object(row['assetRaw'])['symbol'];

/** Returns the rows with new running balances. The balance of each asset in each wallet starts at zero. */
function balanced(rows: readonly Json[]): Json[] {
  const balances = new Map<string, bigint>();
  return rows.map((row) => {
    const pair = JSON.stringify([row['walletId'], symbolOf(row)]);
    const before = balances.get(pair) ?? 0n;
    const after = before + (row['type'] === 'incoming' ? 1n : -1n) * units(row['quantity']);
    balances.set(pair, after);
    return row['afterBalance'] === null
      ? row
      : { ...row, beforeBalance: plain(before), afterBalance: plain(after) };
  });
}

type Change = NewLeg | number;

const newLeg = fc.record<NewLeg>(
  {
    walletId: fc.constantFrom(...walletIds),
    type: fc.constantFrom('incoming', 'outgoing', 'fee'),
    asset: fc.constantFrom(...symbols),
    quantity: fc.bigInt(1n, 10n ** 30n).map(plain),
    timestamp: fc.oneof(
      fc.constantFrom(...written.map((row) => Number(row['timestamp']))),
      fc.integer({ min: LOW - 1000, max: HIGH + 1000 }),
    ),
    transactionId: fc.constantFrom('mine', 'mine too', ...written.map((row) => text(row['transactionId']))),
    price: fc.constantFrom(null, 12.5),
    label: fc.constantFrom(null, 'Trade', 'Deposit', 'Payment'),
    description: fc.constantFrom(null, '=1+1'),
  },
  { requiredKeys: ['timestamp'] },
);
const changes = fc.array(fc.oneof({ weight: 2, arbitrary: newLeg }, { weight: 1, arbitrary: fc.nat() }), {
  minLength: 1,
  maxLength: 12,
});

/** Applies changes to the sandbox, and returns the expected rows. An added row follows existing rows with the same time. */
async function applied(steps: readonly Change[]): Promise<Json[]> {
  let rows = [...written];
  for (const step of steps) {
    if (typeof step === 'number') {
      const row = rows[step % rows.length];
      expect(sandbox.ledgers.remove(text(row?.['id']))).toBe(true);
      rows = rows.filter((other) => other !== row);
      continue;
    }
    const [id = ''] = sandbox.ledgers.insert(step);
    const row = object((await get(sandbox, `/v1/ledgers/${id}`)).body['data']);
    for (const name of ['type', 'walletId', 'transactionId', 'timestamp', 'label', 'description'] as const) {
      if (step[name] !== undefined) expect(row[name]).toEqual(step[name]);
    }
    if (step.asset !== undefined) expect(symbolOf(row)).toBe(step.asset);
    if (step.quantity !== undefined) expect(row['quantity']).toBe(step.quantity);
    const at = rows.findIndex((other) => Number(other['timestamp']) > Number(row['timestamp']));
    rows.splice(at < 0 ? rows.length : at, 0, row);
  }
  return balanced(rows);
}

function grouped(rows: readonly Json[]): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const row of rows) {
    const id = text(row['transactionId']);
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return groups;
}

const ids = (rows: readonly Json[]) => rows.map((row) => row['id']);

it('balances, order, filters, transactions and sandbox.truth match a model after random changes', async () => {
  expect(balanced(written)).toEqual(written);
  await fc.assert(
    fc.asyncProperty(changes, fc.nat(), async (steps, pick) => {
      await sandbox.reset();
      const rows = await applied(steps);
      expect(await allLedgers(sandbox, ascending)).toEqual(rows);
      expect(ids(await allLedgers(sandbox))).toEqual(ids(rows).reverse());

      const one = rows[pick % rows.length] ?? {};
      const after = (row: Json) => (row['afterBalance'] === null ? undefined : units(row['afterBalance']));
      const [time, bound] = [Number(one['timestamp']), after(one) ?? 0n];
      const filters: readonly [Record<string, string | number>, (row: Json) => boolean][] = [
        [{ types: 'fee,incoming' }, (row) => row['type'] !== 'outgoing'],
        [{ startTime: time }, (row) => Number(row['timestamp']) >= time],
        [{ endTime: time }, (row) => Number(row['timestamp']) <= time],
        [{ ltAfterBalance: plain(bound) }, (row) => (after(row) ?? bound) < bound],
        [{ gtAfterBalance: plain(bound) }, (row) => (after(row) ?? bound) > bound],
        [{ hasMissingPrice: 'true' }, (row) => row['price'] === null],
        [{ hasMissingAsset: 'true' }, (row) => row['assetId'] === null],
        [
          { transactionIds: text(one['transactionId']) },
          (row) => row['transactionId'] === one['transactionId'],
        ],
      ];
      for (const [query, test] of filters) {
        const found = await allLedgers(sandbox, { ...query, ...ascending });
        expect([query, ids(found)]).toEqual([query, ids(rows.filter(test))]);
      }

      const groups = grouped(rows);
      const transactions = await allTransactions(sandbox);
      expect(new Set(ids(transactions))).toEqual(new Set(groups.keys()));
      expect(transactions.length).toBe(groups.size);
      const times = transactions.map(({ id }) => Number(groups.get(text(id))?.[0]?.['timestamp']));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      const own = groups.get(text(one['transactionId'])) ?? [];
      const { body } = await get(sandbox, `/v1/transactions/${text(one['transactionId'])}/ledgers`);
      expect(body['data']).toEqual(own.toReversed());
      const served = object(transactions.find(({ id }) => id === one['transactionId']));
      for (const [name, type] of [
        ['incomingAssets', 'incoming'],
        ['outgoingAssets', 'outgoing'],
      ] as const) {
        expect(served[name]).toEqual(own.filter((row) => row['type'] === type));
      }
      const missing = [...groups].filter(([, legs]) => legs.some((leg) => (after(leg) ?? 0n) < 0n));
      expect(new Set(ids(await allTransactions(sandbox, { isMissingTransaction: 'true' })))).toEqual(
        new Set(missing.map(([id]) => id)),
      );

      const { truth } = sandbox;
      expect(truth).toMatchObject({
        ledgers: rows.length,
        transactions: groups.size,
        incoming: rows.filter((row) => row['type'] === 'incoming').length,
        negative: rows.filter((row) => (after(row) ?? 0n) < 0n).length,
        withoutBalance: rows.filter((row) => row['afterBalance'] === null).length,
        missingPrice: rows.filter((row) => row['price'] === null).length,
        missingAsset: rows.filter((row) => row['assetId'] === null).length,
        edited: rows.filter((row) => row['isEdited'] === true).length,
        unprocessed: rows.filter((row) => row['profit'] === null).length,
        transactionsMissingPurchase: missing.length,
        firstTimestamp: rows[0]?.['timestamp'] ?? null,
        lastTimestamp: rows.at(-1)?.['timestamp'] ?? null,
      });
      expect(truth.negativePairs.reduce((sum, { legs }) => sum + legs, 0)).toBe(truth.negative);
    }),
    { numRuns: runs(12) },
  );
});

it('removing all inserted legs restores the original data', async () => {
  const [id = ''] = sandbox.ledgers.insert({ timestamp: LOW, asset: 'NEW' }, {});
  const [second = ''] = sandbox.ledgers.insert({});
  for (const gone of [id, second]) sandbox.ledgers.remove(gone);
  const rest = (await allLedgers(sandbox, ascending)).filter((row) => !ids(written).includes(row['id']));
  for (const row of rest) sandbox.ledgers.remove(text(row['id']));
  expect(await allLedgers(sandbox, ascending)).toEqual(written);
  expect((await allTransactions(sandbox)).reverse()).toEqual(writtenTransactions);
  const { posted: _, grants: __, requests: ___, ...counts } = untouched;
  expect(sandbox.truth).toMatchObject({ ...counts });
});

it('createdAt of an inserted leg is the time of insertion, also for an old leg', async () => {
  const byCreation = ids(await allLedgers(sandbox, { ...ascending, sortBy: 'createdAt' }));
  const added = sandbox.ledgers.insert({ timestamp: HIGH }, { timestamp: LOW });
  expect(ids(await allLedgers(sandbox, { ...ascending, sortBy: 'createdAt' }))).toEqual([
    ...byCreation,
    ...added,
  ]);
});

it('reset undoes changes and clears cached results', async () => {
  for (let round = 0; round < 2; round += 1) {
    const type = round === 0 ? 'fee' : 'incoming';
    const [id] = sandbox.ledgers.insert({ type, timestamp: HIGH + 1 });
    const newest = list((await get(sandbox, '/v1/ledgers?limit=1')).body['data'])[0];
    expect([newest?.['id'], newest?.['type']]).toEqual([id, type]);
    await sandbox.reset();
    expect(await allLedgers(sandbox, ascending)).toEqual(written);
  }
});

async function ask(method: string, path: string, body?: unknown) {
  return call(`${sandbox.url}/_sandbox/ledgers${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

it('the control endpoints can add several legs at once, and remove a leg', async () => {
  const leg = { quantity: '0.000000000000000001', asset: 'ETH', timestamp: LOW };
  const { status, body } = await ask('POST', '', [leg, { ...leg, type: 'outgoing' }]);
  expect(status).toBe(201);
  const [first, second] = list(body['data']);
  expect([first?.['quantity'], second?.['type']]).toEqual([leg.quantity, 'outgoing']);
  expect((await ask('DELETE', `/${text(first?.['id'])}`)).status).toBe(204);
  expect((await ask('DELETE', `/${text(first?.['id'])}`)).status).toBe(404);
  expect((await get(sandbox, `/v1/ledgers/${text(first?.['id'])}`)).status).toBe(404);
  expect(await allLedgers(sandbox)).toHaveLength(written.length + 1);
});

it.each([
  [[], 'object'],
  [{ quantity: 1 }, '"quantity" must be a string'],
  [{ quantity: '0.0000000000000000001' }, 'and 18 after it'],
  [{ quantity: 'x' }, 'decimal string'],
  [{ type: 'in' }, 'incoming, outgoing, fee'],
  [{ walletId: 'wal_none' }, 'wal_none'],
  [{ timestamp: 1.5 }, 'timestamp'],
  [{ price: -1 }, 'price'],
  [{ label: 'Nothing' }, 'label'],
  [{ amount: '1' }, 'Unknown field "amount"'],
])('rejects the leg %o', async (wrong, told) => {
  const { status, body } = await ask('POST', '', [{}, wrong]);
  expect([status, body['error']]).toEqual([400, 'bad_request']);
  expect(body['error_description']).toContain(told);
  expect(await allLedgers(sandbox)).toHaveLength(written.length);
});

it('accepts a new leg with the id of a removed leg', async () => {
  const id = text(written[0]?.['id']);
  for (const quantity of ['2', '3']) {
    expect(sandbox.ledgers.remove(id)).toBe(true);
    expect(sandbox.ledgers.insert({ id, quantity })).toEqual([id]);
    expect(object((await get(sandbox, `/v1/ledgers/${id}`)).body['data'])['quantity']).toBe(quantity);
  }
  expect(await allLedgers(sandbox)).toHaveLength(written.length);
});

it('rejects a duplicate id', async () => {
  sandbox.ledgers.insert({ id: 'mine' });
  expect((await ask('POST', '', { id: 'mine' })).status).toBe(400);
  expect((await ask('POST', '', { id: text(written[0]?.['id']) })).status).toBe(400);
  expect((await ask('POST', '', [{ id: 'twice' }, { id: 'twice' }])).status).toBe(400);
});

it('balances of more than 127 bits keep every digit', async () => {
  const quantity = `${'9'.repeat(39)}.${'9'.repeat(18)}`;
  const [first = '', second = ''] = sandbox.ledgers.insert(
    { asset: 'YFI', quantity, timestamp: LOW },
    { asset: 'YFI', quantity, timestamp: HIGH },
  );
  sandbox.ledgers.insert({ asset: 'YFI', quantity: '0.000000000000000001', timestamp: LOW + 1 });
  const after = async (id: string) =>
    object((await get(sandbox, `/v1/ledgers/${id}`)).body['data'])['afterBalance'];
  expect([await after(first), await after(second)]).toEqual([quantity, plain(2n * units(quantity) + 1n)]);
  sandbox.ledgers.remove(first);
  expect(await after(second)).toBe(plain(units(quantity) + 1n));
});

it.each([
  ['a ledger is added', (large: Sandbox) => void large.ledgers.insert({ timestamp: LOW })],
  ['the sandbox is reset to fewer ledgers', (large: Sandbox) => large.reset()],
])('aborts a ledger download if %s during the download', async (_, change) => {
  const large = await start({ rows: 10 });
  large.ledgers.insert(...Array.from({ length: 40_000 }, () => ({ timestamp: LOW })));
  const response = await fetch(`${large.url}/_sandbox/data/ledgers.jsonl`);
  const reader = response.body?.getReader();
  await reader?.read();
  await change(large);
  const rest = async () => {
    while ((await reader?.read())?.done === false);
  };
  await expect(rest()).rejects.toThrow();
});
