import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { asked, type Env, messagesOf, run, sandboxed, start, temporary } from './harness.ts';
import { canRestrict, startRestricted } from './restricted.ts';
import { sendJson, stub } from './stub.ts';

const READS = 'key_that_only_reads';
const sandbox = await sandboxed({ rows: 50, apiKeys: [{ key: READS }] });
const keyed: Env = {
  ...sandbox.env,
  CRYPTODATA_ACCESS_TOKEN: undefined,
  CRYPTODATA_API_KEY: sandbox.apiKey,
  CRYPTODATA_WORKSPACE: sandbox.workspaceId,
};
const listed = await run(['legacy', 'integrations', '--json'], { env: keyed });
const walletId: string = JSON.parse(listed.stdout)[0].walletId;
const directory = temporary();

beforeEach(() => sandbox.reset());

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function transaction(index: number, more: Record<string, unknown> = {}) {
  return {
    timestamp: 1_735_689_600_000 + index,
    transactionType: 'deposit',
    transactionId: `tx${index}`,
    receivedCurrency: { currency: 'BTC', amount: 0.1 },
    ...more,
  };
}

const GOOD = file('good.json', JSON.stringify([transaction(1), transaction(2), transaction(3)]));
const post = (path: string, ...args: string[]) => ['legacy', 'post', path, ...args];
const good = (...args: string[]) => post(GOOD, '--wallet-id', walletId, ...args);
const posts = () => asked(sandbox).filter(({ path }) => path === '/api/v0/transactions');

describe('legacy post', () => {
  test('the command "legacy post" prints accepted transactions on stdout and a summary on stderr', async () => {
    const { code, stdout, stderr } = await run(good('--yes', '--json'), { env: keyed });
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    expect(JSON.parse(stdout).map((row: Record<string, unknown>) => row['transactionId'])).toEqual([
      'tx1',
      'tx2',
      'tx3',
    ]);
    expect(stderr).toContain(`3 transactions for wallet ${walletId}: 3 deposit`);
    expect(stderr).toContain('from 2025-01-01T00:00:00.001Z to 2025-01-01T00:00:00.003Z');
    expect(stderr).toMatch(/received +0\.3 BTC in 3/);
    expect(sandbox.truth.posted()).toEqual([
      { walletId, transactions: [transaction(1), transaction(2), transaction(3)] },
    ]);
  });

  test('sends a payload from stdin unchanged', async () => {
    const input = JSON.stringify({ walletId, transactions: [transaction(9)] });
    const { code } = await run(post('-', '--yes'), { env: keyed, input });
    expect([code, sandbox.truth.posted()]).toEqual([0, [{ walletId, transactions: [transaction(9)] }]]);
  });

  test('sends the rows of an Excel CSV file that has a byte-order mark, CRLF line ends and semicolons', async () => {
    const csv = file(
      'excel.csv',
      '\ufefftimestamp;transactionType;transactionId;sentCurrency.currency;sentCurrency.amount;sender.name;description.title\r\n1735689600000;payment;a;USD;100.50;KRAKEN;"one; two"\r\n',
    );
    const { code } = await run(post(csv, '--wallet-id', walletId, '--label', 'Payment', '--yes'), {
      env: keyed,
    });
    expect([code, sandbox.truth.posted()[0]?.transactions]).toEqual([
      0,
      [
        {
          timestamp: 1_735_689_600_000,
          transactionType: 'payment',
          transactionId: 'a',
          sentCurrency: { currency: 'USD', amount: 100.5 },
          sender: { name: 'KRAKEN' },
          description: { title: 'one; two', desc: '' },
          label: 'Payment',
        },
      ],
    ]);
  });

  test('sends digits unchanged, and requires --allow-long-numbers for numbers beyond double precision', async () => {
    const bodies: string[] = [];
    const service = await stub((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (request.method === 'POST') bodies.push(body);
        sendJson(response, 201, '{"message":"m","data":[{"transactionId":"a"}],"count":1}');
      });
    });
    const row = (amount: string) =>
      `[{"timestamp":1735689600000,"transactionType":"deposit","transactionId":"a","receivedCurrency":{"currency":"X","amount":${amount}}}]`;
    const env = { ...keyed, CRYPTODATA_LEGACY_BASE_URL: service.url };
    const short = await run(post('-', '--wallet-id', 'w', '--yes'), { env, input: row('1.500e-7') });
    expect([short.code, bodies]).toEqual([0, [`{"walletId":"w","transactions":${row('1.500e-7')}}`]]);
    const long = '0.123456789012345678901234567890';
    const refused = await run(post('-', '--wallet-id', 'w', '--yes', '--json'), { env, input: row(long) });
    expect([refused.code, bodies.length]).toEqual([2, 1]);
    expect(refused.stdout).toContain('0.12345678901234568');
    const args = post('-', '--wallet-id', 'w', '--allow-long-numbers', '--yes');
    expect((await run(args, { env, input: row(long) })).code).toBe(0);
    expect(bodies[1]).toBe(`{"walletId":"w","transactions":${row(long)}}`);
    const dry = await run([...args, '--dry-run', '--jsonl'], { env, input: row('1.500') });
    expect(dry.stdout).toContain(`"body":{"walletId":"w","transactions":${row('1.500')}}`);
    expect(bodies).toHaveLength(2);
  });

  test('warns about unusual transactions, but sends them', async () => {
    const odd = file('odd.json', JSON.stringify([transaction(1, { timestamp: 4_000_000_000_000 })]));
    const { code, stderr } = await run(post(odd, '--wallet-id', walletId, '--yes', '--quiet'), {
      env: keyed,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Row 1: timestamp is 2096')]);
  });
});

