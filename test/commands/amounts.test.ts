// Amounts in files: their notation, the formula guard, the decimal comma, and the digits of numbers.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { legsText } from '../../src/commands/txns/columns.ts';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { ask } from '../formats/duck.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

/** JSON of the rows that the service sends. The text is JSON, so that numbers keep all their digits. */
let rows: readonly string[] = [];
const service = await stub((_request, response, { searchParams }) => {
  const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 50)];
  const page = rows.slice(offset, offset + limit).join(',');
  sendJson(
    response,
    200,
    `{"data":[${page}],"meta":{"total":${rows.length},"limit":${limit},"offset":${offset}}}`,
  );
});
const directory = temporary();

async function exported(noun: string, name: string, ...flags: string[]): Promise<string> {
  const path = join(directory, name);
  const line = [noun, 'export', '--out', path, '--overwrite', '--tz', 'UTC', ...flags];
  const { error } = await endHere(line, service.env);
  expect(error).toBeUndefined();
  return path;
}

async function cellsOf(noun: string, ...flags: string[]): Promise<readonly Record<string, string>[]> {
  const path = await exported(noun, `${noun}.csv`, ...flags);
  const delimiter = flags.includes('--decimal-comma') ? ';' : ',';
  return parse(readFileSync(path, 'utf8'), { columns: true, delimiter });
}

const AMOUNTS = 'quantity value beforeBalance afterBalance costbasis proceeds profit'.split(' ');
const leg = (id: number, fields: object) =>
  JSON.stringify({
    ...{
      id: `led_${id}`,
      transactionId: `txn_${id}`,
      type: 'incoming',
      timestamp: Date.UTC(2025, 0, 1) + id,
    },
    ...{
      walletId: 'w',
      assetId: 'a',
      assetRaw: { symbol: 'X' },
      asset: { symbol: 'X' },
      baseCurrency: 'EUR',
    },
    ...fields,
  });

/** A decimal in any notation that the tool reads. */
const decimal = fc.stringMatching(/^[+-]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})([eE][+-]?\d{1,2})?$/);
const withComma = (text: string) => text.replace('.', ',');

