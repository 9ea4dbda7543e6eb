// Tests that the generated books are complete and exact, depend only on the seed, and contain the errors that real books have.

import { createHash } from 'node:crypto';
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { allLedgers, get, isObject, type Json, object, start, text } from './helpers.ts';

const Exact = Decimal.clone({ precision: 1000, toExpNeg: -1000, toExpPos: 1000 });
const sandbox = await start();
const rows = (await allLedgers(sandbox)).reverse();
const PLAIN = /^-?(0|[1-9]\d*)(\.\d{1,18})?$/;
const FIELDS = [
  'id',
  'transactionId',
  'workspaceId',
  'type',
  'assetId',
  'assetRaw',
  'quantity',
  'baseCurrency',
  'price',
  'timestamp',
  'walletId',
  'syncId',
  'fromAccount',
  'toAccount',
  'label',
  'description',
  'internalLabel',
  'isEdited',
  'beforeBalance',
  'afterBalance',
  'costbasis',
  'proceeds',
  'profit',
  'debitCoaCode',
  'creditCoaCode',
  'isDebitCoaEdited',
  'isCreditCoaEdited',
  'asset',
  'value',
];

const pairOf = (row: Json) => `${row['walletId']} ${row['assetId']}`;
const isNegative = (row: Json) => row['afterBalance'] !== null && text(row['afterBalance']).startsWith('-');

describe('every row', () => {
  /** The names of the fields whose values do not match the specification. */
  function wrongFields(row: Json): string[] {
    const isString = (value: unknown) => typeof value === 'string';
    const isBoolean = (value: unknown) => typeof value === 'boolean';
    const hasKeys = (value: unknown, keys: readonly string[]) =>
      isObject(value) && JSON.stringify(Object.keys(value)) === JSON.stringify(keys);
    const orNull = (test: (value: unknown) => boolean) => (value: unknown) => value === null || test(value);
    const filled = (value: unknown) => isString(value) && value !== '';
    const decimal = (value: unknown) => typeof value === 'string' && PLAIN.test(value) && value !== '-0';
    const account = orNull((value) => hasKeys(value, ['provider', 'walletId']));
    const price = (value: unknown) =>
      isObject(value) &&
      hasKeys(value, ['price', 'baseCurrency', 'timestamp', 'source']) &&
      typeof value['price'] === 'number' &&
      typeof value['timestamp'] === 'number';
    const tests: Record<string, (value: unknown) => boolean> = {
      ...Object.fromEntries(['id', 'transactionId', 'workspaceId', 'type'].map((name) => [name, filled])),
      ...Object.fromEntries(['baseCurrency', 'walletId'].map((name) => [name, filled])),
      ...Object.fromEntries(['assetId', 'syncId', 'label'].map((name) => [name, orNull(isString)])),
      ...Object.fromEntries(['description', 'internalLabel'].map((name) => [name, orNull(isString)])),
      ...Object.fromEntries(['debitCoaCode', 'creditCoaCode'].map((name) => [name, orNull(isString)])),
      ...Object.fromEntries(['isEdited', 'isDebitCoaEdited'].map((name) => [name, isBoolean])),
      ...Object.fromEntries(['beforeBalance', 'afterBalance'].map((name) => [name, orNull(decimal)])),
      ...Object.fromEntries(['costbasis', 'proceeds', 'profit'].map((name) => [name, orNull(decimal)])),
      isCreditCoaEdited: isBoolean,
      quantity: (value) => decimal(value) && new Exact(text(value)).greaterThan(0),
      timestamp: Number.isInteger,
      assetRaw: (value) => isObject(value) && isString(value['symbol']),
      fromAccount: account,
      toAccount: account,
      price: orNull(price),
      value: (value) => (row['price'] === null ? value === null : typeof value === 'number'),
      asset: (value) => hasKeys(value, row['assetId'] === null ? [] : ['symbol', 'name', 'logoUrl', 'type']),
    };
    return FIELDS.filter((name) => tests[name]?.(row[name]) !== true);
  }

  it('every row contains exactly the specified fields, with their types', () => {
    const fields = JSON.stringify(FIELDS);
    expect(rows.filter((row) => JSON.stringify(Object.keys(row)) !== fields)).toEqual([]);
    expect(rows.flatMap((row) => wrongFields(row).map((name) => [row['id'], name, row[name]]))).toEqual([]);
  });

  it('every row contains a unique id', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2000);
  });

  it('the value of every row is quantity × price [ledger.value]', () => {
    for (const row of rows) {
      if (row['price'] === null) continue;
      const product = new Exact(text(row['quantity'])).times(Number(object(row['price'])['price']));
      const off = product.minus(Number(row['value'])).abs();
      expect(off.lessThanOrEqualTo(product.times('1e-15'))).toBe(true);
    }
  });
});

