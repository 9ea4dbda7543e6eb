// Tests the columns `wallet` and `symbol` of exported files. A server between the tool and the sandbox renames the accounts.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readParquet } from '../../../src/formats/parquet/read.ts';
import { createClient } from '../../../src/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { temporary } from '../../e2e/harness.ts';
import { endHere, runHere } from '../in-process.ts';

const leg = (id: string, walletId: string, assetId: string | null, symbol: string, raw = symbol) => ({
  ...{ id, transactionId: `txn-${id}`, type: 'incoming', quantity: '1', walletId, assetId },
  ...{ timestamp: Date.parse('2024-06-01T12:00:00Z') + Number(id.slice(1)) },
  ...{ asset: assetId === null ? null : { symbol }, assetRaw: { symbol: raw } },
});
const sandbox = await createSandbox({
  data: {
    ledgers: [
      leg('l1', 'wal_1', 'asset_LINK', 'LINK', 'link'),
      leg('l2', 'wal_2', 'asset_ETH', 'ETH'),
      leg('l3', 'wal_2', null, '', 'XYZ'),
      leg('l4', 'wal_gone', 'asset_UNI', 'UNI'),
    ],
  },
});
const NAMES = { wal_1: 'Main, trading', wal_2: '=Savings' };
const NAMES_IN_ROWS = ['Main, trading', '=Savings', '=Savings', null];
const SYMBOLS = ['LINK', 'ETH', 'XYZ', 'UNI'];

/** What the service returns for the accounts: their names, or an HTTP status. */
let accounts: Readonly<Record<string, string>> | number = NAMES;
/** The message of a failure. */
let message = 'No access to accounts';
/** The total that the list of accounts reports; undefined for none. */
let total: number | undefined;
let reads = 0;
/** Number of requests for ledgers, and the number after which such requests fail. */
let requests = 0;
let limit = Number.POSITIVE_INFINITY;
const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/v1/integrations')) {
    reads += 1;
    response.writeHead(typeof accounts === 'number' ? accounts : 200, { 'content-type': 'application/json' });
    const data = Object.entries(accounts).map(([walletId, alias]) => ({
      walletId,
      alias,
      provider: alias === '' ? null : 'kraken',
    }));
    response.end(JSON.stringify(typeof accounts === 'number' ? { message } : { data, total }));
    return;
  }
  requests += 1;
  if (requests > limit) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'No more requests' }));
    return;
  }
  const { authorization = '' } = request.headers;
  const key = request.headers['x-api-key'];
  const headers = { authorization, ...(typeof key === 'string' ? { 'x-api-key': key } : {}) };
  const answer = await fetch(`${sandbox.env['CRYPTODATA_BASE_URL']}${request.url}`, { headers });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(await answer.text());
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const env = { ...sandbox.env, CRYPTODATA_BASE_URL: url };
afterAll(async () => {
  server.close();
  await sandbox.close();
});
beforeEach(() => {
  accounts = NAMES;
  message = 'No access to accounts';
  total = undefined;
  reads = 0;
  requests = 0;
  limit = Number.POSITIVE_INFINITY;
});

const directory = temporary();
let files = 0;
const newFile = (extension: string) => {
  files += 1;
  return join(directory, `${files}${extension}`);
};
const manifestOf = (path: string) => JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));

async function exported(extension: string, ...args: string[]): Promise<string> {
  const out = newFile(extension);
  await runHere(['ledgers', 'export', '--out', out, ...args], env);
  return out;
}
const jsonOf = async (...args: string[]) => {
  const { stdout, error } = await endHere([...args, '--json'], env);
  return { error, result: stdout === '' ? undefined : JSON.parse(stdout) };
};

