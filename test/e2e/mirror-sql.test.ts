import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { launch, messagesOf, ROOT, run, sandboxed, start, temporary } from './harness.ts';
import { terminal } from './tmux.ts';

const sandbox = await sandboxed({ rows: 700 });
const { env } = sandbox;
const cwd = temporary();
const SLOW = 'SELECT count(*) FROM range(100000000000) t(i) WHERE i % 7 = 3';

beforeAll(async () => {
  const { code, stderr } = await run(['mirror', 'books'], { env, cwd });
  expect(code, stderr).toBe(0);
});

const query = (sql: string, ...flags: string[]) => run(['mirror', 'sql', 'books', sql, ...flags], { cwd });

/** Sums the quantities of each asset, in units of 10^-18, from the responses of the service. */
async function sumsOfService(): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (let offset = 0; ; offset += 200) {
    const answer = await fetch(`${sandbox.url}/v1/ledgers?limit=200&offset=${offset}`, {
      headers: { authorization: `Bearer ${env['CRYPTODATA_ACCESS_TOKEN']}` },
    });
    const { data } = (await answer.json()) as { data: { assetId: string | null; quantity: string }[] };
    for (const { assetId, quantity } of data)
      sums.set(String(assetId), (sums.get(String(assetId)) ?? 0n) + unscaled(quantity));
    if (data.length < 200) return sums;
  }
}

function unscaled(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.');
  return BigInt(`${whole}${places.padEnd(18, '0')}`);
}

describe('mirror sql', () => {
  test('computes exact sums for each asset, and sends no request to the service', async () => {
    const expected = await sumsOfService();
    const before = sandbox.truth.requests().length;
    const { code, stdout } = await query(
      'SELECT asset_id, sum(quantity) AS total, count(*) AS legs FROM ledgers GROUP BY 1',
      '--jsonl',
    );
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const sums = new Map(rows.map(({ asset_id: assetId, total }) => [String(assetId), unscaled(total)]));
    expect(sums).toEqual(expected);
    expect(rows.reduce((legs, row) => legs + row.legs, 0)).toBe(700);
    expect(sandbox.truth.requests().length).toBe(before);
  });

  test('prints the result in every format, and reports whether the ledgers are verified', async () => {
    const sql = "SELECT min(timestamp) AS first, -1.50::DECIMAL(38,18) AS amount, '=1' AS text FROM ledgers";
    const first = '2020-01-01T00:00:00.000Z';
    const table = await query(sql);
    expect(table.stdout).toBe(`first                     amount  text\n${first}    -1.5  =1\n`);
    expect(table.stderr).toMatch(/^ledgers: verified, read at \d{4}-/);
    expect((await query(sql, '--csv')).stdout).toBe(`first,amount,text\n${first},-1.5,'=1\n`);
    expect(JSON.parse((await query(sql, '--json')).stdout)).toEqual([{ first, amount: '-1.5', text: '=1' }]);
    expect((await query('SELECT 1 AS a WHERE false', '--csv')).stdout).toBe('a\n');
    expect((await query('SELECT 1 AS a WHERE false')).stderr).toContain('No rows.');
    expect((await query('EXPLAIN FROM ledgers')).stdout).toContain('PARQUET');
    const rounded = await query('SELECT avg(quantity) AS mean FROM ledgers', '--json');
    expect(messagesOf(rounded.stderr).notes).toContain('mean: DOUBLE values are rounded to about 16 digits.');
  });

  test('warns if windows of the mirror must be reread', async () => {
    const folder = temporary();
    cpSync(join(cwd, 'books'), folder, { recursive: true });
    mkdirSync(join(folder, 'reread'));
    const reason = { why: 'costbasis.completed', at: '2025-01-01T00:00:00.000Z', walletId: null };
    writeFileSync(join(folder, 'reread', '1735689600000-0123456789ab.json'), JSON.stringify(reason));
    const warning =
      'warning: ledgers: not verified: windows of the mirror must be read again (costbasis.completed)';
    const counted = await run(['mirror', 'sql', folder, 'SELECT count(*) FROM ledgers']);
    expect([counted.code, counted.stderr]).toEqual([0, `${warning}\n`]);
  });

  test('a table shows every digit of a number', async () => {
    const { stdout } = await query('SELECT 12345.123456789012345678 AS amount');
    expect(stdout).toContain('12345.123456789012345678');
  });

  test('reads the query from a pipe', async () => {
    const args = ['mirror', 'sql', 'books', '--csv'];
    const { code, stdout } = await run(args, { cwd, input: 'SELECT count(*) AS n -- all\nFROM ledgers;\n' });
    expect([code, stdout]).toEqual([0, 'n\n700\n']);
  });

  test('--schema lists the tables and their columns', async () => {
    const { code, stdout } = await run(['mirror', 'sql', 'books', '--schema', '--jsonl'], { cwd });
    expect(code).toBe(0);
    for (const [table, column, type] of [
      ['ledgers', 'quantity', 'DECIMAL(38,18)'],
      ['ledgers', 'timestamp', 'TIMESTAMP'],
      ['ledgers_history', 'change', 'VARCHAR'],
      ['transactions', 'record', 'VARCHAR'],
      ['integrations', 'wallet_id', 'VARCHAR'],
      ['holdings', 'is_spam', 'BOOLEAN'],
      ['labels', 'record', 'VARCHAR'],
    ])
      expect(stdout).toContain(`${JSON.stringify({ table, column, type })}\n`);
  });

  test.each([
    ['SELECT qty FROM ledgers', 'SQL_ERROR', /LINE 1: SELECT qty/],
    ["FROM read_text('/etc/passwd')", 'SQL_ERROR', /Permission Error/],
    ['DELETE FROM labels', 'NOT_A_QUERY', /read-only/],
    ["SELECT 'x\u001b[2J'::INTEGER", 'SQL_ERROR', /Could not convert/],
  ])('exits with 2 for the statement %j', async (sql, error, message) => {
    const plain = await query(sql);
    expect([plain.code, plain.stdout]).toEqual([2, '']);
    expect(plain.stderr).toMatch(message);
    expect(plain.stderr).not.toContain('\u001b');
    expect(messagesOf((await query(sql, '--json')).stderr).error?.code).toBe(error);
  });

  test('Ctrl-C stops a long query, and the command exits with 130', async () => {
    const { child, ended } = start(['mirror', 'sql', 'books', SLOW], { cwd });
    setTimeout(() => child.kill('SIGINT'), 3000);
    expect((await ended).code).toBe(130);
  });

  test('if DuckDB is missing, prints the name of the package to install', async () => {
    const copy = temporary();
    for (const folder of ['dist', 'bin']) cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
    const args = [join(copy, 'bin', 'cryptodata.js'), 'mirror', 'sql', join(cwd, 'books'), 'SELECT 1'];
    const { code, stderr } = await launch(process.execPath, args, { cwd: copy }).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/@duckdb\/node-api, which is not installed\n.*npm install -g @duckdb\/node-api/);
  });
});

