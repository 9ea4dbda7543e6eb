// Tests GET /v1/transactions and the paths below it. The expected transactions are derived from GET /v1/ledgers.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { createIds } from '../../src/sandbox/core/ids.ts';
import {
  allLedgers,
  allTransactions,
  get,
  isObject,
  type Json,
  list,
  object,
  post,
  start,
  text,
} from './helpers.ts';

const Exact = Decimal.clone({ precision: 1000 });
const sandbox = await start();
const { truth } = sandbox;
const ledgers = await allLedgers(sandbox);
const transactions = await allTransactions(sandbox);
const ids = (some: readonly Json[]) => some.map(({ id }) => text(id));

/** Maps each transaction id to its legs, in the order of the ledgers. */
const legsById = new Map<string, Json[]>();
for (const leg of ledgers) {
  const id = text(leg['transactionId']);
  legsById.set(id, [...(legsById.get(id) ?? []), leg]);
}
const legsOf = (transaction: Json) => legsById.get(text(transaction['id'])) ?? [];
const labelOf = (transaction: Json) => legsOf(transaction)[0]?.['label'];
const timeOf = (transaction: Json) => Number(legsOf(transaction)[0]?.['timestamp']);

async function expectFound(query: Record<string, string | number>, test: (row: Json) => boolean) {
  const expected = transactions.filter(test);
  expect(ids(await allTransactions(sandbox, query))).toEqual(ids(expected));
  return expected.length;
}

async function refused(query: Record<string, string>) {
  const answer = await get(sandbox, '/v1/transactions', query);
  expect([query, answer.status]).toEqual([query, 400]);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(object(answer.body['error'])['code']).toBe('BAD_REQUEST');
}

describe('the list of transactions', () => {
  it('returns transactions in the specified envelope, including hasMore [current.transactions, transactions.envelope, envelopes.data-meta]', async () => {
    const { status, body } = await get(sandbox, '/v1/transactions');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(body['meta']).toEqual({ total: truth.transactions, limit: 50, offset: 0, hasMore: true });
    expect(list(body['data'])).toHaveLength(50);
  });

  it('`meta` contains only hasMore if transactionsMeta is "without-total" [silent.transactions-meta]', async () => {
    const bare = await start({ rows: 30, transactionsMeta: 'without-total' });
    const { transactions: total } = bare.truth;
    const first = await get(bare, '/v1/transactions', { limit: total - 1 });
    expect(first.body['meta']).toEqual({ hasMore: true });
    const last = await get(bare, '/v1/transactions', { limit: total });
    expect(last.body['meta']).toEqual({ hasMore: false });
  });

  it('returns every transaction exactly once, newest first [silent.transactions-parameters]', async () => {
    expect(transactions).toHaveLength(truth.transactions);
    expect(new Set(ids(transactions))).toEqual(new Set(legsById.keys()));
    const times = transactions.map(timeOf);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(ids(await allTransactions(sandbox, {}, 37))).toEqual(ids(transactions));
  });

  it('rejects an invalid limit or offset of transactions [silent.transactions-parameters]', async () => {
    for (const limit of ['0', '201', '-1', 'ten', '']) await refused({ limit });
    for (const offset of ['-1', '1.5']) await refused({ offset });
    const beyond = await get(sandbox, '/v1/transactions', { offset: 99_999 });
    expect(beyond.body).toEqual({
      data: [],
      meta: { total: truth.transactions, limit: 50, offset: 99_999, hasMore: false },
    });
  });
});

