import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asked, filesIn, messagesOf, run, sandboxed, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';
import { readCells, readLines, readRows } from './values.ts';

const sandbox = await sandboxed({ rows: 600 });
const { env } = sandbox;

async function ok(...args: string[]) {
  const result = await run(args, { env });
  expect(result.code, result.stderr).toBe(0);
  return result;
}

const ids = (text: string) => readRows(text).map(({ id }) => id);
const every = ids((await ok('txns', '--all', '--json')).stdout);

describe('txns list', () => {
  test('prints each transaction once', () => {
    expect(new Set(every).size).toBe(every.length);
    expect(every.length).toBeGreaterThan(200);
  });

  test.for([
    [
      'uncategorized',
      'types=deposit,withdrawal',
      'labels=Deposit,Withdrawal',
      'isUncategorisedIgnored=false',
    ],
    ['high-pnl --min-total-gains 1E2', 'minTotalGains=1E2', 'isHighPnLReviewed=false'],
    ['missing-purchases', 'isMissingTransaction=true'],
    ['missing-prices', 'hasMissingPrice=true'],
  ] as const)('--preset %s sends the filters of the preset and no others', async ([preset, ...filters]) => {
    await sandbox.reset();
    await ok('txns', '--preset', ...preset.split(' '));
    const [request] = asked(sandbox);
    expect(request?.path).toBe('/v1/transactions');
    expect(Object.entries(request?.query ?? {}).map(([name, value]) => `${name}=${value}`)).toEqual(
      expect.arrayContaining([...filters]),
    );
    expect(Object.keys(request?.query ?? {})).toHaveLength(filters.length);
  });

  test('the presets uncategorized, missing-prices and missing-purchases find the expected number of transactions', async () => {
    const count = async (...args: string[]) =>
      ids((await ok('txns', '--all', '--json', ...args)).stdout).length;
    const { truth } = sandbox;
    expect(await count('--preset', 'uncategorized')).toBe(truth.uncategorised);
    expect(await count('--preset', 'missing-prices')).toBe(truth.transactionsMissingPrice);
    expect(await count('--preset', 'missing-purchases')).toBe(truth.transactionsMissingPurchase);
  });

  test('sends every filter unchanged', async () => {
    const [first, second] = readRows((await ok('integrations', '--json')).stdout).map(
      ({ walletId }) => walletId,
    );
    await sandbox.reset();
    await ok(
      ...'txns --types deposit --labels A,B --labels C --not-labels D'.split(' '),
      ...['--not-wallet-ids', `${first},${second}`],
      ...'--is-uncategorised-ignored --min-total-gains -1e-18 --is-high-pnl-reviewed=false'.split(' '),
      ...'--is-missing-transaction=false --has-missing-price -q walletIds=w3 --limit 7 --offset 3'.split(' '),
    );
    expect(asked(sandbox).at(-1)?.query).toEqual({
      types: 'deposit',
      labels: 'A,B,C',
      notLabels: 'D',
      notWalletIds: `${first},${second}`,
      isUncategorisedIgnored: 'true',
      minTotalGains: '-1e-18',
      isHighPnLReviewed: 'false',
      isMissingTransaction: 'false',
      hasMissingPrice: 'true',
      walletIds: 'w3',
      limit: '7',
      offset: '3',
    });
  });

  test.for([
    ['--preset missing-prices --has-missing-price=false', 'hasMissingPrice=true', 'Omit one of them'],
    ['--preset uncategorized --types trade', 'types=deposit,withdrawal', 'Omit one of them'],
    ['--preset uncategorized -q labels=Deposit', 'labels is set twice'],
    ['--preset high-pnl', '--min-total-gains'],
    ['--preset missing-price', 'Did you mean missing-prices?'],
    ['--min-total-gains many', 'must be a decimal'],
  ] as const)('rejects %s and sends nothing', async ([line, ...words]) => {
    await sandbox.reset();
    const { code, stdout, stderr } = await run(['txns', ...line.split(' ')], { env });
    expect([code, stdout]).toEqual([2, '']);
    for (const word of words) expect(stderr).toContain(word);
    expect(asked(sandbox)).toEqual([]);
  });

  test('accepts --preset together with a filter flag if both set the same value', async () => {
    const line = '--preset uncategorized --labels Withdrawal,Deposit --is-uncategorised-ignored=false';
    await sandbox.reset();
    await ok('txns', ...line.split(' '), '--limit', '1');
    expect(asked(sandbox).at(-1)?.query).toEqual({
      types: 'deposit,withdrawal',
      labels: 'Deposit,Withdrawal',
      isUncategorisedIgnored: 'false',
      limit: '1',
    });
  });

  test('prints the same table for one leg as for a list with one leg', async () => {
    const legs = (shape: string) =>
      stub((_request, response) => sendJson(response, 200, `{"data":[${shape}],"meta":{"hasMore":false}}`));
    const eth = '{"quantity":"1.500000000000000000","asset":{"symbol":"ETH"},"timestamp":1735689600000}';
    const usdc = '{"quantity":"20","asset":null,"assetRaw":{"symbol":"USDC"}}';
    const one = await legs(
      `{"id":"t","incomingAssets":${eth},"outgoingAssets":${usdc},"fee":null,"note":"n"}`,
    );
    const lists = await legs(
      `{"id":"t","incomingAssets":[${eth}],"outgoingAssets":[${usdc}],"fee":[],"note":"n"}`,
    );
    const [first, second] = await Promise.all(
      [one, lists].map((service) => run(['txns', '--tz', 'UTC'], { env: service.env })),
    );
    expect(first?.stdout).toBe(second?.stdout);
    expect(first?.stdout).toMatch(/^2025-01-01 00:00:00 {2}\+1\.5 ETH {2}-20 USDC {2}- +t {3}n$/m);
  });
});