describe('balances', () => {
  it('balances add up per wallet and asset, to 18 decimal places [ledger.beforeBalance, ledger.afterBalance, bounds.quantity]', () => {
    const running = new Map<string, Decimal>();
    let checked = 0;
    for (const row of rows) {
      expect(row['beforeBalance'] === null).toBe(row['afterBalance'] === null);
      if (row['afterBalance'] === null) continue;
      const before = running.get(pairOf(row)) ?? new Exact(0);
      expect(text(row['beforeBalance'])).toBe(before.toFixed());
      const quantity = new Exact(text(row['quantity']));
      const after = row['type'] === 'incoming' ? before.plus(quantity) : before.minus(quantity);
      expect(text(row['afterBalance'])).toBe(after.toFixed());
      running.set(pairOf(row), after);
      checked += 1;
    }
    expect(checked).toBe(2000 - sandbox.truth.withoutBalance);
  });

  it('several pairs of wallet and asset have negative balances, including assets with hostile names', () => {
    const pairs = new Map<string, Json[]>();
    for (const row of rows.filter(isNegative))
      pairs.set(pairOf(row), [...(pairs.get(pairOf(row)) ?? []), row]);
    const { negativePairs } = sandbox.truth;
    expect(pairs.size).toBeGreaterThanOrEqual(6);
    expect(pairs.size).toBeLessThanOrEqual(14);
    expect(negativePairs).toHaveLength(pairs.size);
    for (const pair of negativePairs) {
      const found = pairs.get(`${pair.walletId} ${pair.assetId}`) ?? [];
      expect(found).toHaveLength(pair.legs);
      expect(found[0]?.['id']).toBe(pair.firstLedgerId);
      expect(found[0]?.['timestamp']).toBe(pair.firstTimestamp);
      const deepest = Decimal.min(...found.map((row) => new Exact(text(row['afterBalance']))));
      expect(pair.deepest).toBe(new Exact(deepest).toFixed());
    }
    expect(
      negativePairs.filter(({ symbol }) => symbol.startsWith('=') || symbol === 'OSC52'),
    ).not.toHaveLength(0);
  });
});

describe('accounting fields', () => {
  it('accounting fields are all set or all null, and sandbox.truth counts the rows with a wrong profit', () => {
    let off = 0;
    for (const row of rows) {
      const figures = [row['costbasis'], row['proceeds'], row['profit']];
      const nulls = figures.filter((figure) => figure === null).length;
      expect([0, 3]).toContain(nulls);
      if (nulls === 3) continue;
      const [cost, proceeds, profit] = figures.map((figure) => new Exact(text(figure)));
      if (cost === undefined || proceeds === undefined || profit === undefined)
        throw new Error('unreachable');
      if (!proceeds.minus(cost).equals(profit)) off += 1;
    }
    expect(off).toBe(sandbox.truth.profitOff);
    expect(off).toBeGreaterThan(0);
  });

  it('accounting fields are null for the last quarter, which is not processed yet [ledger.accounting-null]', () => {
    const late = rows.filter((row) => Number(row['timestamp']) >= Date.UTC(2025, 9, 1));
    expect(late.length).toBeGreaterThan(50);
    expect(late.every((row) => row['profit'] === null)).toBe(true);
  });
});

describe('the truth', () => {
  const count = (test: (row: Json) => boolean) => rows.filter(test).length;

  it('the counts in sandbox.truth match the rows', () => {
    const { truth } = sandbox;
    const scanned = {
      ledgers: rows.length,
      transactions: new Set(rows.map((row) => row['transactionId'])).size,
      incoming: count((row) => row['type'] === 'incoming'),
      outgoing: count((row) => row['type'] === 'outgoing'),
      fee: count((row) => row['type'] === 'fee'),
      negative: count(isNegative),
      withoutBalance: count((row) => row['afterBalance'] === null),
      missingPrice: count((row) => row['price'] === null),
      missingAsset: count((row) => row['assetId'] === null),
      edited: count((row) => row['isEdited'] === true),
      unprocessed: count((row) => row['profit'] === null),
      halfPosted: count((row) => row['debitCoaCode'] !== null && row['creditCoaCode'] === null),
      firstTimestamp: rows[0]?.['timestamp'],
      lastTimestamp: rows.at(-1)?.['timestamp'],
      ties: count((row) => row === rows.find((other) => other['timestamp'] === row['timestamp'])),
    };
    expect(truth).toMatchObject({ ...scanned, ties: 2000 - scanned.ties });
  });

  it('sandbox.truth contains a nonzero count for every kind of problem that occurs in real books', () => {
    const { truth } = sandbox;
    for (const name of [
      'negative',
      'withoutBalance',
      'missingPrice',
      'missingAsset',
      'edited',
      'unprocessed',
    ] as const) {
      expect([name, truth[name]]).not.toEqual([name, 0]);
    }
    for (const name of ['backdated', 'hostile', 'halfPosted', 'duplicates'] as const) {
      expect([name, truth[name]]).not.toEqual([name, 0]);
    }
    expect(count((row) => row['syncId'] === null)).toBeGreaterThan(10);
  });
});

