import { LosslessNumber } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { asked, run, sandboxed } from './harness.ts';
import { at, RawNumber, readCells, readJson, readRows } from './values.ts';

const DIGITS = '123456789012345678901234567890.5';

const sandbox = await sandboxed({
  rows: 300,
  data: {
    nfts: {
      data: [
        { id: 'nft_1', name: '=cmd|1', collection: { name: 'Cats', traits: ['a', 'b'] } },
        { id: 'nft_2' },
      ],
      totalEstimatedValueUsd: new LosslessNumber(DIGITS),
    },
    defi: [{ id: 'defi_1', protocol: 'lender', net: new LosslessNumber(DIGITS) }],
    'defi-totals': { total: new LosslessNumber(DIGITS), currency: 'USD' },
    'calculated-balances': [{ walletId: 'wal_1', balance: '0.000000000000000001' }],
    labels: ['Deposit', 'Withdrawal'],
    assets: [
      { id: 'ast_1', contractAddress: '0xABC' },
      { id: 'ast_2', contractAddress: '0xdef' },
    ],
    spam: [{ assetId: 'ast_9', name: '\u001b[2J\u202eFREE' }],
    contacts: [{ id: 'con_1', name: 'Alice' }],
    'counter-parties': [{ id: 'cp_1', name: 'Bank' }],
  },
});
const { env } = sandbox;
const registered = await sandboxed({
  rows: 10,
  autoConsent: true,
  registeredScopes: ['contacts:read'],
  data: { contacts: [{ id: 'con_1', name: 'Alice' }], 'counter-parties': [{ id: 'cp_1', name: 'Bank' }] },
});
const byKey = {
  ...registered.env,
  CRYPTODATA_ACCESS_TOKEN: undefined,
  CRYPTODATA_API_KEY: registered.apiKey,
  CRYPTODATA_WORKSPACE: registered.workspaceId,
};

async function ok(...args: string[]) {
  const result = await run(args, { env });
  expect(result.code, result.stderr).toBe(0);
  return result;
}

