// Tests --wallet, --asset and the checks of filter values. The sandbox contains only a few legs.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { control } from '../../sandbox/helpers.ts';
import { endHere, runHere } from '../in-process.ts';

const leg = (id: string, walletId: string, assetId: string | null, symbol: string, year = 2024) => ({
  ...{ id, transactionId: `txn-${id}`, type: 'incoming', quantity: '1', walletId, assetId },
  ...{ timestamp: Date.parse(`${year}-06-01T12:00:00Z`) + Number(id.slice(1)) },
  ...{ asset: assetId === null ? null : { symbol }, assetRaw: { symbol } },
  ...{ beforeBalance: '0', afterBalance: '1', fromAccount: null },
  toAccount: { provider: walletId === 'wal_3' ? 'coinbase' : 'kraken', walletId },
});

const account = (walletId: string, provider: string, publicName: string, alias = '') => ({
  ...{ walletId, provider, providerPublicName: publicName, alias, status: 'COMPLETED' },
});

const sandbox = await createSandbox({
  data: {
    ledgers: [
      leg('l1', 'wal_1', 'asset_LINK', 'LINK'),
      leg('l2', 'wal_2', 'asset_LINK', 'LINK', 2025),
      leg('l3', 'wal_3', 'asset_ETH', 'ETH'),
      leg('l4', 'wal_3', null, 'ETH', 2025),
      leg('l5', 'wal_1', 'asset_usdc_1', 'USDC'),
      leg('l6', 'wal_1', 'asset_usdc_2', 'USDC'),
      leg('l7', 'wal_gone', 'asset_UNI', 'UNI'),
    ],
    integrations: [
      account('wal_1', 'kraken', 'Kraken', 'Main, trading'),
      account('wal_2', 'kraken', 'Kraken', 'Savings'),
      account('wal_3', 'coinbase', 'Coinbase'),
    ],
  },
});
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-names-'));
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});
const { env } = sandbox;

async function ids(...args: string[]): Promise<string[]> {
  const { stdout } = await runHere(['ledgers', 'list', ...args, '--json'], env);
  return JSON.parse(stdout)
    .map(({ id }: { id: string }) => id)
    .sort();
}
const refused = (args: readonly string[], told: object) =>
  expect(runHere(['ledgers', ...args], env)).rejects.toMatchObject({ kind: 'usage', ...told });

describe('--wallet', () => {
  test.each([
    [['wal_2'], ['l2']],
    [['main, TRADING'], ['l1', 'l5', 'l6']],
    [['coinbase'], ['l3', 'l4']],
    [
      ['Savings', 'wal_gone'],
      ['l2', 'l7'],
    ],
  ])('--wallet %j selects %j by id, alias or provider', async (names, expected) => {
    expect(await ids(...names.flatMap((name) => ['--wallet', name]))).toEqual(expected);
  });

  test('"ledgers list --wallet" reports the number of matching legs, and respects --limit', async () => {
    const { stdout, stderr } = await runHere(['ledgers', 'list', '--wallet', 'wal_3', '--jsonl'], env);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stderr).toContain('The tool filtered the legs itself: it read 7 legs, of which 2 match.');
    expect(await ids('--wallet', 'wal_1', '--limit', '1')).toHaveLength(1);
  });

  test('--wallet lists the candidates for an ambiguous name', async () => {
    await refused(['list', '--wallet', 'kraken'], {
      code: 'AMBIGUOUS_NAME',
      message: expect.stringContaining('Kraken (wal_gone), Main, trading (wal_1), Savings (wal_2)'),
    });
  });

  test('--wallet lists near matches for an unknown name', async () => {
    await refused(['negative', '--wallet', 'Savngs'], {
      code: 'UNKNOWN_NAME',
      hint: expect.stringContaining('Did you mean Savings (wal_2)?'),
    });
  });

  test.each(['list', 'negative', 'rollforward --period 2024', 'disposals --period 2024'])(
    'for a misspelt name with a comma, the hint of "ledgers %s" suggests the whole name',
    async (verb) => {
      await refused([...verb.split(' '), '--wallet', 'Main, tradng'], {
        code: 'UNKNOWN_NAME',
        hint: expect.stringMatching(/^Did you mean .*Main, trading/),
      });
    },
  );
});

