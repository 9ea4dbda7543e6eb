import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Env, sandboxed, temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

const sandbox = await sandboxed({ rows: 50 });
const keyed: Env = {
  ...sandbox.env,
  CRYPTODATA_ACCESS_TOKEN: undefined,
  CRYPTODATA_API_KEY: sandbox.apiKey,
  CRYPTODATA_WORKSPACE: sandbox.workspaceId,
};
const listed = await endHere(['legacy', 'integrations', '--json'], keyed);
const [first, second]: { walletId: string }[] = JSON.parse(listed.stdout);
const [walletId = '', otherWallet = ''] = [first?.walletId, second?.walletId];
const posted = () => sandbox.truth.requests().filter(({ method }) => method === 'POST');

function deposit(transactionId: string, more: object = {}) {
  const receivedCurrency = { currency: 'BTC', amount: 0.1 };
  return {
    timestamp: 1_735_689_600_000,
    transactionType: 'deposit',
    transactionId,
    receivedCurrency,
    ...more,
  };
}
function post(ids: readonly object[], args: readonly string[], env = keyed) {
  const input = JSON.stringify(ids);
  const wallet = args.includes('--wallet-id') ? [] : ['--wallet-id', walletId];
  return endHere(['legacy', 'post', '-', ...wallet, ...args], env, input);
}
const folder = () => mkdtempSync(join(temporary(), 'receipts-'));

describe('legacy post --receipt', () => {
  test('"legacy post" rejects a file if all its transactions were already posted', async () => {
    const receipts = folder();
    const rows = [deposit('t1'), deposit('t2')];
    expect((await post(rows, ['--yes', '--receipt', join(receipts, 'a.json')])).error).toBeUndefined();
    const sent = posted().length;
    for (const name of ['a.json', 'b.json']) {
      const again = await post(rows, ['--yes', '--receipt', join(receipts, name)]);
      expect(again.error).toMatchObject({
        kind: 'usage',
        code: 'ALREADY_POSTED',
        message: 'All 2 transactions in stdin were posted before; nothing was sent',
      });
      expect(again.stdout).toMatch(
        /^ +1 +- +transactionId +was posted to this wallet on \d{4}-.*a\.json \(accepted\)/m,
      );
    }
    expect([posted().length, readdirSync(receipts)]).toEqual([sent, ['a.json']]);
  });

  test.each([
    ['the same receipt', ['a.json', 'a.json', 'a.json']],
    ['separate receipts', ['a.json', 'b.json', 'c.json']],
  ])('concurrent duplicates are posted at most once, with %s', async (_, names) => {
    const receipts = folder();
    const before = posted().length;
    const ended = await Promise.all(
      names.map((name) => post([deposit('at-once')], ['--yes', '--receipt', join(receipts, name)])),
    );
    expect(posted().length - before).toBeLessThanOrEqual(1);
    expect(ended.filter(({ error }) => error === undefined).length).toBe(posted().length - before);
    const accepted = readdirSync(receipts).filter((name) =>
      readFileSync(join(receipts, name), 'utf8').includes('"outcome": "accepted"'),
    );
    expect(accepted).toHaveLength(posted().length - before);
  });

  test('"legacy post" accepts an already posted transaction only with --force', async () => {
    const receipts = folder();
    await post([deposit('u1')], ['--yes', '--receipt', join(receipts, 'a.json')]);
    const rows = [deposit('u2'), deposit('u1')];
    const again = await post(rows, ['--dry-run', '--receipt', join(receipts, 'b.json'), '--jsonl']);
    expect(again.error).toMatchObject({
      message: '1 of 2 transactions in stdin were posted before; nothing was sent',
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ row: 2, field: 'transactionId' });
    const forced = await post(rows, ['--yes', '--force', '--receipt', join(receipts, 'b.json')]);
    expect(forced.error).toBeUndefined();
  });

  test('reports rows with an unknown outcome, but not rejected rows or rows of another wallet', async () => {
    const receipts = folder();
    const receipt = (outcome: string, wallet: string, url: string, id: string) =>
      writeFileSync(
        join(receipts, `${id}.json`),
        JSON.stringify(
          { outcome, sentAt: 'x', request: { url, body: { walletId: wallet, transactions: [deposit(id)] } } },
          null,
          2,
        ),
      );
    const url = `${sandbox.env.CRYPTODATA_LEGACY_BASE_URL}/api/v0/transactions`;
    receipt('unknown', walletId, `${url}?wid=ws_other`, 'v1');
    receipt('refused', walletId, url, 'v2');
    receipt('not sent', walletId, url, 'v3');
    receipt('accepted', otherWallet, url, 'v4');
    receipt('accepted', walletId, 'https://service.example/api/v0/transactions', 'v5');
    writeFileSync(join(receipts, 'other.json'), '{\n  "outcome": "accepted", cut');
    const ids = ['v1', 'v2', 'v3', 'v4', 'v5'];
    const args = ['--dry-run', '--jsonl', '--receipt', join(receipts, 'new.json')];
    const { stdout } = await post(
      ids.map((id) => deposit(id)),
      args,
    );
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      expect.objectContaining({ row: 1, problem: expect.stringContaining('may have been posted') }),
    ]);
  });
});