describe('a transaction', () => {
  it('a transaction consists of an id and its legs from GET /v1/ledgers [transaction.incomingAssets, transaction.outgoingAssets, transaction.fee, not-shown.transaction-record]', () => {
    for (const transaction of transactions) {
      expect(Object.keys(transaction)).toEqual(['id', 'incomingAssets', 'outgoingAssets', 'fee']);
      const { incomingAssets, outgoingAssets, fee } = transaction;
      const legs = [...list(incomingAssets), ...list(outgoingAssets), ...(isObject(fee) ? [fee] : [])];
      const byType = (type: string) => legsOf(transaction).filter((leg) => leg['type'] === type);
      expect(list(incomingAssets)).toEqual(byType('incoming'));
      expect(list(outgoingAssets)).toEqual(byType('outgoing'));
      expect(fee === null ? [] : [fee]).toEqual(byType('fee'));
      expect(legs).toHaveLength(legsOf(transaction).length);
    }
  });

  it('the values in a transaction keep every digit', async () => {
    const [page, legs] = [
      await get(sandbox, '/v1/transactions', { limit: 100 }),
      await get(sandbox, '/v1/ledgers', { limit: 200 }),
    ];
    const long = [...page.raw.matchAll(/"value":(\d+\.\d{18,})/g)].map((match) => match[1] ?? '');
    expect(long.length).toBeGreaterThan(2);
    for (const value of long) expect(legs.raw).toContain(value);
  });

  it('the option legShape sets whether the legs of a transaction are lists or single objects [silent.leg-shape]', async () => {
    const lists = await allTransactions(await start({ rows: 200, legShape: 'lists' }));
    const single = await allTransactions(await start({ rows: 200, legShape: 'single' }));
    const named = await allTransactions(await start({ rows: 200 }));
    const first = (legs: unknown) => list(legs)[0] ?? null;
    expect(lists.map(({ fee }) => first(fee))).toEqual(named.map(({ fee }) => fee));
    expect(single).toEqual(
      lists.map(({ id, incomingAssets, outgoingAssets, fee }) => ({
        id,
        incomingAssets: first(incomingAssets),
        outgoingAssets: first(outgoingAssets),
        fee: first(fee),
      })),
    );
    expect(named.filter(({ fee }) => fee !== null).length).toBeGreaterThan(5);
  });
});