describe('--asset', () => {
  test.each([
    [['link'], ['l1', 'l2']],
    [['asset_LINK'], ['l1', 'l2']],
    [['ETH'], ['l3', 'l4']],
    [['asset_ETH'], ['l3']],
    [
      ['UNI', 'LINK'],
      ['l1', 'l2', 'l7'],
    ],
  ])('--asset %j selects %j by id or symbol, including legs without an asset id', async (names, expected) => {
    expect(await ids(...names.flatMap((name) => ['--asset', name]))).toEqual(expected);
  });

  test('the error lists all matches of an ambiguous --asset, and near matches of an unknown --asset', async () => {
    await refused(['list', '--asset', 'usdc'], {
      code: 'AMBIGUOUS_NAME',
      message: expect.stringMatching(/asset_usdc_1.*asset_usdc_2/),
    });
    await refused(['list', '--asset', 'LNK'], {
      code: 'UNKNOWN_NAME',
      hint: expect.stringContaining('LINK (asset_LINK)'),
    });
  });

  test('--asset can be combined with --wallet, --sum-by and a period', async () => {
    expect(await ids('--asset', 'LINK', '--wallet', 'Savings')).toEqual(['l2']);
    expect(await ids('--asset', 'ETH', '--period', '2025')).toEqual(['l4']);
    const { stdout } = await runHere(['ledgers', '--asset', 'ETH', '--sum-by', 'year', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject([
      { year: '2024', legs: 1 },
      { year: '2025', legs: 1 },
    ]);
  });
});

describe('a filter without a match', () => {
  test.each([
    ['list --providers Kraken', 'Did you mean kraken'],
    ['list --providers kraken,Coinbsae', 'Did you mean coinbase'],
    ['list --asset-ids LINK', 'Did you mean asset_LINK'],
    ['list --transaction-ids txn-l', 'Did you mean txn-l'],
    ['negative --asset-ids asset_lInk', 'Did you mean asset_LINK'],
  ])('"ledgers %s" fails if a filter has no match, and suggests a value', async (line, hint) => {
    await refused(line.split(' '), { code: 'UNKNOWN_VALUE', hint: expect.stringContaining(hint) });
  });

  test('an export fails for a filter without a match, and creates no file', async () => {
    await refused(['export', '--providers', 'Kraken', '--out', join(directory, 'x.csv')], {
      code: 'UNKNOWN_VALUE',
    });
    await refused(['export', '--asset', 'LNK', '--out', join(directory, 'x.csv')], { code: 'UNKNOWN_NAME' });
    expect(await readdir(directory)).toEqual([]);
  });

  test('an export without rows prints a warning, even with --quiet', async () => {
    const args = ['ledgers', 'export', '--out', '-', '--format', 'jsonl', '--quiet', '--asset', 'UNI'];
    const { stderr } = await runHere([...args, '--period', '2052'], env);
    expect(stderr).toBe('warning: The export has no rows: no ledger matches (--period 2052).\n');
    const days = await runHere([...args, '--from', '2052-01-01'], env);
    expect(days.stderr).toBe('warning: The export has no rows: no ledger matches.\n');
    expect((await runHere(args, env)).stderr).toBe('');
  });

  test('a known filter value that matches no leg returns an empty list and an explanation', async () => {
    const { stdout, stderr } = await runHere(
      ['ledgers', '--providers', 'kraken', '--period', '2009', '--json'],
      env,
    );
    expect(JSON.parse(stdout)).toEqual([]);
    expect(stderr).toContain('None of the 5 matching legs is in this period.');
    const none = await endHere(
      ['ledgers', '--providers', 'coinbase', '--asset-ids', 'asset_LINK', '--json'],
      env,
    );
    expect(none.stderr).toContain('2 for --asset-ids asset_LINK, 2 for --providers coinbase');
  });
});

describe('a table of legs', () => {
  test('a table of legs shows wallet names, and wallet ids in the column walletId', async () => {
    const { stdout } = await runHere(['ledgers', '--asset', 'LINK', '--columns', 'id,wallet,walletId'], env);
    expect(stdout).toMatch(/l2 +Savings +wal_2/);
    expect(stdout).toMatch(/l1 +Main, trading +wal_1/);
  });

  test('sums by wallet show wallet names in a table, but wallet ids in CSV and JSON', async () => {
    const args = ['ledgers', '--asset', 'ETH', '--asset', 'LINK', '--sum-by', 'walletId'];
    const { stdout } = await runHere([...args, '--columns', 'wallet,legs'], env);
    expect(stdout).toMatch(/^wallet +legs\nMain, trading +1\nSavings +1\nCoinbase +2\n$/);
    expect((await runHere([...args, '--columns', 'walletId,wallet'], env)).stdout).toMatch(
      /wal_2 +Savings\n/,
    );
    expect((await runHere([...args, '--csv'], env)).stdout).toMatch(/^walletId,.*\nwal_1,/);
    expect(JSON.parse((await runHere([...args, '--json'], env)).stdout)[2]).toMatchObject({
      walletId: 'wal_3',
    });
    const received = await runHere(['ledgers', '--asset', 'LINK', '--sum-by', 'toAccount.walletId'], env);
    expect(received.stdout).toMatch(/^toAccount\.wallet .*\nMain, trading /);
  });

  test('a table of sums by year does not request the accounts', async () => {
    const before = sandbox.truth.requests().length;
    await runHere(['ledgers', '--sum-by', 'year'], env);
    const asked = sandbox.truth.requests().slice(before);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ path }) => path !== '/v1/ledgers')).toEqual([]);
  });

  test('without permission to read accounts, a table shows wallet ids, and a note contains the reason', async () => {
    await control(sandbox, 'faults', { path: '/v1/integrations', status: 403 });
    const { stdout, stderr } = await runHere(['ledgers', '--asset', 'LINK'], env);
    expect(stdout).toContain('wal_2');
    expect(stderr).toContain('Accounts are shown by id, because the names of accounts cannot be read');
  });
});