describe('holdings', () => {
  test('prints the holdings on stdout unchanged, and their total value on stderr', async () => {
    const { stdout, stderr } = await ok('holdings', '--all', '--json');
    const served = await fetch(`${sandbox.url}/v1/holdings?limit=200`, {
      headers: { authorization: `Bearer ${env['CRYPTODATA_ACCESS_TOKEN']}` },
    });
    const text = await served.text();
    const body: unknown = readJson(text);
    const { data, totalValue } = Object(body);
    expect(readRows(stdout)).toEqual(data);
    expect(stderr).toContain(`totalValue: ${totalValue.digits}`);
  });

  test('prints an unknown return (ROI) as "unknown" in a table and as an empty cell in CSV', async () => {
    const rows = readRows((await ok('holdings', '--all', '--json')).stdout);
    const unknown = rows.filter((row) => row['roiPercentage'] === null).length;
    const zero = rows.filter(
      ({ roiPercentage: roi }) => roi instanceof RawNumber && Number(roi.digits) === 0,
    );
    expect(unknown).toBeGreaterThan(0);
    const table = (await ok('holdings', '--all', '--columns', 'roiPercentage')).stdout
      .split('\n')
      .slice(1, -1);
    expect(table.filter((line) => line.trim() === 'unknown')).toHaveLength(unknown);
    expect(table.filter((line) => line.trim() === '0')).toHaveLength(zero.length);
    const cells = readCells((await ok('holdings', '--all', '--csv')).stdout);
    expect(cells.filter(({ roiPercentage }) => roiPercentage === '')).toHaveLength(unknown);
  });

  test('the first CSV columns of holdings are the fields from the specification', async () => {
    const { stdout } = await ok('holdings', '--limit', '1', '--csv');
    expect(stdout.split('\n')[0]).toBe(
      'assetId,asset.tokenId,costBasis,costPerUnit,roiPercentage,change24h,change24hPercentage,transactionCount,isSpam,symbol',
    );
  });

  test('prints only the rows that --limit and --offset select, and the number of rows shown', async () => {
    const all = readRows((await ok('holdings', '--all', '--json')).stdout);
    const { stdout, stderr } = await ok('holdings', '--limit', '2', '--offset', '1', '--json');
    expect(readRows(stdout)).toEqual(all.slice(1, 3));
    expect(stderr).toContain(`2 of ${all.length} holdings shown`);
  });

  test('symbols of assets are read from legs with at most five requests, and only for tables and CSV', async () => {
    const legs = readRows((await ok('ledgers', 'list', '--all', '--json')).stdout);
    const symbols = new Map(legs.map((leg) => [leg['assetId'], at(leg, 'asset.symbol')]));
    await sandbox.reset();
    const cells = readCells((await ok('holdings', '--all', '--csv')).stdout);
    const sent = asked(sandbox).filter(({ path }) => path === '/v1/ledgers');
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(5);
    for (const { query } of sent)
      expect(String(query['assetIds']).split(',').length).toBeLessThanOrEqual(100);
    expect(cells.filter(({ symbol }) => symbol !== '').length).toBeGreaterThan(20);
    for (const { assetId, symbol } of cells)
      if (symbol?.match(/^\w/)) expect(symbol).toBe(symbols.get(assetId));
    await sandbox.reset();
    const rows = readRows((await ok('holdings', '--all', '--json')).stdout);
    expect(rows.filter((row) => 'symbol' in row)).toEqual([]);
    expect(asked(sandbox).map(({ path }) => path)).not.toContain('/v1/ledgers');
    const { stdout } = await ok('holdings', '--limit', '1', '--json', '--columns', 'symbol');
    expect(readRows(stdout)).toEqual([{ symbol: cells[0]?.['symbol'] }]);
  });

  test('shows the symbol, quantity or amount that the service returns, and reads legs only for missing symbols', async () => {
    const [leg = {}] = readRows((await ok('ledgers', 'list', '--limit', '1', '--json')).stdout);
    const own = await sandboxed({
      rows: 300,
      data: {
        holdings: [
          { assetId: 'ast_1', symbol: 'ONE', quantity: '2.50', value: 7 },
          { assetId: 'ast_2', asset: { symbol: 'TWO' }, amount: '0.10' },
          { assetId: leg['assetId'] },
          { assetId: 'ast_none' },
        ],
      },
    });
    const { stdout, stderr } = await run(['holdings'], { env: own.env });
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3));
    expect(lines.slice(0, 5)).toEqual([
      ['symbol', 'quantity', 'value'],
      ['ONE', '2.50', '7'],
      ['TWO', '0.10', '-'],
      [at(leg, 'asset.symbol'), '-', '-'],
      ['-', '-', '-'],
    ]);
    expect(stderr).toContain(
      '1 holding has no known symbol: no symbol was found in the legs that were read.',
    );
    const [first] = asked(own).filter(({ path }) => path === '/v1/ledgers');
    expect(first?.query['assetIds']).toBe(`${leg['assetId']},ast_none`);
    own.faults.add('403:/v1/ledgers');
    const without = await run(['holdings'], { env: own.env });
    expect(without.code, without.stderr).toBe(0);
    expect(without.stderr).toMatch(/2 holdings have no known symbol: .+\.$/m);
  });

  test('--totals prints the totals of tokens and of NFTs as one record on stdout', async () => {
    const { stdout: list, stderr } = await ok('holdings', '--all', '--json');
    const total = /totalValue: ([0-9.]+)/.exec(stderr)?.[1];
    const tokens = await ok('holdings', '--totals', '--json');
    expect(readJson(tokens.stdout)).toEqual({
      totalCount: new RawNumber(String(readRows(list).length)),
      totalValue: new RawNumber(total ?? ''),
    });
    expect(readJson((await ok('holdings', 'nfts', '--totals', '--json')).stdout)).toEqual({
      totalCount: new RawNumber('2'),
      totalEstimatedValueUsd: new RawNumber(DIGITS),
    });
    expect((await ok('holdings', '--totals')).stdout).toContain(`totalValue  ${total}`);
    for (const printed of [stderr, tokens.stderr])
      expect(printed).toContain('The service does not report the currency of totalValue.');
    for (const args of [['--totals'], []])
      expect((await ok('holdings', 'nfts', ...args)).stderr).not.toContain('currency');
    for (const noun of [[], ['nfts']]) {
      const { code } = await run(['holdings', ...noun, '--totals', '--all'], { env });
      expect(code).toBe(2);
    }
  });

  test('prints every digit of the estimated total value of NFTs', async () => {
    const { stdout, stderr } = await ok('holdings', 'nfts', '--csv');
    expect(readCells(stdout)).toEqual([
      { id: 'nft_1', name: "'=cmd|1", 'collection.name': 'Cats', 'collection.traits': '["a","b"]' },
      { id: 'nft_2', name: '', 'collection.name': '', 'collection.traits': '' },
    ]);
    expect(stderr).toContain(`totalEstimatedValueUsd: ${DIGITS}`);
    expect((await ok('holdings', 'nfts')).stdout).toContain('2 items');
  });

  test('lists DeFi positions, or prints their totals if --totals is set', async () => {
    const [row = {}] = readRows((await ok('holdings', 'defi', '--json')).stdout);
    expect(at(row, 'net')).toEqual(new RawNumber(DIGITS));
    expect(readJson((await ok('holdings', 'defi', '--totals', '--json')).stdout)).toEqual({
      total: new RawNumber(DIGITS),
      currency: 'USD',
    });
    expect((await ok('holdings', 'defi', '--totals')).stdout).toContain(DIGITS);
    const { code, stderr } = await run(['holdings', 'defi', '--totals', '--limit', '3'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--totals cannot be combined with')]);
  });

  test('the command "holdings balances" lists balances', async () => {
    expect((await ok('holdings', 'balances', '--csv')).stdout).toBe(
      'walletId,balance\nwal_1,0.000000000000000001\n',
    );
  });
});

