import { describe, expect, test } from 'vitest';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

interface Account {
  readonly walletId: string;
  readonly status: string;
  readonly providerId?: string;
  readonly lastSyncedAt?: number;
  readonly type?: string;
  readonly isCustomWallet?: boolean;
}
interface Leg {
  readonly walletId: string;
  readonly syncId: string | null;
  readonly provider?: string;
  readonly timestamp?: number;
}
interface Service {
  readonly accounts: readonly Account[];
  readonly legs?: readonly Leg[];
  /** Sync records as JSON text, by id. */
  readonly syncs?: Readonly<Record<string, string>>;
  /** The status of every response to GET /v1/ledgers. */
  readonly ledgers?: number;
}

async function serve({ accounts, legs = [], syncs = {}, ledgers = 200 }: Service) {
  return stub((_request, response, { pathname, searchParams }) => {
    if (pathname === '/v1/integrations') {
      return sendJson(
        response,
        200,
        JSON.stringify({ success: true, data: accounts, totalCount: accounts.length }),
      );
    }
    if (pathname === '/v1/ledgers') {
      if (ledgers !== 200) return sendJson(response, ledgers, '{"error":"insufficient_scope"}');
      const provider = searchParams.get('providers');
      const own = legs
        .filter((leg) => provider === null || leg.provider === provider)
        .map((leg, at) => ({ id: `l${at}`, ...leg }));
      const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset'))];
      const meta = { total: own.length, limit, offset };
      return sendJson(response, 200, JSON.stringify({ data: own.slice(offset, offset + limit), meta }));
    }
    const record = syncs[pathname.replace('/v1/sync/', '')];
    if (record === undefined)
      return sendJson(response, 404, '{"success":false,"code":"NOT_FOUND","error":"no"}');
    sendJson(response, 200, `{"success":true,"data":${record}}`);
  });
}

const PARTIAL = '{"status":"partially_synced","recordsFailed":3,"limitReached":false,"message":"odd rows"}';
const DONE = '{"status":"whatever","recordsFailed":0,"limitReached":false,"message":""}';
const CANCELLED = '{"status":"cancelled","recordsFailed":0,"limitReached":false}';
const DAY = 86_400_000;
const completed = (...ids: string[]) => ids.map((walletId) => ({ walletId, status: 'COMPLETED' }));

async function status(service: Service, ...args: string[]) {
  const { env, requests } = await serve(service);
  const ended = await endHere(['sync', 'status', ...args], env);
  return { ...ended, requests };
}