test('--asset warns that older legs may refer to a different asset with the same symbol', async () => {
  const ledgers = Array.from({ length: 5001 }, (_, at) =>
    leg(`l${at}`, 'wal_1', at < 1 ? 'asset_scam' : 'asset_LINK', 'LINK'),
  );
  const own = await createSandbox({ data: { ledgers } });
  try {
    const { stderr } = await runHere(['ledgers', 'list', '--asset', 'LINK'], own.env);
    expect(stderr).toMatch(/may include older legs of another asset called LINK\. Only the newest/);
    expect(stderr).toContain('To select only asset_LINK: --asset asset_LINK');
  } finally {
    await own.close();
  }
});

describe('an export with --wallet', () => {
  test.each(['csv', 'json', 'jsonl'])(
    'a %s export with --wallet contains only rows of that wallet, and verifies that no row is missing',
    async (format) => {
      const out = join(directory, `one.${format}`);
      const { stdout, stderr } = await runHere(
        ['ledgers', 'export', '--wallet', 'coinbase', '--out', out, '--json'],
        env,
      );
      expect(JSON.parse(stdout)).toMatchObject({ rows: 2, rowsRead: 7, verified: true });
      expect(stderr).toContain('The tool filtered the legs itself: it read 7 legs, of which 2 match.');
      const text = await readFile(out, 'utf8');
      expect(text.match(/"?l[0-9]"?/g)?.map((id) => id.replaceAll('"', ''))).toEqual(
        expect.arrayContaining(['l3', 'l4']),
      );
      expect(text).not.toContain('wal_1');
      if (format === 'json') expect(JSON.parse(text)).toHaveLength(2);
      const manifest = JSON.parse(await readFile(`${out}.manifest.json`, 'utf8'));
      expect(manifest).toMatchObject({
        ...{ rows: 7, rowsWritten: 2, verified: true, t1: { total: 7 } },
        request: { filteredInTool: { walletIds: ['wal_3'] } },
      });
      const checked = await endHere(['ledgers', 'verify', out, '--json'], env);
      expect(checked.error).toBeUndefined();
      expect(JSON.parse(checked.stdout)).toMatchObject({
        hash: 'same',
        rowsExported: 2,
        total: 7,
        totalToday: 7,
      });
      const deep = await endHere(['ledgers', 'verify', out, '--deep', '--json'], env);
      expect(deep.error).toBeUndefined();
      expect(JSON.parse(deep.stdout)).toMatchObject({ verified: true, legsToday: 2, added: 0, removed: 0 });
      expect(deep.stderr).toContain('all 2 legs were compared');
    },
  );

  test.each([[[]], [['--sum-by', 'asset']]])('the workbook lists the wallet filter: %j', async (args) => {
    const out = join(directory, `about${args.length}.xlsx`);
    await runHere(['ledgers', 'export', '--wallet', 'coinbase', ...args, '--out', out], env);
    const { sheets } = await readXlsx(await readFile(out));
    expect(sheets.at(-1)?.rows).toEqual(
      expect.arrayContaining([['Filtered in the tool', '{"walletIds":["wal_3"]}: 2 of 7 legs']]),
    );
  });

  test('the workbook lists the filters that could not be checked', async () => {
    const out = join(directory, 'unchecked.xlsx');
    await runHere(['ledgers', 'export', '-q', 'labels=Fee', '--out', out], env);
    const { sheets } = await readXlsx(await readFile(out));
    expect(sheets.at(-1)?.rows).toContainEqual(['Filters not checked', 'labels']);
  });

  test('an export with --wallet resumes only with the same wallet', async () => {
    const out = join(directory, 'cut.csv');
    const command = ['ledgers', 'export', '--period', '2024', '--out', out, '--concurrency', '1'];
    const whole = await runHere([...command, '--wallet', 'coinbase', '--json'], env);
    const { sha256 } = JSON.parse(whole.stdout);
    const { requests } = JSON.parse(await readFile(`${out}.manifest.json`, 'utf8'));
    await rm(out);
    await rm(`${out}.manifest.json`);
    // Make the last request of the verification fail, after all rows were read.
    await control(sandbox, 'faults', { path: '/v1/ledgers', status: 403, after: requests - 1 });
    const cut = await endHere([...command, '--wallet', 'coinbase', '--json'], env);
    await control(sandbox, 'reset', {});
    expect(cut.error).toMatchObject({ status: 403 });
    const other = await endHere([...command, '--wallet', 'Savings', '--resume', '--json'], env);
    expect(other.error).toMatchObject({ kind: 'usage' });
    const resumed = await runHere([...command, '--wallet', 'coinbase', '--resume', '--json'], env);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 1, rowsRead: 5, sha256 });
  });

  test('an export with --wallet writes an empty file if the wallet has no leg in the period', async () => {
    const out = join(directory, 'none.json');
    const { stdout } = await runHere(
      ['ledgers', 'export', '--wallet', 'Savings', '--period', '2024', '--out', out, '--json'],
      env,
    );
    expect(JSON.parse(stdout)).toMatchObject({ rows: 0, rowsRead: 5 });
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual([]);
  });
});