describe('commands that list records with unspecified fields', () => {
  test('the command "labels list" prints each plain string as a record', async () => {
    expect(readRows((await ok('labels', '--json')).stdout)).toEqual([
      { value: 'Deposit' },
      { value: 'Withdrawal' },
    ]);
    expect((await ok('labels', '--csv')).stdout).toBe('value\nDeposit\nWithdrawal\n');
  });

  test('the command "assets search" finds assets by contract address or, if --text-parameter is set, by text', async () => {
    expect((await ok('assets', 'search', '--contract-address', '0xabc', '--csv')).stdout).toBe(
      'id,contractAddress\nast_1,0xABC\n',
    );
    await sandbox.reset();
    await ok('assets', 'search', 'bit coin', '--text-parameter', 'q', '-q', 'x=1');
    expect(asked(sandbox).map(({ path, query }) => [path, query])).toEqual([
      ['/v1/assets/search', { q: 'bit coin', x: '1' }],
    ]);
  });

  test.for([
    [['assets', 'search', 'bitcoin', '--contract-address', '0x1'], '--text-parameter NAME'],
    [['assets', 'search', '--text-parameter', 'q'], 'TEXT is missing, so the parameter q has no value'],
  ] as const)('rejects the command line %j and sends nothing', async ([args, words]) => {
    await sandbox.reset();
    const { code, stderr } = await run(args, { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(asked(sandbox)).toEqual([]);
  });

  test('the command "spam list" escapes control characters in names', async () => {
    for (const format of ['table', 'json', 'jsonl', 'csv']) {
      const { stdout } = await ok('spam', '-o', format);
      for (const hostile of ['\u001b', '\u202e']) expect(stdout).not.toContain(hostile);
      expect(stdout).toContain('\\u001b[2J\\u202eFREE');
    }
  });

  test.for([
    ['contacts', 'con_1,Alice'],
    ['counter-parties', 'cp_1,Bank'],
  ] as const)('the command "%s list" is rejected if its scope is not registered', async ([noun, row]) => {
    const refused = await run([noun, '--json'], { env });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    const { error } = Object(JSON.parse(refused.stderr));
    expect(error).toMatchObject({ code: 'insufficient_scope', status: 403 });
    expect(error.hint).toContain('First register the scope for the client');
    const allowed = await run([noun, '--csv'], { env: byKey });
    expect(allowed, allowed.stderr).toMatchObject({ code: 0, stdout: `id,name\n${row}\n` });
  });
});
