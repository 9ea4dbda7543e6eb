import { beforeEach, describe, expect, test } from 'vitest';
import { bash, type Result, run, sandboxed } from './harness.ts';
import { sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({
  rows: 300,
  // Syncs advance only when they are polled, so the speed of this machine does not matter.
  pace: 3_600_000,
  syncStates: ['waiting', 'reading', 'done'],
  syncs: {
    syn_moving: { states: ['waiting', 'reading', 'cancelled'] },
    syn_partial: {
      states: [
        'reading',
        { status: 'reading', recordsFailed: 2 },
        { status: 'partially_synced', recordsFailed: 3, message: 'three rows were odd' },
      ],
    },
    syn_limit: {
      states: [{ status: 'partially_synced', recordsFailed: 0, limitReached: true, message: 'limit' }],
    },
    syn_done: { states: ['waiting', 'done'] },
    syn_stuck: { states: ['waiting'] },
    syn_cancelled: { states: ['cancelled'] },
    syn_failed: { states: [{ status: 'done', recordsFailed: 2 }] },
    syn_full: { states: [{ status: 'done', limitReached: true }] },
  },
});
beforeEach(() => sandbox.reset());
const { env } = sandbox;
const cli = (...args: string[]) => run(args, { env });
const records = ({ stdout }: Result) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('sync get', () => {
  test('the command "sync get" prints the fields in the specification', async () => {
    const { code, stdout, stderr } = await cli('sync', 'get', 'syn_stuck');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'status         waiting\nrecordsFailed  0\nlimitReached   false\nmessage        -\n',
      stderr: '',
    });
  });

  test('exits with 11 for a partial sync, and reports the transaction limit', async () => {
    const { code, stdout, stderr } = await cli('sync', 'get', 'syn_limit', '--json');
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'partially_synced', limitReached: true });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'PARTIALLY_SYNCED',
      message: expect.stringMatching(/stopped by the workspace's transaction limit.*; limit$/),
    });
  });

  test.each([
    ['syn_cancelled', 'SYNC_CANCELLED'],
    ['syn_failed', 'PARTIALLY_SYNCED'],
    ['syn_full', 'PARTIALLY_SYNCED'],
  ])(
    'for the sync %s, "sync get" and "sync watch" report %s; these commands and "api" exit with 11',
    async (id, code) => {
      for (const line of [
        ['sync', 'get', id],
        ['sync', 'watch', id, '--until', 'done'],
      ]) {
        const result = await cli(...line, '--json', '--quiet');
        expect(result.code, line.join(' ')).toBe(11);
        expect(JSON.parse(result.stderr).error.code).toBe(code);
      }
      expect((await cli('api', 'GET', `/v1/sync/${id}`)).code).toBe(11);
    },
  );

  test('exits with 5 for an unknown sync', async () => {
    expect(await cli('sync', 'get', 'nosuch')).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('sync watch', () => {
  test('prints each state change with its time, until the sync is cancelled', async () => {
    const { code, stdout, stderr } = await cli('sync', 'watch', 'syn_moving');
    expect(code).toBe(11);
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
    expect(stdout).toMatch(
      new RegExp(`^${time}  waiting\n${time}  reading\n${time}  cancelled  The sync was cancelled\n$`),
    );
    expect(stderr).toMatch(
      /^Final states: partially_synced and cancelled\. The specification names no other final states/,
    );
  });

  test('prints a record for each change of the state or of a count, and exits with 11 for the final state partially_synced', async () => {
    const watched = await cli('sync', 'watch', 'syn_partial', '--jsonl', '--quiet');
    expect(watched.code).toBe(11);
    expect(records(watched)).toMatchObject([
      { syncId: 'syn_partial', status: 'reading', previous: null, record: { recordsFailed: 0 } },
      { status: 'reading', previous: 'reading', record: { recordsFailed: 2 } },
      { status: 'partially_synced', previous: 'reading', record: { recordsFailed: 3 } },
    ]);
    expect(JSON.parse(watched.stderr).error.message).toBe(
      'The sync is partial: records failed: 3; three rows were odd',
    );
  });

  test("reports the workspace's transaction limit as the reason for a partial sync", async () => {
    const { code, stdout } = await cli('sync', 'watch', 'syn_limit');
    expect(code).toBe(11);
    expect(stdout).toContain("stopped by the workspace's transaction limit, not by a connector failure");
  });

  test('exits with 0 when the sync reaches one of the states in --until', async () => {
    const watched = await cli('sync', 'watch', 'syn_done', '--until', 'elsewhere,done', '--csv');
    expect(watched).toMatchObject({ code: 0, stderr: '' });
    const [header, ...lines] = watched.stdout.trimEnd().split('\n');
    expect(header).toBe(
      'time,syncId,status,previous,record.recordsFailed,record.limitReached,record.message',
    );
    expect(lines.map((line) => line.replace(/^[^,]*,/, ''))).toEqual([
      'syn_done,waiting,,0,false,',
      'syn_done,done,waiting,0,false,',
    ]);
  });

  test('warns if --until contains an account status instead of a sync state', async () => {
    const args = ['sync', 'watch', 'syn_stuck', '--until', 'COMPLETED', '--timeout', '0', '--json'];
    const { env } = await stub((_request, response) =>
      sendJson(response, 200, '{"data":{"status":"completed"}}'),
    );
    const { code, stdout, stderr } = await run(args, { env });
    expect(code).toBe(13);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(stderr).toMatch(/^{"warning":"COMPLETED is an account status, not a sync state/);
  });

  test('exits with 13 if --timeout expires', async () => {
    const { code, stdout } = await cli('sync', 'watch', 'syn_stuck', '--timeout', '1', '--jsonl');
    expect(code).toBe(13);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'waiting' });
  });

  test('exits with 5 when the sync no longer exists', async () => {
    let looks = 0;
    const { env } = await stub((_request, response) => {
      looks += 1;
      if (looks === 1) sendJson(response, 200, '{"data":{"status":"a"}}');
      else sendJson(response, 404, '{"success":false,"code":"NOT_FOUND","error":"gone"}');
    });
    const { code, stdout } = await run(['sync', 'watch', 'x'], { env });
    expect(code).toBe(5);
    expect(stdout).toMatch(/ {2}a\n$/);
  });
});

describe('sync status', () => {
  test('lists every account, and prints the number of accounts with each status', async () => {
    const { code, stdout, stderr } = await cli('sync');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(21);
    expect(stdout).toMatch(/^FAILED +Gemini .* The exchange rejected the API key/m);
    expect(stderr).toMatch(
      /^18 accounts: 16 COMPLETED(?: \(the latest sync of \d accounts? dropped records\))?, 1 FAILED, 1 INACTIVE\.\n/,
    );
  });

  test.each(['QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'INACTIVE'])(
    'shows the account status %s, and filters accounts by this status',
    async (status) => {
      const record = (id: string, value: string) => `{"walletId":"${id}","status":"${value}"}`;
      const data = `[${record('a', status)},${record('b', 'SOMETHING NEW')}]`;
      const { env } = await stub((_request, response) =>
        sendJson(response, 200, `{"success":true,"data":${data}}`),
      );
      const { stdout, stderr } = await run(['sync', 'status', '--status', status, '--jsonl'], { env });
      expect(JSON.parse(stdout)).toEqual({ walletId: 'a', status, latestSync: null });
      expect(stderr).toMatch(new RegExp(`^{"note":"2 accounts: 1 ${status}, 1 SOMETHING NEW\\."}\n`));
    },
  );

  test('rejects a sync state as the value of --status', async () => {
    expect(await cli('sync', 'status', '--status', 'cancelled')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('sync resync-all', () => {
  const writes = () => sandbox.truth.requests().filter(({ method }) => method === 'POST');

  test('sends nothing with --dry-run, or without a confirmation', async () => {
    const refused = await cli('sync', 'resync-all');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Confirmation required: Start a sync of every connected account\?/,
    );
    const dry = await cli('sync', 'resync-all', '--dry-run', '--json', '-d', '{"a":1}');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      method: 'POST',
      url: `${sandbox.url}/v1/integrations/resync-all`,
      body: { a: 1 },
    });
    expect(writes()).toEqual([]);
  });

  test('reports each account whose sync could not be started, and exits with 7 if a sync is already running', async () => {
    const { code, stdout, stderr } = await cli('sync', 'resync-all', '--yes', '--json');
    expect(code).toBe(11);
    expect(JSON.parse(stdout).failed).toHaveLength(1);
    const { error } = JSON.parse(stderr.slice(stderr.indexOf('{"error"')));
    expect(error).toMatchObject({
      code: 'PARTIAL_FAILURE',
      message: expect.stringMatching(
        /^No sync was started for 1 connected account: Yoroi \(wal_\w+\): the account is INACTIVE$/,
      ),
    });
    const again = await cli('sync', 'resync-all', '--yes', '--json');
    expect(again.code).toBe(7);
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: 'SYNC_ERROR' } });
    expect(writes()).toHaveLength(2);
  });

  test('beside an INACTIVE account, the example in the help of "sync resync-all" waits for the new syncs', async () => {
    const help = (await cli('sync', 'resync-all', '--help')).stdout.replaceAll(/ \\\n +/g, ' ');
    const recipe = /^ {2}(start=.*)$/m.exec(help)?.[1] ?? '';
    expect(recipe).toContain('integrations wait --synced-since');
    const started = Date.now();
    const { code, stderr } = await bash(recipe, { env });
    expect(stderr).toMatch(/the account is INACTIVE/);
    expect(stderr).not.toMatch(/are COMPLETED but dropped records/);
    expect(code, stderr).toBe(0);
    const rows = JSON.parse((await cli('integrations', '--all', '--json')).stdout);
    const synced = rows.filter(
      ({ lastSyncedAt }: { lastSyncedAt: number }) => lastSyncedAt >= started - 1000,
    );
    expect(synced.length).toBeGreaterThan(10);
  });

  test('exits with 0 if no account failed', async () => {
    const { env } = await stub((_request, response) =>
      sendJson(response, 202, '{"success":true,"data":{"failed":[]}}'),
    );
    expect(await run(['sync', 'resync-all', '--yes', '--json'], { env })).toMatchObject({
      code: 0,
      stdout: '{\n  "failed": []\n}\n',
    });
  });
});