describe('assets TEXT', () => {
  test('"assets search" finds an asset in the ledgers by a part of its symbol or id', async () => {
    const { stdout } = await runHere(['assets', 'lin', '--json'], env);
    expect(JSON.parse(stdout)).toEqual([
      { assetId: 'asset_LINK', symbol: 'LINK', name: '', type: '', legs: 2 },
    ]);
    expect((await runHere(['assets', 'search', 'usdc_2', '--csv'], env)).stdout).toContain('asset_usdc_2');
  });

  test('"assets search" suggests near matches if no asset matches', async () => {
    const { stdout, stderr } = await runHere(['assets', 'LNK', '--json'], env);
    expect(JSON.parse(stdout)).toEqual([]);
    expect(stderr).toContain('0 of 6 assets in your ledgers match. Did you mean LINK?');
  });
});

test.each([
  ['--columns walletId,wallet --wallet Savings', 'walletId,wallet\nwal_2,Savings'],
  ['--columns Wallet,legs --sum-by walletId --wallet Savings', 'wallet,legs\nSavings,'],
])('the column wallet contains names in CSV too: "ledgers list %s"', async (line, expected) => {
  const { stdout } = await runHere(['ledgers', 'list', ...line.split(' '), '-o', 'csv'], env);
  expect(stdout.startsWith(expected)).toBe(true);
});