describe.skipIf(!needs('tmux'))('the prompt of "mirror sql"', () => {
  test('runs multi-line statements, survives errors and Ctrl-C, and saves the history', async () => {
    const home = temporary();
    const own = { CRYPTODATA_CONFIG_DIR: home, CI: undefined };
    const screen = terminal(`cd ${cwd} && cryptodata mirror sql books`, { columns: 100 }, own);
    // A semicolon at the end of an argument separates tmux commands, so escape it.
    const enter = (text: string) => {
      screen.type(text.replace(/;$/, '\\;'));
      screen.press('Enter');
    };
    await screen.shows(/sql>$/);
    enter('SELECT count(*)');
    await screen.shows(/\.\.\.>$/);
    enter('AS legs FROM ledgers;');
    await screen.shows(/legs\n─+\n +700\nledgers: verified.*\nsql>$/);
    enter('SELECT qty FROM ledgers;');
    await screen.shows(/LINE 1: SELECT qty[\s\S]*sql>$/);
    screen.type('SELECT 1 +');
    await screen.shows(/1 \+$/);
    screen.press('C-c');
    await screen.shows(/\^C\nsql>$/);
    enter(`${SLOW};`);
    await screen.shows(/% 7 = 3;/);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    screen.press('C-c');
    await screen.shows(/Interrupted\nsql>$/);
    screen.press('Up');
    screen.press('Up');
    screen.press('Up');
    await screen.shows(/sql> SELECT count\(\*\) AS legs FROM ledgers;$/);
    screen.press('Enter');
    await screen.shows(/700[\s\S]*700\nsql>$/);
    screen.press('C-d');
    await screen.shows(/exit=0/);
    expect(readFileSync(join(home, 'sql-history'), 'utf8').split('\n')[0]).toBe(
      'SELECT count(*) AS legs FROM ledgers;',
    );
    rmSync(home, { recursive: true });
  });

  test('after an update of the mirror, queries read the new data, and a message reports the update', async () => {
    const own = { CRYPTODATA_CONFIG_DIR: temporary(), CI: undefined };
    const screen = terminal(`cd ${cwd} && cryptodata mirror sql books`, { columns: 100 }, own);
    const ask = () => {
      screen.type('SELECT count(*) AS legs FROM ledgers\\;');
      screen.press('Enter');
    };
    await screen.shows(/sql>$/);
    ask();
    await screen.shows(/700\nledgers: verified.*\nsql>$/);
    const { stdout } = await run(['ledgers', 'list', '--limit', '50', '--json'], { env });
    const legs: { walletId: string; assetId: string | null }[] = JSON.parse(stdout);
    const { walletId = '', assetId } = legs.find((leg) => leg.assetId !== null) ?? {};
    const timestamp = Date.UTC(2025, 5, 1);
    sandbox.ledgers.insert({
      type: 'incoming',
      quantity: '2.5',
      walletId,
      asset: String(assetId),
      timestamp,
    });
    ask();
    await screen.shows(/700[\s\S]*700\nsql>$/);
    const { code, stderr } = await run(['mirror', 'books'], { env, cwd });
    expect(code, stderr).toBe(0);
    ask();
    await screen.shows(
      /The mirror was updated\. Queries now read the new state\.[\s\S]*701\nledgers: verified.*\nsql>$/,
    );
    ask();
    await screen.shows(/701[\s\S]*701\nsql>$/);
    expect(screen.screen().match(/mirror was updated/g)).toHaveLength(1);
    screen.press('C-d');
    await screen.shows(/exit=0/);
  });
});