describe('sync status', () => {
  test('"sync status" counts COMPLETED accounts whose latest sync dropped records', async () => {
    const { stderr, stdout, error, requests } = await status({
      accounts: [...completed('a', 'b', 'c'), { walletId: 'd', status: 'FAILED' }],
      legs: [
        { walletId: 'a', syncId: null },
        { walletId: 'a', syncId: 's1' },
        { walletId: 'a', syncId: 's2' },
        { walletId: 'b', syncId: 's2' },
        { walletId: 'c', syncId: 's3' },
        { walletId: 'd', syncId: 's4' },
      ],
      syncs: { s1: PARTIAL, s2: DONE, s3: DONE, s4: CANCELLED },
    });
    expect(error).toBeUndefined();
    expect(stderr).toBe(
      '4 accounts: 3 COMPLETED (the latest sync of 1 account dropped records), 1 FAILED.\n',
    );
    expect(stdout).toMatch(/^COMPLETED +partially_synced +3 +false +a$/m);
    expect(stdout).toMatch(/^FAILED +cancelled +0 +false +d$/m);
    expect(requests[1]).toMatch(/^\/v1\/ledgers\?.*sortBy=createdAt.*sortOrder=desc/);
  });

  test.each<[string, string, boolean]>([
    ['the state partially_synced', '{"status":"partially_synced"}', true],
    ['failed records in an unknown state', '{"status":"x","recordsFailed":1}', true],
    ['a count with many digits', '{"status":"x","recordsFailed":12345678901234567890}', true],
    ['a count as text', '{"status":"x","recordsFailed":"2"}', true],
    ['the workspace limit', '{"status":"x","recordsFailed":0,"limitReached":true}', true],
    ['COMPLETED as a sync state', '{"status":"COMPLETED","recordsFailed":0}', false],
    ['a state alone', '{"status":"x","recordsFailed":null,"limitReached":null}', false],
  ])('"sync status" concludes from %s whether records were dropped', async (_, record, drops) => {
    const service = {
      accounts: completed('a'),
      legs: [{ walletId: 'a', syncId: 's' }],
      syncs: { s: record },
    };
    const { stderr, found } = await status(service, '--exit-code');
    expect(stderr.includes('(the latest sync of 1 account dropped records)')).toBe(drops);
    expect(found).toBe(drops ? 1 : 0);
  });

  test('"sync status" reads the legs of the provider if the newest legs do not belong to the account', async () => {
    const busy = Array.from({ length: 1000 }, () => ({ walletId: 'a', syncId: 's1', provider: 'p' }));
    const quiet = { walletId: 'b', syncId: 's2', provider: 'q' };
    const accounts = [
      { walletId: 'a', status: 'COMPLETED', providerId: 'p' },
      { walletId: 'b', status: 'COMPLETED', providerId: 'q' },
    ];
    const service = { accounts, legs: [...busy, quiet], syncs: { s1: DONE, s2: PARTIAL } };
    const { stderr } = await status(service);
    expect(stderr).toBe('2 accounts: 2 COMPLETED (the latest sync of 1 account dropped records).\n');
  });

  test('"sync status" reads a limited number of pages, and counts the accounts whose latest sync is unknown', async () => {
    const legs = Array.from({ length: 5000 }, () => ({ walletId: 'z', syncId: 's', provider: 'p' }));
    const accounts = ['a', 'b'].map((walletId) => ({ walletId, status: 'COMPLETED', providerId: 'p' }));
    const { stderr, requests } = await status({ accounts, legs });
    expect(requests).toHaveLength(1 + 2 + 3);
    expect(stderr).toBe(
      '2 accounts: 2 COMPLETED.\nThe latest sync of 2 accounts is unknown: no recent leg contains a sync id. These accounts may have dropped records even if their status is COMPLETED.\n',
    );
  });

  test('if there are several reasons, "sync status" shows the number of accounts for each reason', async () => {
    const accounts = ['a', 'b', 'c'].map((walletId) => ({ walletId, status: 'COMPLETED', providerId: 'p' }));
    const legs = [
      { walletId: 'a', syncId: 's' },
      ...['b', 'c'].map((walletId) => ({ walletId, syncId: null })),
    ];
    const { stderr } = await status({ accounts, legs, syncs: { s: CANCELLED } });
    expect(stderr).toContain(
      'The latest sync of 3 accounts is unknown: for 1 account, only an older sync is known; for 2 accounts, no recent leg contains a sync id.',
    );
  });

  test.each<[string, string, Omit<Account, 'walletId'>, Omit<Leg, 'walletId' | 'syncId'>]>([
    ['a cancelled sync of a COMPLETED account', CANCELLED, { status: 'COMPLETED' }, {}],
    ['a partial sync of a FAILED account', PARTIAL, { status: 'FAILED' }, {}],
    ['a partial sync of an account that is SYNCING', PARTIAL, { status: 'SYNCING' }, {}],
    [
      'a sync whose newest leg is over a day older than the last sync',
      PARTIAL,
      { status: 'COMPLETED', lastSyncedAt: 40 * DAY },
      { timestamp: 39 * DAY - 1 },
    ],
  ])('"sync status" does not show an older sync as the latest: %s', async (_, record, account, leg) => {
    const accounts = [{ walletId: 'a', ...account }];
    const service = { accounts, legs: [{ walletId: 'a', syncId: 's', ...leg }], syncs: { s: record } };
    const { stdout, stderr, found } = await status(service);
    expect(stdout).toMatch(new RegExp(`^${account.status} .*unknown +a$`, 'm'));
    expect(stderr).toContain(`1 account: 1 ${account.status}.\n`);
    expect(stderr).toContain('The latest sync of 1 account is unknown: only an older sync is known.');
    expect(
      stderr.includes('1 account dropped records in an older sync: (s): records failed: 3; odd rows.'),
    ).toBe(record === PARTIAL);
    expect(found).toBe(0);
    expect(JSON.parse((await status(service, '--jsonl')).stdout)).toMatchObject({ latestSync: null });
  });

  test('"sync status" accepts a sync whose newest leg is a day older than the last sync time', async () => {
    const accounts = [
      { walletId: 'a', status: 'COMPLETED', lastSyncedAt: 40 * DAY },
      { walletId: 'b', status: 'INACTIVE' },
    ];
    const legs = [
      { walletId: 'a', syncId: 's1', timestamp: 30 * DAY },
      { walletId: 'a', syncId: 's1', timestamp: 39 * DAY },
      { walletId: 'b', syncId: 's2' },
    ];
    const { stdout, stderr } = await status({ accounts, legs, syncs: { s1: PARTIAL, s2: CANCELLED } });
    expect(stdout).toMatch(/ partially_synced +3 +false +a$/m);
    expect(stdout).toMatch(/^INACTIVE .*cancelled +0 +false +b$/m);
    expect(stderr).not.toContain('unknown');
  });

  test('"sync status" does not search for a sync of an account that has never synced', async () => {
    const accounts = [{ walletId: 'a', status: 'COMPLETED', lastSyncedAt: 0 }];
    const { stderr, requests } = await status({ accounts, ledgers: 403 });
    expect([stderr, requests]).toEqual(['1 account: 1 COMPLETED.\n', ['/v1/integrations']]);
  });

  test('"sync status" succeeds if legs cannot be read or a sync no longer exists', async () => {
    const refused = await status({ accounts: completed('a'), ledgers: 403 }, '--jsonl');
    expect(refused.error).toBeUndefined();
    expect(JSON.parse(refused.stdout)).toEqual({ walletId: 'a', status: 'COMPLETED', latestSync: null });
    expect(refused.stderr).toMatch(/The latest sync of 1 account is unknown: .*answered 403/);
    const gone = await status({ accounts: completed('a'), legs: [{ walletId: 'a', syncId: 's' }] });
    expect(gone.error).toBeUndefined();
    expect(gone.stderr).toMatch(/The latest sync of 1 account is unknown: .*answered 404/);
  });

  test('"sync status" fails if the service rejects the login', async () => {
    const { error } = await status({ accounts: completed('a'), ledgers: 401 });
    expect(error).toMatchObject({ kind: 'auth' });
  });
});