describe('an exported file', () => {
  test('a CSV file contains the names of wallets and assets beside the ids', async () => {
    const out = await exported('.csv');
    const [header = '', ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(header).toContain(',assetId,symbol,assetRaw.symbol,');
    expect(header).toContain(',walletId,wallet,');
    expect(rows[0]).toContain(',asset_LINK,LINK,link,');
    expect(rows[0]).toContain(',wal_1,"Main, trading",');
    expect(rows[1]).toContain(",wal_2,'=Savings,");
    expect(rows[2]).toContain(',,XYZ,XYZ,');
    expect(rows[3]).toContain(',wal_gone,,');
    expect(manifestOf(out)).toMatchObject({
      verified: true,
      columns: expect.arrayContaining(['wallet', 'symbol']),
      accountNames: { names: NAMES },
    });
  });

  test.each([[['wallet', 'symbol']], [['+wallet', '+symbol']]])(
    'a JSON Lines file with --columns %j contains the names of wallets and assets',
    async (chosen) => {
      const out = await exported('.jsonl', '--columns', chosen.join(','));
      const records = readFileSync(out, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(records.map(({ wallet }) => wallet)).toEqual(NAMES_IN_ROWS);
      expect(records.map(({ symbol }) => symbol)).toEqual(SYMBOLS);
      expect(Object.hasOwn(records[0], 'walletId')).toBe(chosen[0] === '+wallet');
    },
  );

  test.each([
    ['.jsonl', ['--columns', 'id,walletId,symbol']],
    ['.csv', ['--columns', 'id,walletId,symbol']],
    ['.csv', ['--sum-by', 'month']],
  ])('a %s file with %j has no names, so the accounts are not read', async (extension, args) => {
    const out = await exported(extension, ...args);
    expect(reads).toBe(0);
    expect(readFileSync(out, 'utf8')).not.toContain('trading');
    expect(manifestOf(out)).not.toHaveProperty('accountNames');
  });

  test('a workbook and a Parquet file contain names', async () => {
    const { sheets } = await readXlsx(readFileSync(await exported('.xlsx', '--columns', 'wallet,symbol')));
    expect(sheets[0]?.rows.slice(1).map(([wallet]) => wallet ?? null)).toEqual([
      'Main, trading',
      "'=Savings",
      "'=Savings",
      null,
    ]);
    for await (const group of readParquet(await exported('.parquet'), { columns: ['wallet', 'symbol'] })) {
      expect(Array.from(group.column('wallet') ?? [])).toEqual(NAMES_IN_ROWS);
      expect(Array.from(group.column('symbol') ?? [])).toEqual(SYMBOLS);
    }
  });

  test('sums by wallet contain names in the column wallet', async () => {
    const out = await exported('.csv', '--sum-by', 'walletId', '--columns', 'walletId,wallet,legs');
    expect(readFileSync(out, 'utf8')).toBe(
      `walletId,wallet,legs\nwal_1,"Main, trading",1\nwal_2,'=Savings,2\nwal_gone,,1\n`,
    );
  });

  test('if the accounts cannot be read, the wallet column is empty, and the manifest and stderr say why', async () => {
    accounts = 403;
    const out = newFile('.csv');
    const { stdout, stderr } = await runHere(
      ['ledgers', 'export', '--out', out, '--columns', 'id,wallet', '--json'],
      env,
    );
    expect(JSON.parse(stdout)).toMatchObject({ verified: true });
    expect(readFileSync(out, 'utf8')).toBe('id,wallet\nl1,\nl2,\nl3,\nl4,\n');
    expect(manifestOf(out)).toMatchObject({
      verified: true,
      accountNames: { names: {}, missing: expect.stringContaining('No access to accounts') },
    });
    expect(stderr).toContain('The column wallet is empty, because the names of accounts cannot be read');
  });

  test.each([
    ['none', 404, undefined, '"none (GET /v1/integrations answered 404)"'],
    ['says "no"', 403, undefined, '"says \\"no\\" (GET /v1/integrations answered 403)"'],
    ['', {}, 250, /^"The list ended after 0 rows, .* total of 250 rows\..*"$/],
  ] as const)(
    'if the accounts cannot be read, a note in JSON quotes the message %j (response %j)',
    async (text, served, rows, quoted) => {
      accounts = served;
      message = text;
      total = rows;
      const reason =
        'The column wallet is empty, because the names of accounts cannot be read. Message about the list of accounts: ';
      for (const line of [
        ['export', '--out', newFile('.json'), '-o', 'json'],
        ['export', '--out', newFile('.jsonl'), '-o', 'jsonl'],
        ['export', '--out', '-', '--format', 'jsonl', '-o', 'json'],
      ]) {
        const { stderr } = await runHere(['ledgers', ...line], env);
        const notes = stderr
          .trimEnd()
          .split('\n')
          .map((each) => JSON.parse(each).note);
        const [found = ''] = notes.filter((note) => note?.startsWith(reason));
        expect(found.slice(reason.length), stderr).toEqual(
          typeof quoted === 'string' ? quoted : expect.stringMatching(quoted),
        );
      }
    },
  );

  test('exportLedgers() writes the same file as "ledgers export", including the names of wallets and assets', async () => {
    const [out, own] = [await exported('.csv', '--tz', 'UTC'), newFile('.csv')];
    const client = createClient({ baseUrl: url, accessToken: sandbox.env['CRYPTODATA_ACCESS_TOKEN'] });
    await client.exportLedgers({ out: own, tz: 'UTC' });
    await client.close();
    expect(readFileSync(own, 'utf8')).toBe(readFileSync(out, 'utf8'));
  });
});

describe('renaming a wallet does not change the books', () => {
  const RENAMED = { ...NAMES, wal_1: 'Old wallet' };

  test.each([
    ['.csv', []],
    ['.jsonl', ['--columns', '+wallet,+symbol']],
    ['.json', ['--columns', 'id,timestamp,wallet']],
    ['.xlsx', []],
    ['.parquet', []],
    ['.csv', ['--sum-by', 'walletId', '--columns', '+wallet']],
  ])('"ledgers verify --deep" finds no change in a %s file with %j', async (extension, args) => {
    const out = await exported(extension, ...args);
    accounts = RENAMED;
    const { error, result } = await jsonOf('ledgers', 'verify', out, '--deep');
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ verified: true, compared: 'contents', changes: [] });
  });

  test('"ledgers verify --deep" finds no change in a data set after a wallet is renamed', async () => {
    const out = await exported('', '--partition-by', 'year');
    accounts = RENAMED;
    expect((await jsonOf('ledgers', 'verify', out, '--deep')).error).toBeUndefined();
  });

  test.each([
    ['.csv', []],
    ['.jsonl', ['--columns', '+wallet']],
    ['.json', ['--columns', 'id,timestamp,wallet']],
  ])('"ledgers diff" of %s files with %j finds no change', async (extension, args) => {
    const old = await exported(extension, ...args);
    accounts = RENAMED;
    for (const now of [await exported(extension, ...args), await exported('.jsonl'), 'live']) {
      const { error, result } = await jsonOf('ledgers', 'diff', old, now);
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ verified: true, legsOld: 4, legsNew: 4, changes: [] });
    }
  });

  test('"ledgers verify --deep" reports an edited wallet name as a changed file, not as a changed leg', async () => {
    const out = await exported('.csv');
    writeFileSync(out, readFileSync(out, 'utf8').replace('Main, trading', 'Mine, trading'));
    const { error, result } = await jsonOf('ledgers', 'verify', out, '--deep');
    expect(error).toMatchObject({ code: 'FILE_CHANGED' });
    expect(result).toMatchObject({ compared: 'contents', changes: [] });
  });
});