describe('txns ledgers', () => {
  test('prints the legs of a transaction with the same columns as `ledgers list`', async () => {
    const id = String(every[3]);
    const legs = readRows((await ok('txns', 'ledgers', id, '--json')).stdout);
    const wanted = readRows((await ok('ledgers', '--transaction-ids', id, '--all', '--json')).stdout);
    expect(legs).toEqual(wanted);
    const header = (text: string) => text.split('\n')[0];
    expect(header((await ok('txns', 'ledgers', id, '--csv')).stdout)).toBe(
      header((await ok('ledgers', '--limit', '1', '--csv')).stdout),
    );
  });

  test('exits with 5 for an unknown transaction', async () => {
    const { code, stderr } = await run(['txns', 'ledgers', 'txn_none'], { env });
    expect([code, stderr]).toEqual([5, expect.stringContaining('No such transaction')]);
  });
});

describe('txns export', () => {
  test.for(['csv', 'json', 'jsonl'] as const)(
    'writes every transaction to a %s file and verifies the file',
    async (format) => {
      const out = join(temporary(), `t.${format}`);
      const { stdout } = await ok('txns', 'export', '--out', out, '--json');
      const text = readFileSync(out, 'utf8');
      expect(JSON.parse(stdout)).toEqual({
        file: out,
        format,
        rows: every.length,
        bytes: Buffer.byteLength(text),
        sha256: createHash('sha256').update(text).digest('hex'),
        verified: true,
        manifest: `${out}.manifest.json`,
      });
      const rows = format === 'csv' ? readCells(text) : format === 'json' ? readRows(text) : readLines(text);
      expect(rows.map(({ id }) => id)).toEqual(every);
    },
  );

  test('writes one CSV column per field by default; --columns can select legs as readable text', async () => {
    const { stdout } = await ok('txns', 'export', '--out', '-');
    const [header = ''] = stdout.split('\n');
    expect(header).toMatch(/^id,time,incomingAssets,outgoingAssets,fee\.id,/);
    expect(header.split(',')).not.toContain('fee');
    const chosen = await ok('txns', 'export', '--out', '-', '--columns', 'id,incoming,outgoing,fees');
    expect(chosen.stdout.split('\n')[0]).toBe('id,incoming,outgoing,fees');
    expect(chosen.stdout).toMatch(/^txn_\w+,\d[\d.]* \w+,/m);
    expect(chosen.stderr).toContain("Verified against the service's totals at T0 (");
  });

  /** Serves `pages`, two rows per page. If the first page is requested again, it contains the rows in `again`. */
  const moving = (pages: readonly string[][], again: readonly string[], total?: number) => {
    let first = 0;
    return stub((_request, response, { searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      if (offset === 0) first += 1;
      const rows = offset === 0 && first > 1 ? again : (pages[offset / 2] ?? []);
      const hasMore = offset / 2 < pages.length - 1;
      const data = rows.map((id) => ({ id }));
      const meta = { hasMore, offset, ...(total === undefined ? {} : { total }) };
      sendJson(response, 200, JSON.stringify({ data, meta }));
    });
  };
  const exported = (service: { env: object }, out: string) =>
    run(['txns', 'export', '--out', out, '--format', 'jsonl', '--json'], { env: { ...service.env } });

  test('writes the file and reports it as unverified if the service returns no total', async () => {
    const service = await moving([['a', 'b'], ['c']], ['a', 'b']);
    const out = join(temporary(), 'x');
    const { code, stdout, stderr } = await exported(service, out);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, verified: false });
    expect(stderr).toContain('is not verified: the service reports no total');
    expect(readFileSync(out, 'utf8')).toBe('{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n');
  });

  test.for([
    [
      'the pages contain a duplicate row',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      ['a', 'b'],
      undefined,
      '1 duplicate row',
    ],
    [
      'the first page changed',
      [['a', 'b'], ['c']],
      ['new', 'a'],
      undefined,
      'the second read returned other rows',
    ],
    ['the total is wrong', [['a', 'b'], ['c']], ['a', 'b'], 4, 'a total of 4 transactions, but 3 were read'],
  ] as const)('exits with 12 if %s', async ([, pages, again, total, words]) => {
    const service = await moving(
      pages.map((page) => [...page]),
      again,
      total,
    );
    const out = join(temporary(), 'x');
    const { code, stderr } = await exported(service, out);
    expect(code, stderr).toBe(12);
    expect(stderr).toContain(words);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(['{"id":"a"}', '{"id":"b"}', '{"id":"c"}']);
  });

  test('reads every row and exits with 12 if `total` and `hasMore` are both wrong', async () => {
    const service = await stub((_request, response, { searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      const data = ['a', 'b', 'c', 'd', 'e'].slice(offset, offset + 2).map((id) => ({ id }));
      sendJson(response, 200, JSON.stringify({ data, meta: { hasMore: offset < 2, offset, total: 4 } }));
    });
    const out = join(temporary(), 'x');
    const { code, stderr } = await exported(service, out);
    expect(code, stderr).toBe(12);
    expect(stderr).toContain('a total of 4 transactions, but 5 were read');
    expect(readFileSync(out, 'utf8')).toContain('{"id":"e"}');
    const listed = await run(['txns', 'list', '--all', '--jsonl'], { env: { ...service.env } });
    expect([listed.code, listed.stdout.split('\n').length]).toEqual([12, 6]);
  });

  test('a failed export leaves no output file and no temporary files', async () => {
    const service = await stub((_request, response, { searchParams }) => {
      if (searchParams.has('offset'))
        sendJson(response, 404, '{"error":{"code":"NOT_FOUND","message":"gone"}}');
      else sendJson(response, 200, '{"data":[{"id":"a"}],"meta":{"hasMore":true,"offset":0}}');
    });
    const [folder, waiting] = [temporary(), temporary()];
    const { code } = await run(['txns', 'export', '--out', join(folder, 'x.csv')], {
      env: { ...service.env, TMPDIR: waiting },
    });
    expect(code).toBe(5);
    // Ignore the compile cache, which newer versions of Node keep in the temporary directory.
    const left = filesIn(waiting).filter((file) => !file.startsWith('node-compile-cache/'));
    expect([...filesIn(folder), ...left]).toEqual([]);
  });
});