describe('filters of transactions', () => {
  const has = (transaction: Json, type: string) => legsOf(transaction).some((leg) => leg['type'] === type);

  /** Derives the transaction type from the legs, independently of the sandbox. */
  function typeOf(transaction: Json): string {
    if (labelOf(transaction) === 'Payment') return 'payment';
    if (labelOf(transaction) === 'Transfer') return 'unnamed';
    if (has(transaction, 'incoming')) return has(transaction, 'outgoing') ? 'trade' : 'deposit';
    return has(transaction, 'outgoing') ? 'withdrawal' : 'unnamed';
  }

  it('filters transactions by types [transactions.types, silent.transaction-types]', async () => {
    for (const type of ['deposit', 'withdrawal', 'trade', 'payment'] as const) {
      const count = await expectFound({ types: type }, (row) => typeOf(row) === type);
      expect(count).toBe(truth.transactionTypes[type]);
      expect(count).toBeGreaterThan(10);
    }
    await expectFound({ types: 'payment,trade' }, (row) => ['payment', 'trade'].includes(typeOf(row)));
    // The specification does not name all types, so the sandbox accepts unknown types. Unknown types match
    // no transaction.
    await expectFound({ types: 'transfer' }, () => false);
    await expectFound({ types: 'unnamed' }, () => false);
    expect(transactions.filter((row) => typeOf(row) === 'unnamed')).toHaveLength(
      truth.transactionTypes.unnamed,
    );
    await refused({ types: '' });
    await refused({ types: 'trade,,payment' });
  });

  it('filters transactions by labels and notLabels [transactions.labels, transactions.notLabels]', async () => {
    for (const [label, count] of Object.entries(truth.transactionLabels)) {
      expect(await expectFound({ labels: label }, (row) => labelOf(row) === label)).toBe(count);
    }
    await expectFound({ labels: 'Trade,Staking' }, (row) =>
      ['Trade', 'Staking'].includes(String(labelOf(row))),
    );
    await expectFound({ labels: 'trade' }, () => false);
    const rest = await expectFound(
      { notLabels: 'Trade,Deposit' },
      (row) => labelOf(row) !== 'Trade' && labelOf(row) !== 'Deposit',
    );
    expect(rest).toBeGreaterThan(100);
    await expectFound({ labels: 'Trade', notLabels: 'Trade' }, () => false);
  });

  it('filters transactions by walletIds and notWalletIds [transactions.notWalletIds, added.filters, silent.transactions-parameters]', async () => {
    const wallets = [...new Set(ledgers.map((leg) => text(leg['walletId'])))];
    const [one = '', other = ''] = wallets;
    const within = (row: Json, wanted: readonly string[]) =>
      legsOf(row).some((leg) => wanted.includes(text(leg['walletId'])));
    expect(await expectFound({ walletIds: one }, (row) => within(row, [one]))).toBeGreaterThan(10);
    await expectFound({ walletIds: `${one},${other}` }, (row) => within(row, [one, other]));
    expect(await expectFound({ notWalletIds: one }, (row) => !within(row, [one]))).toBeGreaterThan(100);
    await expectFound({ notWalletIds: wallets.join(',') }, () => false);
    await expectFound({ walletIds: 'wal_unknown' }, () => false);
    await expectFound({ notWalletIds: 'wal_unknown' }, () => true);
  });

  it('filters transactions by time bounds [silent.transactions-parameters]', async () => {
    const [from, to] = [timeOf(transactions[600] ?? {}), timeOf(transactions[300] ?? {})];
    const count = await expectFound(
      { startTime: from, endTime: to },
      (row) => timeOf(row) >= from && timeOf(row) <= to,
    );
    expect(count).toBeGreaterThanOrEqual(301);
    await refused({ startTime: '2024-01-01' });
    const open = await start({ timeBounds: 'exclusive' });
    const within = transactions.filter((row) => timeOf(row) > from && timeOf(row) < to);
    expect(ids(await allTransactions(open, { startTime: from, endTime: to }))).toEqual(ids(within));
  });

  it('filters transactions by hasMissingPrice [transactions.hasMissingPrice, transactions.missing-prices]', async () => {
    const unpriced = (row: Json) => legsOf(row).some((leg) => leg['price'] === null);
    expect(await expectFound({ hasMissingPrice: 'true' }, unpriced)).toBe(truth.transactionsMissingPrice);
    await expectFound({ hasMissingPrice: 'false' }, (row) => !unpriced(row));
    await refused({ hasMissingPrice: 'yes' });
  });

  it('isMissingTransaction finds the same transactions as ltAfterBalance=0 [transactions.isMissingTransaction, transactions.missing-purchases]', async () => {
    const negative = (row: Json) =>
      legsOf(row).some(({ afterBalance }) => afterBalance !== null && text(afterBalance).startsWith('-'));
    const count = await expectFound({ isMissingTransaction: 'true' }, negative);
    expect(count).toBe(truth.transactionsMissingPurchase);
    const byLedgers = await allLedgers(sandbox, { ltAfterBalance: '0' });
    expect(new Set(byLedgers.map((leg) => leg['transactionId'])).size).toBe(count);
    await expectFound({ isMissingTransaction: 'false' }, (row) => !negative(row));
    await refused({ isMissingTransaction: '1' });
  });

  it('minTotalGains is compared without rounding [transactions.minTotalGains]', async () => {
    const gains = new Map(
      transactions.map((row) => {
        const profits = legsOf(row).filter(({ profit }) => profit !== null);
        const sum = profits.reduce((total, { profit }) => total.plus(text(profit)), new Exact(0));
        return [text(row['id']), profits.length === 0 ? undefined : sum];
      }),
    );
    const known = [...gains.values()].filter((gain) => gain !== undefined);
    const highest = Exact.max(...known);
    const bounds = ['0', '1000', '-5e2', highest.toFixed(), highest.plus('1e-18').toFixed()];
    for (const minTotalGains of bounds) {
      await expectFound({ minTotalGains }, ({ id }) => {
        const gain = gains.get(text(id));
        return gain?.greaterThanOrEqualTo(minTotalGains) === true;
      });
    }
    expect(
      await expectFound(
        { minTotalGains: highest.toFixed() },
        (row) => gains.get(text(row['id']))?.equals(highest) === true,
      ),
    ).toBe(1);
    await refused({ minTotalGains: 'much' });
    await refused({ minTotalGains: '' });
  });

  it('for each flag that a user can set, every transaction matches exactly one of the filter values true and false [transactions.isUncategorisedIgnored, transactions.isHighPnLReviewed]', async () => {
    for (const name of ['isUncategorisedIgnored', 'isHighPnLReviewed']) {
      const yes = ids(await allTransactions(sandbox, { [name]: 'true' }));
      const no = ids(await allTransactions(sandbox, { [name]: 'false' }));
      expect(yes.length).toBeGreaterThan(50);
      // Fewer than half of the transactions have this flag.
      expect(no.length).toBeGreaterThan(yes.length);
      expect(yes.length + no.length).toBe(transactions.length);
      expect(new Set([...yes, ...no]).size).toBe(transactions.length);
      await refused({ [name]: 'maybe' });
    }
    const [ignored, reviewed] = await Promise.all(
      ['isUncategorisedIgnored', 'isHighPnLReviewed'].map(async (name) =>
        ids(await allTransactions(sandbox, { [name]: 'true' })),
      ),
    );
    expect(ignored).not.toEqual(reviewed);
  });

  it('transaction filters replace the removed reconciliation endpoints [transactions.uncategorized, transactions.high-pnl, rename.reconciliation]', async () => {
    const uncategorised = await allTransactions(sandbox, {
      types: 'deposit,withdrawal',
      labels: 'Deposit,Withdrawal',
      isUncategorisedIgnored: 'false',
    });
    expect(uncategorised).toHaveLength(truth.uncategorised);
    expect(truth.uncategorised).toBeLessThan(
      (truth.transactionLabels['Deposit'] ?? 0) + (truth.transactionLabels['Withdrawal'] ?? 0),
    );
    const high = await allTransactions(sandbox, { minTotalGains: 100, isHighPnLReviewed: 'false' });
    const all = await allTransactions(sandbox, { minTotalGains: 100 });
    expect(high.length).toBeGreaterThan(0);
    expect(high.length).toBeLessThan(all.length);
  });

  it('rejects a transaction filter that is repeated', async () => {
    expect((await get(sandbox, '/v1/transactions?types=trade&types=payment&')).status).toBe(400);
  });
});