describe('the command "legacy post" checks its input', () => {
  test('reports exactly 37 invalid rows of 10,000, and sends nothing', async () => {
    const wrong = Array.from({ length: 37 }, (_, index) => 7 + index * 269);
    const breaks: readonly Record<string, unknown>[] = [
      { timestamp: 1_735_689_600 },
      { transactionType: 'buy' },
      { transactionId: 'tx1' },
      { fee: { currency: 'X', amount: '1' } },
      { sender: { name: 'kraken' } },
      { lable: 'x' },
    ];
    const rows = Array.from({ length: 10_000 }, (_, index) => {
      const at = wrong.indexOf(index + 1);
      return transaction(index + 1, at < 0 ? {} : breaks[at % breaks.length]);
    });
    const many = file('many.json', JSON.stringify(rows));
    const { code, stdout, stderr } = await run(post(many, '--wallet-id', walletId, '--yes', '--json'), {
      env: keyed,
    });
    const told: Record<string, unknown>[] = JSON.parse(stdout);
    expect([code, told.map(({ row }) => row)]).toEqual([2, wrong]);
    expect(told.slice(0, 6).map(({ field }) => field)).toEqual([
      'timestamp',
      'transactionType',
      'transactionId',
      'fee.amount',
      'sender.name',
      'lable',
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'INVALID_TRANSACTIONS',
      message: expect.stringContaining('37 of 10,000 rows are invalid'),
    });
    expect(asked(sandbox)).toEqual([]);
  });

  test('sends 10,000 valid rows in one batch', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => transaction(index));
    const many = file('right.json', JSON.stringify(rows));
    const { code, stdout } = await run(post(many, '--wallet-id', walletId, '--yes', '--jsonl'), {
      env: keyed,
    });
    expect([code, stdout.trimEnd().split('\n').length, posts().length]).toEqual([0, 10_000, 1]);
  });

  test('requires --yes without a terminal, and only prints the request with --dry-run', async () => {
    const silent = await run(good(), { env: keyed });
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const dry = await run(good('--dry-run', '--json'), { env: keyed });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      method: 'POST',
      url: `${sandbox.env.CRYPTODATA_LEGACY_BASE_URL}/api/v0/transactions?wid=${sandbox.workspaceId}`,
      headers: { 'X-API-Key': '***', 'content-type': 'application/json' },
      body: { walletId, transactions: [transaction(1), transaction(2), transaction(3)] },
    });
    expect([dry.code, dry.stdout.includes(sandbox.apiKey), posts()]).toEqual([0, false, []]);
  });

  test('the command "legacy post" rejects an access token, because an API key is required', async () => {
    const { code, stderr } = await run(good('--yes'), { env: sandbox.env });
    expect([code, stderr, asked(sandbox)]).toEqual([2, expect.stringContaining('API key'), []]);
  });

  test.each([
    ['a call without a wallet', post(GOOD), 'NO_WALLET'],
    ['a file that does not exist', post(join(directory, 'nosuch.csv')), 'BAD_INPUT'],
    ['JSON in a CSV file', good('--format', 'csv'), 'BAD_CSV'],
    ['an empty list', post(file('empty.json', '[]'), '--wallet-id', 'w'), 'NO_TRANSACTIONS'],
    ['UTF-16', post(file('utf16.csv', '\ufeffx'), '--wallet-id', 'w'), 'BAD_CSV'],
  ])('rejects %s', async (_name, args, code) => {
    const result = await run([...args, '--yes', '--json'], { env: keyed });
    expect([result.code, JSON.parse(result.stderr).error.code, asked(sandbox)]).toEqual([2, code, []]);
  });
});