describe('edge cases in the data', () => {
  const names = new Set(
    rows.flatMap((row) => (isObject(row['asset']) ? [String(row['asset']['name'])] : [])),
  );
  const some = (pattern: RegExp) => [...names].some((name) => pattern.test(name));
  const has = (part: string) => [...names].some((name) => name.includes(part));

  it('the data contains hostile and unusual names', () => {
    expect(some(/^=HYPERLINK\(/)).toBe(true);
    expect(some(/^\+cmd/)).toBe(true);
    expect(some(/^@SUM/)).toBe(true);
    expect(has('\u001b]8;;')).toBe(true);
    expect(has('\u001b]52;')).toBe(true);
    expect(has('\u001b[2J')).toBe(true);
    expect(some(/\u202e/)).toBe(true);
    expect(some(/\t/)).toBe(true);
    expect(some(/\r\n/)).toBe(true);
    expect(some(/","?|"/)).toBe(true);
    expect(some(/,/)).toBe(true);
    expect(some(/<script>/)).toBe(true);
    expect([...names].some((name) => name.length > 500)).toBe(true);
  });

  it('the data contains very small and very large quantities', () => {
    const quantities = rows.map((row) => new Exact(text(row['quantity'])));
    expect(quantities.some((quantity) => quantity.lessThan('1e-15'))).toBe(true);
    expect(quantities.some((quantity) => quantity.greaterThan(1_000_000_000))).toBe(true);
    expect(quantities.filter((quantity) => quantity.decimalPlaces() === 18).length).toBeGreaterThan(50);
    const values = rows.flatMap((row) => (row['value'] === null ? [] : [Number(row['value'])]));
    expect(values.some((value) => value > 0 && value < 1e-9)).toBe(true);
    expect(values.some((value) => value > 1e6)).toBe(true);
  });

  it('the data contains numbers with more digits than a double can represent', async () => {
    const { raw } = await get(sandbox, '/v1/ledgers', { limit: 200 });
    const written = [...raw.matchAll(/"value":(\d[^,}]*)/g)].map((match) => match[1] ?? '');
    const beyond = written.filter((digits) => !new Exact(digits).equals(new Exact(Number(digits))));
    expect(beyond.length).toBeGreaterThan(2);
  });

  it('the data contains unusual timestamps', () => {
    const times = new Set(rows.map((row) => Number(row['timestamp'])));
    for (const moment of [
      '2024-03-31T01:00:00.000Z',
      '2024-03-31T00:59:59.999Z',
      '2024-10-27T00:30:00.000Z',
      '2024-10-27T01:30:00.000Z',
      '2024-03-10T07:00:00.000Z',
      '2024-11-03T05:30:00.000Z',
      '2024-11-03T06:30:00.000Z',
      '2024-02-29T12:00:00.000Z',
      '2024-12-31T23:00:00.000Z',
      '2025-01-01T00:00:00.000Z',
      '2025-12-31T23:59:59.999Z',
    ]) {
      expect([moment, times.has(Date.parse(moment))]).toEqual([moment, true]);
    }
    const across = rows.filter(
      (row, index) =>
        index > 0 &&
        row['timestamp'] === rows[index - 1]?.['timestamp'] &&
        row['transactionId'] !== rows[index - 1]?.['transactionId'],
    );
    expect(across.length).toBeGreaterThan(20);
  });

  it('the data contains duplicate legs', () => {
    const seen = new Map<string, number>();
    for (const row of rows) {
      const key = [
        row['walletId'],
        row['assetId'] ?? text(object(row['assetRaw'])['symbol']),
        row['type'],
        row['quantity'],
        row['timestamp'],
      ].join();
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    const repeats = [...seen.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(repeats).toBe(sandbox.truth.duplicates);
  });
});

describe('the seed', () => {
  async function digest(seed: string | number, size: number): Promise<string> {
    const other = await start({ seed, rows: size });
    const { raw } = await get(other, '/v1/ledgers', { limit: 200, sortBy: 'createdAt' });
    const { grants: _g, requests: _r, ...truth } = other.truth;
    return createHash('sha256').update(raw).update(JSON.stringify(truth)).digest('hex');
  }

  it('generates the same bytes for the same seed, and different bytes for different seeds', async () => {
    const first = await digest('a', 500);
    expect(await digest('a', 500)).toBe(first);
    expect(await digest('b', 500)).not.toBe(first);
    expect(await digest(1, 500)).toBe(await digest('1', 500));
  });

  // If this hash changes, the data of every sandbox changes. Mention such a change in the changelog.
  it('generates the same bytes on any machine and on any day', async () => {
    const hash = createHash('sha256');
    for (const row of rows) hash.update(JSON.stringify(row));
    expect(hash.digest('hex')).toBe('72a5906989e23e934f9a68aabfd8175fbfa7baa91eb884122e9890f5feef7a5f');
  });

  it.each([0, 1, 2, 3, 199, 1999])('generates exactly %s rows', async (size) => {
    const other = await start({ rows: size });
    expect(await allLedgers(other)).toHaveLength(size);
    expect(other.truth.ledgers).toBe(size);
  });
});