describe('txns batch', () => {
  const folder = temporary();
  const file = join(folder, 'batch.json');
  const DIGITS = '123456789012345678901234567890.10';
  writeFileSync(file, `[{"id":"${String(every[0])}","gain":${DIGITS}},{"id":"txn_none"}]`);

  test('requires --yes if there is no terminal', async () => {
    await sandbox.reset();
    const { code, stderr } = await run(['txns', 'batch', file], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(stderr).toContain('2 items');
    expect(asked(sandbox)).toEqual([]);
  });

  test('--dry-run prints the request with every digit, but without credentials', async () => {
    await sandbox.reset();
    const { stdout } = await ok('txns', 'batch', file, '--dry-run', '--json');
    expect(stdout).toContain(DIGITS);
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: `${sandbox.url}/v1/transactions/batch`,
      body: [{ id: every[0] }, { id: 'txn_none' }],
    });
    expect(stdout).not.toContain(env['CRYPTODATA_ACCESS_TOKEN']);
    expect(asked(sandbox)).toEqual([]);
  });

  test('prints the response, and exits with 11 if the response reports failed items', async () => {
    const { code, stdout, stderr } = await run(['txns', 'batch', file, '--yes', '--json'], { env });
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toEqual({ errorCount: 1 });
    expect(messagesOf(stderr)).toMatchObject({
      notes: ['The sandbox checks the items of a batch, but changes no transaction.'],
      error: { code: 'PARTIAL_FAILURE' },
    });
  });

  test('accepts a batch from stdin', async () => {
    const input = JSON.stringify({ transactions: [{ id: every[0] }] });
    const { code, stdout, stderr } = await run(['txns', 'batch', '-', '--yes', '--json'], { env, input });
    expect([code, JSON.parse(stdout)]).toEqual([0, { errorCount: 0 }]);
    expect(stderr).toContain('no item failed');
  });

  test('sends the file byte for byte, and does not retry after a server error', async () => {
    const bodies: string[] = [];
    const service = await stub((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        bodies.push(body);
        sendJson(response, 502, '{"error":{"code":"INTERNAL_ERROR","message":"no"}}');
      });
    });
    const { code } = await run(['txns', 'batch', file, '--yes'], { env: service.env });
    expect(code).toBe(9);
    expect(bodies).toEqual([readFileSync(file, 'utf8')]);
  });

  test.for([
    ['', 12, 'has no errorCount'],
    ['{"data":{"errorCount":"9007199254740993","errors":[{"id":"t"}]}}', 11, '9,007,199,254,740,993 items'],
    ['{"success":false,"error":"no","code":"VALIDATION_ERROR"}', 7, 'no ('],
    ['[]', 12, 'has no errorCount'],
  ] as const)('derives the exit code from the response %s', async ([answer, wanted, words]) => {
    const service = await stub((_request, response) => sendJson(response, 200, answer));
    const { code, stderr } = await run(['txns', 'batch', file, '--yes'], { env: service.env });
    expect(stderr).toContain(words);
    expect(code).toBe(wanted);
  });

  test('exits with 6 for a locked period and with 2 for unreadable input', async () => {
    const old = every.at(-1);
    const locked = await run(['txns', 'batch', '-', '--yes'], { env, input: JSON.stringify([{ id: old }]) });
    expect(locked, locked.stderr).toMatchObject({ code: 6, stderr: expect.stringContaining('locked') });
    for (const [input, words] of [
      ['{nope', 'stdin is not valid JSON'],
      ['', 'stdin is not valid JSON'],
    ] as const) {
      const { code, stderr } = await run(['txns', 'batch', '-', '--yes'], { env, input });
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    const missing = await run(['txns', 'batch', join(folder, 'none'), '--yes'], { env });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('the file does not exist')]);
  });
});