describe('amounts in a CSV file', () => {
  test('amounts of legs have no formula guard, and --decimal-comma changes only their decimal point', async () => {
    const amounts = fc.record(Object.fromEntries(AMOUNTS.map((name) => [name, decimal])));
    await fc.assert(
      fc.asyncProperty(fc.array(amounts, { minLength: 1, maxLength: 20 }), async (all) => {
        rows = all.map((fields, id) =>
          leg(id, { ...fields, price: { price: fields['value'] }, extra: fields['profit'] }),
        );
        const columns = ['--columns', 'id,+extra,price.price,'.concat(AMOUNTS.join(',')).replace('+', '')];
        const expected = all.map((fields, id) => ({
          ...{ id: `led_${id}`, extra: fields['profit'], 'price.price': fields['value'] },
          ...fields,
        }));
        const plain = await cellsOf('ledgers', ...columns);
        expect(plain).toEqual(expected);
        const comma = await cellsOf('ledgers', ...columns, '--decimal-comma');
        expect(comma).toEqual(
          expected.map((row) =>
            Object.fromEntries(Object.entries(row).map(([key, text]) => [key, withComma(String(text))])),
          ),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  test('in a column without amounts, text that looks like a decimal gets a formula guard and no decimal comma', async () => {
    rows = [leg(1, { quantity: '1', label: '-1e-18', description: '1.5' })];
    const [plain] = await cellsOf('ledgers');
    expect(plain).toMatchObject({ label: "'-1e-18", description: '1.5' });
    const [comma] = await cellsOf('ledgers', '--decimal-comma');
    expect(comma).toMatchObject({ label: "'-1e-18", description: '1.5' });
  });

  test('keys of sums have a decimal comma', async () => {
    rows = [leg(1, { quantity: '1.5', afterBalance: '2.5', price: { price: 3.25 } })];
    const [sum] = await cellsOf('ledgers', '--sum-by', 'asset,afterBalance,price.price', '--decimal-comma');
    expect(sum).toMatchObject({ afterBalance: '2,5', 'price.price': '3,25', incoming: '1,5' });
  });

  test.each([[[]], [['--columns', 'id,value,usd,mixed,note,version,fee.quantity,fee.price.price']]])(
    'every amount of a transaction has a decimal comma: %j',
    async (flags) => {
      rows = [
        {
          id: 't1',
          value: '1.5',
          usd: '2.5',
          mixed: 0.5,
          version: '1.10',
          note: '1.5',
          fee: { quantity: '.5', price: { price: 1.5 } },
        },
        {
          id: 't2',
          value: 2.5,
          usd: 3.5,
          mixed: '+1.5e-3',
          version: 'x',
          note: 'a',
          fee: { quantity: 1.5, price: { price: '2.5' } },
        },
        { id: 't3', value: null, usd: '-1e-7', mixed: 'unknown', version: '2.0', note: null, fee: null },
      ].map((row) => JSON.stringify(row));
      const found = await cellsOf('txns', ...flags, '--decimal-comma');
      const columnOf = (name: string) => found.map(({ [name]: cell }) => cell);
      expect(columnOf('value')).toEqual(['1,5', '2,5', '']);
      expect(columnOf('usd')).toEqual(['2,5', '3,5', '-1e-7']);
      expect(columnOf('mixed')).toEqual(['0,5', '+1,5e-3', 'unknown']);
      expect(columnOf('fee.quantity')).toEqual([',5', '1,5', '']);
      expect(columnOf('fee.price.price')).toEqual(['1,5', '2,5', '']);
      expect(columnOf('version')).toEqual(['1.10', 'x', '2.0']);
      expect(columnOf('note')).toEqual(['1.5', 'a', '']);
    },
  );
});

describe('the legs of a transaction in a file', () => {
  const legs = Array.from({ length: 7 }, (_, at) => ({ quantity: `${at}.5`, asset: { symbol: `A${at}.x` } }));

  test.each(['incoming', 'outgoing', 'fees'])('the column %s lists all legs', async (column) => {
    const field = { incoming: 'incomingAssets', outgoing: 'outgoingAssets', fees: 'fee' }[column] ?? '';
    rows = [JSON.stringify({ id: 't', [field]: legs })];
    const all = legs.map(({ quantity, asset }) => `${quantity} ${asset.symbol}`);
    const [plain] = await cellsOf('txns', '--columns', `id,${column}`);
    expect(plain?.[column]).toBe(all.join(', '));
    const [comma] = await cellsOf('txns', '--columns', `id,${column}`, '--decimal-comma');
    expect(comma?.[column]).toBe(all.map(withComma).join('; '));
    const path = await exported('txns', 't.json', '--columns', `id,${column}`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([{ id: 't', [column]: all.join(', ') }]);
  });

  test('legsText replaces the decimal point of the quantity with a comma, but no point in the symbol', () => {
    fc.assert(
      fc.property(decimal, fc.string(), (quantity, symbol) => {
        fc.pre(symbol !== '');
        const text = legsText([{ quantity, asset: { symbol } }], '', true);
        expect(text).toBe(`${withComma(quantity)} ${symbol}`);
      }),
    );
  });
});

test('numbers that are keys of sums keep every digit in a Parquet file', async () => {
  const digits = '1234567890.12345678901234567890123';
  rows = [leg(1, { quantity: '1' }).replace(/}$/, `,"price":{"price":${digits}}}`)];
  const path = await exported('ledgers', 'sums.parquet', '--sum-by', 'asset,price.price');
  expect(await ask(`SELECT "price.price" AS price FROM '${path}'`)).toEqual([{ price: digits }]);
});

test('a cell with JSON stays JSON with --decimal-comma', async () => {
  const incomingAssets = [{ quantity: '1.5', value: 2.5 }];
  rows = [JSON.stringify({ id: 't', timestamp: '2025-01-01T00:00:00Z', incomingAssets })];
  const [row] = await cellsOf('txns', '--decimal-comma');
  expect(JSON.parse(row?.['incomingAssets'] ?? '')).toEqual(incomingAssets);
});

test('decimals that are keys of sums are text in a Parquet file, so that every value fits', async () => {
  const digits = '9'.repeat(30);
  rows = [leg(1, { quantity: '1', afterBalance: digits })];
  const path = await exported('ledgers', 'keys.parquet', '--sum-by', 'asset,afterBalance');
  expect(await ask(`SELECT "afterBalance" AS balance, incoming = 1 AS one FROM '${path}'`)).toEqual([
    { balance: digits, one: true },
  ]);
});

test('if a sum does not fit DECIMAL(38, 18), the rows are kept, and --resume writes the sums as text', async () => {
  rows = [leg(1, { quantity: '9'.repeat(30) })];
  const line = ['ledgers', 'export', '--sum-by', 'asset', '--out', join(directory, 'large.parquet')];
  const { error } = await endHere(line, service.env);
  expect(error).toMatchObject({
    code: 'PARQUET_DECIMAL',
    hint: expect.stringMatching(/--parquet-decimals string\. 1 rows? (is|are) kept in .* Use --resume/),
  });
  await endHere([...line, '--parquet-decimals', 'string', '--resume'], service.env);
  expect(await ask(`SELECT incoming FROM '${line.at(-1)}'`)).toEqual([{ incoming: '9'.repeat(30) }]);
});