describe('responses to "legacy post"', () => {
  const answering = (status: number, body: string) =>
    stub((request, response) => {
      request.resume().on('end', () => sendJson(response, status, body));
    });
  const at = (service: { readonly url: string }): Env => ({
    ...keyed,
    CRYPTODATA_LEGACY_BASE_URL: service.url,
  });

  test('lists the row and field of each error that the service reports', async () => {
    const csv = file(
      'rows.csv',
      'timestamp,transactionType,transactionId,description.desc\n1735689600000,trade,a,"x\ny"\n1735689600000,trade,b,\n',
    );
    const details = [
      { path: ['transactions', 1, 'sentCurrency', 'amount'], message: 'Too \u001b[2J large' },
      { path: 'transactions[0].label', message: 'Invalid label' },
      { path: ['transactions', 99, 'x'], message: 'none of ours' },
    ];
    const service = await answering(
      400,
      JSON.stringify({ error: 'invalid_parameters', message: 'm', details }),
    );
    const { code, stdout, stderr } = await run(post(csv, '--wallet-id', 'w', '--yes', '--force', '--json'), {
      env: at(service),
    });
    expect([code, JSON.parse(stdout)]).toEqual([
      7,
      [
        { row: 2, line: 4, field: 'sentCurrency.amount', problem: 'Too \u001b[2J large', hint: null },
        { row: 1, line: 2, field: 'label', problem: 'Invalid label', hint: null },
        { row: null, line: null, field: 'transactions.99.x', problem: 'none of ours', hint: null },
      ],
    ]);
    expect(messagesOf(stderr).error).toMatchObject({
      code: 'invalid_parameters',
      status: 400,
      details,
      hint: expect.stringContaining('cryptodata labels'),
    });
    expect(service.requests).toHaveLength(1);
  });

  test('prints a hint for an unknown wallet, an unknown label and a key without permission', async () => {
    const wallet = await run(post(GOOD, '--wallet-id', 'nosuch', '--yes'), { env: keyed });
    expect([wallet.code, wallet.stderr]).toEqual([7, expect.stringContaining('legacy integrations')]);
    const label = await run(good('--label', 'nosuch', '--yes', '--json'), { env: keyed });
    expect([label.code, JSON.parse(label.stdout).length]).toEqual([7, 3]);
    expect(label.stderr).toContain('cryptodata labels');
    const key = await run(good('--yes'), { env: { ...keyed, CRYPTODATA_API_KEY: READS } });
    expect([key.code, key.stderr]).toEqual([3, expect.stringContaining('write:transactions')]);
    expect(key.stderr).not.toContain(READS);
    expect(sandbox.truth.posted()).toEqual([]);
  });

  test.each([
    ['{"error":"wallet not found"}', 'legacy integrations'],
    ['{"error":"Invalid label","message":"Foo"}', 'cryptodata labels'],
    ['{"error":"unauthorized","message":"Foo"}', 'write:transactions'],
  ])('prints the right hint for the response %s', async (body, hint) => {
    const service = await answering(400, body);
    const { code, stderr } = await run(good('--yes'), { env: at(service) });
    expect([code, stderr.replaceAll('\n', ' ')]).toEqual([7, expect.stringContaining(hint)]);
  });

  test.each([
    ['500', 500, '{"error":"server_error"}', 9],
    ['an HTML page with 502', 502, '<html><title>Bad gateway</title></html>', 9],
    ['an unreadable success', 201, '{"message":"cut', 9],
  ])('after %s, reports the outcome as unknown and does not retry', async (_name, status, body, exit) => {
    const service = await answering(status, body);
    const { code, stderr } = await run(good('--yes'), { env: at(service) });
    const words = stderr.replaceAll('\n', ' ');
    expect([code, service.requests.length]).toEqual([exit, 1]);
    expect(words).toContain('unknown whether the service accepted the transactions');
    expect(words).toContain('cryptodata txns list');
  });

  test('reports an unknown outcome for a broken connection, but not for a refused connection', async () => {
    const broken = await stub((request) => request.socket.destroy());
    const receipt = join(directory, 'broken.json');
    const cut = await run(good('--yes', '--receipt', receipt), { env: at(broken) });
    expect([cut.code, broken.requests.length]).toEqual([13, 1]);
    expect(cut.stderr.replaceAll('\n', ' ')).toContain('unknown whether');
    expect(cut.stderr).not.toContain('Try again');
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ outcome: 'unknown' });
    const nobody = { url: `http://127.0.0.1:${await freePort()}` };
    const closed = await run(good('--yes'), { env: at(nobody) });
    expect([closed.code, closed.stderr]).toEqual([13, expect.stringContaining('Nothing was sent')]);
  });

  test('after Ctrl-C, reports that the outcome is unknown', async () => {
    const service = await stub(() => {});
    const receipt = join(directory, 'interrupted.json');
    const { child, ended } = start(good('--yes', '--receipt', receipt), { env: at(service) });
    const asked = async () => {
      while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await asked();
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr.replaceAll('\n', ' ')).toContain('unknown whether');
    expect(JSON.parse(readFileSync(receipt, 'utf8')).outcome).toBe('unknown');
  });

  test('exits with 11 and lists the transactions that are missing from the response', async () => {
    const service = await answering(201, '{"message":"m","data":[{"transactionId":"tx2"}],"count":1}');
    const { code, stdout, stderr } = await run(good('--yes', '--jsonl'), { env: at(service) });
    expect([code, stdout]).toEqual([11, '{"transactionId":"tx2"}\n']);
    expect(JSON.parse(stderr.slice(stderr.indexOf('{"error'))).error.details).toEqual({
      missing: ['tx1', 'tx3'],
    });
  });

  test('exits with 11 if three transactions with the same id were sent, but the response lists only one', async () => {
    const service = await answering(201, '{"message":"m","data":[{"transactionId":"tx1"}],"count":3}');
    const rows = file('hash.json', JSON.stringify([1, 1, 1].map((number) => transaction(number))));
    const args = post(rows, '--wallet-id', walletId, '--yes', '--force', '--jsonl');
    const { code, stderr } = await run(args, { env: at(service) });
    const { details } = JSON.parse(stderr.slice(stderr.indexOf('{"error'))).error;
    expect([code, details]).toEqual([11, { missing: ['tx1', 'tx1'] }]);
  });

  test.each([
    ['an empty body', ''],
    ['another shape', '{"ok":1}'],
    ['a number', '7'],
  ])('accepts a 201 response with %s', async (_name, body) => {
    const service = await answering(201, body);
    const { code, stderr } = await run(good('--yes'), { env: at(service) });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('does not contain the number of accepted transactions'),
    ]);
  });

  test.each([
    ['an empty 204', 204, '', 'unknown', 9],
    ["a gateway's 200", 200, '{"path":"/x"}', 'unknown', 9],
    ['an error body from the service', 200, '{"error":"invalid_parameters","message":"bad"}', 'refused', 7],
  ])(
    'the command "legacy post" does not treat %s as a confirmation',
    async (_name, status, body, outcome, exit) => {
      const service = await answering(status, body);
      const receipt = join(temporary(), 'receipt.json');
      const { code } = await run([...good('--yes'), '--receipt', receipt], { env: at(service) });
      expect([code, JSON.parse(readFileSync(receipt, 'utf8')).outcome]).toEqual([exit, outcome]);
    },
  );

  test('exits with 11 if the count in the response is lower than the number of transactions sent', async () => {
    const data = ['tx1', 'tx2', 'tx3'].map((transactionId) => ({ transactionId }));
    const service = await answering(201, JSON.stringify({ message: 'm', data, count: 0 }));
    expect((await run(good('--yes'), { env: at(service) })).code).toBe(11);
  });

  test('treats "success": false in a 2xx response as an error', async () => {
    const service = await answering(200, '{"success":false,"error":"No","code":"CONFLICT"}');
    const { code, stderr } = await run(good('--yes'), { env: at(service) });
    expect([code, stderr]).toEqual([6, expect.stringContaining('error: No (POST')]);
  });
});