describe('a file with many problems', () => {
  const many = (more: object) => Array.from({ length: 25 }, (_, at) => deposit(`m${at}`, more));
  const invalid = many({ timestamp: 1_735_689_600, lable: 'x' });

  test('"legacy post" shows the first problem of each kind as a table, and says how to list all problems', async () => {
    const { stdout, stderr, error } = await post(invalid, ['--dry-run', '-o', 'table']);
    expect(stdout.match(/^ +25 .*$/gm)).toEqual([
      expect.stringMatching(/^ +25 +1 +- +timestamp +has an unlikely time: 1735689600 is /),
      expect.stringMatching(/^ +25 +1 +- +lable +is an unknown field/),
    ]);
    expect(stderr).toContain('To list all 50 problems, use -o csv.');
    expect(error).toMatchObject({ message: '25 of 25 rows are invalid in stdin; nothing was sent' });
  });

  test.each(['csv', 'json', 'jsonl'])('"legacy post -o %s" lists every problem', async (format) => {
    const { stdout } = await post(invalid, ['--dry-run', '-o', format]);
    expect(stdout.match(/is an unknown field/g)).toHaveLength(25);
    expect(stdout.match(/has an unlikely time/g)).toHaveLength(25);
  });

  test('"legacy post --force" shows the first warning of each kind, with the number of further rows', async () => {
    const rows = many({ receivedCurrency: { currency: 'X', amount: -1 }, transactionId: 'same' });
    const { stderr } = await post(rows, ['--dry-run', '--force']);
    expect(stderr).toContain(
      'Row 1: receivedCurrency.amount is negative: -1. 24 more rows have a similar warning.',
    );
    expect(stderr).toContain(
      'Row 2: transactionId is also in row 1: "same". 23 more rows have a similar warning.',
    );
    const few = await post(rows.slice(0, 3), ['--dry-run', '--force']);
    expect(few.stderr.match(/^Row [123]: receivedCurrency.amount is negative: -1\.$/gm)).toHaveLength(3);
  });
});

describe('legacy post --dry-run', () => {
  test('"legacy post --dry-run" rejects an unknown wallet, and suggests a near match', async () => {
    const near = `${walletId.slice(0, -1)}x`;
    const before = posted().length;
    const { error, stdout } = await post([deposit('t')], ['--dry-run', '--wallet-id', near, '--jsonl']);
    expect(error).toMatchObject({
      code: 'INVALID_TRANSACTIONS',
      message: 'stdin is invalid; nothing was sent',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      row: null,
      field: 'walletId',
      hint: `Did you mean ${walletId}?`,
    });
    expect(posted()).toHaveLength(before);
  });

  test('if the service lists no labels, "legacy post --dry-run" warns that the label was not checked', async () => {
    const { error, stderr } = await post([deposit('t', { label: 'Airdrop' })], ['--dry-run']);
    expect(error).toBeUndefined();
    expect(stderr).toContain('The label was not checked: the service lists no labels.');
  });

  test.each([[['Airdrop', 'Reward']], [[{ id: 7, name: 'Airdrop' }]], [[{ label: 'Airdrop', types: [] }]]])(
    '"legacy post --dry-run" compares labels with the labels of the service: %j',
    async (labels) => {
      const { env } = await stub((_request, response, { pathname }) => {
        const data = pathname === '/v1/labels' ? labels : [{ walletId }];
        sendJson(response, 200, JSON.stringify({ success: true, data, totalCount: data.length }));
      });
      const own = {
        ...keyed,
        CRYPTODATA_BASE_URL: env['CRYPTODATA_BASE_URL'],
        CRYPTODATA_LEGACY_BASE_URL: env['CRYPTODATA_BASE_URL'],
      };
      const rows = [deposit('t1', { label: 'Airdrop' }), deposit('t2', { label: 'airdrop' }), deposit('t3')];
      const { stdout } = await post(rows, ['--dry-run', '--jsonl'], own);
      expect(JSON.parse(stdout)).toMatchObject({ row: 2, field: 'label', hint: 'Did you mean Airdrop?' });
    },
  );

  test('"legacy post --dry-run" warns about an unchecked wallet if the service is unreachable', async () => {
    const offline = { ...keyed, CRYPTODATA_LEGACY_BASE_URL: 'http://127.0.0.1:9' };
    const { error, stderr, stdout } = await post([deposit('t')], ['--dry-run', '--json'], offline);
    expect([error, JSON.parse(stdout).method]).toEqual([undefined, 'POST']);
    expect(stderr).toContain('The wallet was not checked: ');
  });
});

test('legacy requests with an API key contain the workspace, and also the parameters of -q', async () => {
  const { stdout } = await post([deposit('t')], ['--dry-run', '--json', '-q', 'source=cli']);
  expect(new URL(JSON.parse(stdout).url).searchParams.toString()).toBe(
    `source=cli&wid=${sandbox.workspaceId}`,
  );
  await endHere(['legacy', 'integrations'], keyed);
  expect(sandbox.truth.requests().at(-1)).toMatchObject({ query: { wid: sandbox.workspaceId } });
  expect((await post([deposit('t')], ['--dry-run', '-q', 'wid=x'])).error).toMatchObject({ kind: 'usage' });
});