describe('the ledgers of one transaction', () => {
  it('GET /v1/transactions/{id}/ledgers returns the same rows as GET /v1/ledgers [current.transaction-ledgers, silent.transaction-ledgers]', async () => {
    for (const id of ids([0, 400, 1100].map((index) => transactions[index] ?? {}))) {
      const { status, body } = await get(sandbox, `/v1/transactions/${id}/ledgers`);
      expect(status).toBe(200);
      const { body: same } = await get(sandbox, '/v1/ledgers', { transactionIds: id });
      expect(body['data']).toEqual(same['data']);
      expect(list(body['data']).length).toBeGreaterThan(0);
    }
  });

  it('returns 404 in the nested error format for the ledgers of an unknown transaction', async () => {
    // The id that the generator would assign to the next transaction.
    const next = createIds('txn', 'meridian').of(truth.transactions);
    for (const id of [next, 'txn_0000000000000000', 'x', text(ledgers[0]?.['id'])]) {
      const { status, body } = await get(sandbox, `/v1/transactions/${id}/ledgers`);
      expect([status, Object.keys(body)]).toEqual([404, ['error']]);
      expect(object(body['error'])['code']).toBe('NOT_FOUND');
    }
  });
});

describe('a batch of changes', () => {
  const path = '/v1/transactions/batch';
  const [late = ''] = ids(transactions);
  const [early = ''] = ids(transactions.slice(-1));

  it('a batch with unknown transactions gets the status 200, and a response with the number of unknown transactions [current.transactions-batch, partial.transactions-batch, silent.batch-items]', async () => {
    for (const [body, errorCount] of [
      [[{ id: late }, { id: 'txn_none' }, { transactionId: late, label: 'Trade' }], 1],
      [{ transactions: [{ id: 'a' }, { id: 'b' }] }, 2],
      [{ ids: [late] }, 0],
      [{ id: late }, 0],
      [{}, 1],
      [[], 0],
    ]) {
      const answer = await post(sandbox, path, body);
      expect([body, answer.status, answer.body]).toEqual([body, 200, { data: { errorCount } }]);
    }
  });

  async function refusal(body: unknown, from = sandbox) {
    const answer = await post(from, path, body);
    expect(Object.keys(answer.body)).toEqual(['error']);
    return [answer.status, object(answer.body['error'])['code']];
  }

  it('rejects the whole batch if one item is in the locked period [nested.PERIOD_LOCKED, nested.whole, period.locked]', async () => {
    expect(timeOf(transactions.at(-1) ?? {})).toBeLessThan(Date.UTC(2021, 0, 1));
    expect(await refusal([{ id: late }, { id: early }])).toEqual([409, 'PERIOD_LOCKED']);
    const open = await start({ lockedUntil: 0 });
    expect((await post(open, path, [{ id: early }])).body).toEqual({ data: { errorCount: 0 } });
    const boundary = await start({ lockedUntil: timeOf(transactions[0] ?? {}) });
    expect((await post(boundary, path, [{ id: late }])).status).toBe(200);
    const beyond = await start({ lockedUntil: timeOf(transactions[0] ?? {}) + 1 });
    expect(await refusal([{ id: late }], beyond)).toEqual([409, 'PERIOD_LOCKED']);
  });

  it('rejects the whole batch if one price cannot be converted [nested.CURRENCY_CONVERSION_FAILED, retry.conversion]', async () => {
    const price = { price: 1, baseCurrency: 'ZZZ' };
    expect(await refusal([{ id: late, price }])).toEqual([422, 'CURRENCY_CONVERSION_FAILED']);
    expect(await refusal({ items: [{ id: late, legs: [{ price }] }] })).toEqual([
      422,
      'CURRENCY_CONVERSION_FAILED',
    ]);
    expect((await post(sandbox, path, [{ id: late, price: { baseCurrency: 'EUR' } }])).status).toBe(200);
  });

  it('accepts a price only if its currency is configured for the date of the price [silent.currencies]', async () => {
    const day = (text: string) => Date.parse(`${text}T12:00:00Z`);
    const currencies = [
      'USD',
      { currency: 'LTL', to: '2014-12-31' },
      { currency: 'EUR', from: day('2020-06-01') },
    ];
    const given = await start({ rows: 20, lockedUntil: null, data: { currencies } });
    const status = async (baseCurrency: string, timestamp?: number) => {
      const price = { price: 1, baseCurrency, ...(timestamp === undefined ? {} : { timestamp }) };
      return (await post(given, path, [{ price }])).status;
    };
    expect(await status('USD', 0)).toBe(200);
    expect(await status('GBP')).toBe(422);
    expect(await status('LTL')).toBe(200);
    expect(await status('LTL', day('2014-12-31'))).toBe(200);
    expect(await status('LTL', day('2015-01-01'))).toBe(422);
    expect(await status('EUR', day('2020-06-01'))).toBe(200);
    expect(await status('EUR', day('2020-05-31'))).toBe(422);
    // A price without a timestamp uses the time of the transaction.
    const [oldest] = list((await get(given, '/v1/ledgers', { sortOrder: 'asc', limit: 1 })).body['data']);
    const item = { id: oldest?.['transactionId'], price: { price: 1, baseCurrency: 'EUR' } };
    expect((await post(given, path, [item])).status).toBe(422);
    const wrong = start({ rows: 1, data: { currencies: [{ currency: 'EUR', from: 'soon' }] } });
    await expect(wrong).rejects.toThrow(RangeError);
  });

  it('rejects a batch that is neither a JSON object nor a list [nested.BAD_REQUEST]', async () => {
    for (const body of [1, 'text', null]) expect(await refusal(body)).toEqual([400, 'BAD_REQUEST']);
  });
});