describe('legacy post --receipt', () => {
  const path = (name: string) => join(directory, name);
  const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'));

  test('the receipt has the file mode 0600, and contains the response and the request with a masked API key', async () => {
    const { code, stderr } = await run(good('--yes', '--receipt', path('r1.json')), { env: keyed });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Receipt: ${path('r1.json')}`)]);
    expect(statSync(path('r1.json')).mode & 0o777).toBe(0o600);
    expect(read('r1.json')).toMatchObject({
      outcome: 'accepted',
      sentAt: expect.stringMatching(/^\d{4}-.*Z$/),
      request: {
        method: 'POST',
        headers: { 'X-API-Key': '***' },
        body: { walletId, transactions: [{}, {}, {}] },
      },
      answer: { status: 201, body: { count: 3 } },
    });
    expect(readFileSync(path('r1.json'), 'utf8')).not.toContain(sandbox.apiKey);
  });

  test('the receipt contains the response when the service rejects the request', async () => {
    const args = good('--label', 'nosuch', '--yes', '--force', '--receipt', path('r2.json'));
    expect((await run(args, { env: keyed })).code).toBe(7);
    expect(read('r2.json')).toMatchObject({
      outcome: 'refused',
      answer: { status: 400, body: { error: 'invalid_parameters', details: [{}, {}, {}] } },
    });
  });

  test('sends nothing if the receipt file already exists', async () => {
    writeFileSync(path('r3.json'), 'proof');
    const { code } = await run(good('--yes', '--receipt', path('r3.json')), { env: keyed });
    expect([code, readFileSync(path('r3.json'), 'utf8'), posts()]).toEqual([2, 'proof', []]);
  });

  test.each([
    ['below a file', join(GOOD, 'receipt.json')],
    ['in a missing directory', join(directory, 'nosuch', 'receipt.json')],
    ['a directory', directory],
  ])('sends nothing if the receipt path is %s', async (_name, receipt) => {
    const { code } = await run(good('--yes', '--receipt', receipt), { env: keyed });
    expect([code, posts()]).toEqual([2, []]);
  });

  test.skipIf(!canRestrict()).each([
    ['the folder with earlier receipts cannot be listed', 0o300],
    ['a file in the folder with earlier receipts cannot be read', 0o700],
  ])('sends nothing if %s', async (_, mode) => {
    const folder = temporary();
    writeFileSync(join(folder, 'earlier.json'), '', { mode: 0o200 });
    chmodSync(folder, mode);
    const line = good('--yes', '--receipt', join(folder, 'r.json'));
    const { code, stderr } = await startRestricted(line, { env: keyed }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('Cannot look for earlier receipts')]);
    expect(posts()).toEqual([]);
  });

  test('warns if the receipt cannot be completed, and still exits with 0', async () => {
    const folder = temporary();
    const service = await stub((request, response) => {
      request.resume().on('end', () => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
        sendJson(response, 201, '{"count":3}');
      });
    });
    const env = { ...keyed, CRYPTODATA_LEGACY_BASE_URL: service.url };
    const { code, stderr } = await run(good('--yes', '--receipt', join(folder, 'r.json')), { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('The receipt could not be completed')]);
  });

  test('writes no receipt if nothing is sent', async () => {
    await run(good('--receipt', path('r4.json')), { env: keyed });
    await run(good('--receipt', path('r4.json'), '--dry-run'), { env: keyed });
    expect(existsSync(path('r4.json'))).toBe(false);
  });
});