describe('integrations wait', () => {
  const wait = async (service: Service, ...args: string[]) =>
    endHere(['integrations', 'wait', ...args], (await serve(service)).env);

  test('"integrations wait" reports a partial failure if a COMPLETED account dropped records', async () => {
    const legs = [
      { walletId: 'a', syncId: 's1' },
      { walletId: 'b', syncId: 's2' },
    ];
    const service = { accounts: completed('a', 'b'), legs, syncs: { s1: PARTIAL, s2: DONE } };
    expect((await wait(service)).error).toMatchObject({
      kind: 'partial',
      code: 'PARTIALLY_SYNCED',
      message: '1 of 2 accounts is COMPLETED but dropped records: (a): 3 records failed: odd rows',
      details: [{ id: 'a', latestSync: { syncId: 's1', recordsFailed: 3 } }],
    });
    expect((await wait(service, 'b')).error).toBeUndefined();
  });

  test('an account that was entered by hand never syncs, so its latest sync is not reported as unknown', async () => {
    const accounts = [{ walletId: 'a', status: 'COMPLETED', isCustomWallet: true }];
    const { stdout, stderr } = await status({ accounts });
    expect(stderr).not.toContain('unknown');
    expect(stdout).not.toContain('unknown');
  });

  test('"integrations wait" succeeds if only an older sync dropped records', async () => {
    const accounts = [{ walletId: 'a', status: 'COMPLETED', lastSyncedAt: 9 * DAY }];
    const legs = [{ walletId: 'a', syncId: 's', timestamp: DAY }];
    const { error, stderr } = await wait({ accounts, legs, syncs: { s: PARTIAL } });
    expect(error).toBeUndefined();
    expect(stderr).toContain('1 account dropped records in an older sync: (s): records failed: 3; odd rows.');
  });

  test('"integrations wait --synced-since" waits for a COMPLETED account if its last sync is too old', async () => {
    const accounts = [
      { walletId: 'a', status: 'COMPLETED', lastSyncedAt: Date.UTC(2025, 0, 1) },
      { walletId: 'b', status: 'COMPLETED', lastSyncedAt: Date.UTC(2025, 0, 3) },
      { walletId: 'c', status: 'COMPLETED', lastSyncedAt: 0, type: 'csv' },
      { walletId: 'd', status: 'COMPLETED', isCustomWallet: true },
      { walletId: 'e', status: 'INACTIVE', lastSyncedAt: 0 },
    ];
    const args = ['--synced-since', '2025-01-02T00:00Z', '--timeout', '0'];
    expect((await wait({ accounts }, ...args)).error).toMatchObject({
      kind: 'network',
      code: 'WAIT_TIMED_OUT',
      message: expect.stringMatching(
        /1 of 5 accounts is not finished: \(a\): COMPLETED, not synced since 2025-01-02T00:00Z$/,
      ),
    });
    expect((await wait({ accounts: accounts.slice(1) }, ...args)).error).toBeUndefined();
    expect((await wait({ accounts }, '--synced-since', 'soon')).error).toMatchObject({
      message: expect.stringContaining('--synced-since "soon"'),
    });
  });

  test('"integrations wait" prints a record when the last sync of an account reaches the time in --synced-since', async () => {
    let looks = 0;
    const { env } = await stub((_request, response) => {
      looks += 1;
      const lastSyncedAt = looks > 1 ? 2_000_000_000_000 : 1;
      const record = { walletId: 'a', status: 'COMPLETED', lastSyncedAt };
      sendJson(response, 200, JSON.stringify({ success: true, data: [record], totalCount: 1 }));
    });
    const { stdout } = await endHere(
      ['integrations', 'wait', '--synced-since', '2025-01-02', '--jsonl'],
      env,
    );
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ status, previous, record }) => [status, previous, record.lastSyncedAt])).toEqual([
      ['COMPLETED', null, 1],
      ['COMPLETED', 'COMPLETED', 2_000_000_000_000],
    ]);
  });

  test('"integrations wait" succeeds with a warning if the latest sync is unknown', async () => {
    const { error, stderr } = await wait({ accounts: completed('a') });
    expect([error, stderr]).toEqual([
      undefined,
      expect.stringContaining('The latest sync of 1 account is unknown'),
    ]);
  });
});