test('a resumed export uses the names that were read when the export began', async () => {
  const whole = await exported('.csv');
  const out = newFile('.csv');
  const run = (...args: string[]) => endHere(['ledgers', 'export', '--out', out, ...args], env);
  limit = 2 * requests - 1;
  expect((await run()).error).toMatchObject({ hint: expect.stringContaining('4 rows are kept') });
  limit = Number.POSITIVE_INFINITY;
  accounts = { wal_1: 'Renamed' };
  expect((await run('--resume')).error).toBeUndefined();
  expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  expect(manifestOf(out).accountNames).toEqual({ names: NAMES });
});

test('a command that reads a file ignores the columns `wallet` and `symbol`, which contain names', async () => {
  const needed = 'id,transactionId,type,quantity,timestamp,walletId,assetId,assetRaw.symbol,asset.symbol';
  const balances = async (columns: string) => {
    const file = await exported('.csv', '--columns', columns);
    return (await jsonOf('balances', '--file', file)).result;
  };
  expect(await balances(`${needed},wallet,symbol`)).toEqual(await balances(needed));
});

describe('a file that contains only names', () => {
  test.each([['wallet,symbol'], ['time,wallet']])(
    'a JSON Lines file with --columns %s cannot be compared with the current legs',
    async (columns) => {
      const out = await exported('.jsonl', '--columns', columns);
      const { error, result } = await jsonOf('ledgers', 'diff', out, 'live');
      expect(result).toBeUndefined();
      expect(error).toMatchObject({
        code: 'MISSING_COLUMNS',
        message: expect.stringContaining('has no field of the legs'),
      });
    },
  );

  test('"ledgers verify --deep" does not compare the contents of an edited file that contains only names', async () => {
    const out = await exported('.jsonl', '--columns', 'wallet,symbol');
    writeFileSync(out, readFileSync(out, 'utf8').replace('LINK', 'ABCD'));
    const manifest = manifestOf(out);
    manifest.file.sha256 = createHash('sha256').update(readFileSync(out)).digest('hex');
    writeFileSync(`${out}.manifest.json`, JSON.stringify(manifest));
    const { error, result } = await jsonOf('ledgers', 'verify', out, '--deep');
    expect(error).toMatchObject({
      message: expect.stringMatching(/^Contents were not compared: .*has no field of the legs/),
    });
    expect(result).toMatchObject({ verified: false, compared: 'number of legs' });
  });
});

test('an account without a name has an empty CSV cell, but its id in a table', async () => {
  accounts = { wal_1: '' };
  const { stdout } = await runHere(
    ['ledgers', 'list', '--csv', '--columns', 'id,wallet', '--limit', '10'],
    env,
  );
  expect(stdout).toContain('l1,\n');
  const table = await runHere(['ledgers', 'list', '-o', 'table', '--columns', 'id,wallet'], env);
  expect(table.stdout).toMatch(/l1 +wal_1/);
});

describe.each(['ledgers list', 'ledgers get l1', 'txns ledgers txn-l1'])('"%s"', (command) => {
  const line = command.split(' ');

  test('prints CSV with the same columns and names as an exported file', async () => {
    const [header, row] = readFileSync(await exported('.csv'), 'utf8').split('\n');
    const { stdout } = await runHere([...line, '--csv'], env);
    const [first, ...rows] = stdout.split('\n');
    expect(first).toBe(header);
    expect(rows).toContain(row);
  });

  test('prints a table with the names of accounts', async () => {
    expect((await runHere([...line, '-o', 'table'], env)).stdout).toContain('Main, trading');
  });

  test('says why the column wallet is empty', async () => {
    accounts = 403;
    const { stderr } = await runHere([...line, '--csv'], env);
    expect(stderr).toContain('The column wallet is empty, because the names of accounts cannot be read');
  });

  test('does not read the accounts for CSV without names', async () => {
    await runHere([...line, '--csv', '--columns', 'id,symbol'], env);
    expect(reads).toBe(0);
  });
});
