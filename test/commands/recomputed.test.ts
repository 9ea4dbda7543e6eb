import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { ask } from '../formats/duck.ts';
import { needs } from '../needs.ts';
import { runHere } from './in-process.ts';

// Another program that reads an exported file must compute the same sums as the tool, to the last digit.

type Line = Readonly<Record<string, string | null>>;

const sandbox = await createSandbox({ rows: 1000 });
afterAll(() => sandbox.close());
const file = join(temporary(), 'ledgers.csv');
const [FROM, TO] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 5, 30, 23, 59, 59, 999)];
const PERIOD = ['--from', '2025-01-01', '--to', '2025-06-30', '--tz', 'UTC'];

let lines: readonly Line[] = [];
let history: readonly Line[] = [];
let balances: readonly Line[] = [];
beforeAll(async () => {
  const json = async (...args: string[]): Promise<Line[]> =>
    JSON.parse((await runHere([...args, '--tz', 'UTC', '--json'], sandbox.env)).stdout);
  await runHere(['ledgers', 'export', '--out', file, '--tz', 'UTC', '--csv-guard', 'off'], sandbox.env);
  lines = await json('ledgers', 'rollforward', ...PERIOD.slice(0, 4));
  history = await json('ledgers', 'rollforward', '--to', '2025-06-30');
  balances = await json('balances', '--as-of', '2025-06-30');
});

/** Returns the same text for equal decimals, such as `1.50` and `1.5`, or `-0` and `0`. */
function plain(decimal: unknown): string {
  const text = String(decimal ?? 0);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '' || short === '-' || short === '-0' ? '0' : short;
}

const keyOf = ({ walletId, assetId, symbol }: Line) => `${walletId} ${assetId ?? symbol}`;

interface Recomputed {
  /** The incoming, outgoing and fee quantities in the period, by wallet and asset. */
  readonly moved: ReadonlyMap<string, readonly string[]>;
  /** The sum of the signed quantities up to the end of the period. */
  readonly net: ReadonlyMap<string, string>;
}

function compare({ moved, net }: Recomputed): void {
  const inPeriod = lines.filter(({ legs }) => Number(legs) > 0);
  expect(inPeriod.length).toBeGreaterThan(30);
  expect(new Set(moved.keys())).toEqual(new Set(inPeriod.map(keyOf)));
  for (const line of inPeriod) {
    const own = [line['in'], line['out'], line['fees']].map(plain);
    expect(own, keyOf(line)).toEqual(moved.get(keyOf(line))?.map(plain));
  }
  // If the opening balance is 0 and every balance is known, the last balance is the sum of all quantities.
  const whole = new Set(history.filter(({ opening, tiesOut }) => opening === '0' && tiesOut).map(keyOf));
  const known = balances.filter((balance) => whole.has(keyOf(balance)));
  expect(known.length).toBeGreaterThan(30);
  for (const balance of known) {
    expect(plain(balance['balance']), keyOf(balance)).toBe(plain(net.get(keyOf(balance))));
  }
}

const KEY = `walletId || ' ' || coalesce(nullif(assetId, ''), nullif("asset.symbol", ''), "assetRaw.symbol")`;
const of = (type: string) => `CASE WHEN type = '${type}' THEN quantity ELSE '0' END`;
const GONE = `CASE WHEN type = 'incoming' THEN '0' ELSE quantity END`;

function recomputed(
  rows: readonly (readonly string[])[],
  totals: readonly (readonly string[])[],
): Recomputed {
  return {
    moved: new Map(rows.map(([key = '', ...sums]) => [key, sums])),
    net: new Map(totals.map(([key = '', sum = '']) => [key, sum])),
  };
}

describe('ledgers rollforward and balances --as-of', () => {
  test.skipIf(!needs('sqlite3'))("sqlite's decimal_sum computes the same sums as the tool", () => {
    const query = (sql: string): string[][] => {
      const args = ['-list', '-separator', '\t', '-cmd', `.import --csv "${file}" legs`, ':memory:', sql];
      const out = execFileSync('sqlite3', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
      return out
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    };
    const sums = ['incoming', 'outgoing', 'fee'].map((type) => `decimal_sum(${of(type)})`).join(', ');
    const time = 'CAST(timestamp AS INTEGER)';
    compare(
      recomputed(
        query(`SELECT ${KEY} AS k, ${sums} FROM legs WHERE ${time} BETWEEN ${FROM} AND ${TO} GROUP BY k`),
        query(
          `SELECT ${KEY} AS k, decimal_sub(decimal_sum(${of('incoming')}), decimal_sum(${GONE})) FROM legs WHERE ${time} <= ${TO} GROUP BY k`,
        ),
      ),
    );
  });

  test("DuckDB's DECIMAL type computes the same sums as the tool", async () => {
    const legs = `read_csv('${file}', all_varchar = true, header = true)`;
    const total = (text: string) => `sum(CAST(${text} AS DECIMAL(38, 18)))`;
    const exact = (plus: string, minus = "'0'") => `CAST(${total(plus)} - ${total(minus)} AS VARCHAR)`;
    const time = 'CAST(timestamp AS BIGINT)';
    const query = async (sql: string) => (await ask(sql)).map((row) => Object.values(row).map(String));
    const sums = ['incoming', 'outgoing', 'fee'].map((type, at) => `${exact(of(type))} AS s${at}`).join(', ');
    compare(
      recomputed(
        await query(
          `SELECT ${KEY} AS k, ${sums} FROM ${legs} WHERE ${time} BETWEEN ${FROM} AND ${TO} GROUP BY k`,
        ),
        await query(
          `SELECT ${KEY} AS k, ${exact(of('incoming'), GONE)} AS s FROM ${legs} WHERE ${time} <= ${TO} GROUP BY k`,
        ),
      ),
    );
  });
});
