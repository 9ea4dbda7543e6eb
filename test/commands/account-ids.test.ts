// Runs commands against a service whose records have ids that the specification does not show.

import { describe, expect, test } from 'vitest';
import { temporary } from '../e2e/harness.ts';
import { type Stub, sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

type Row = Readonly<Record<string, unknown>>;
interface Served {
  readonly accounts: readonly Row[];
  readonly legs?: readonly Row[];
  readonly sync?: Row;
  readonly spam?: readonly Row[];
  readonly isNested?: boolean;
}

const DAY = 86_400_000;
const leg = (id: string, walletId: string, more: Row = {}): Row => ({
  ...{ id, transactionId: `t${id}`, walletId, syncId: 'syn_1', type: 'outgoing', timestamp: 10 * DAY },
  ...{ assetId: 'ast_1', assetRaw: { symbol: 'BTC' }, asset: { symbol: 'BTC' }, quantity: '1' },
  ...{ beforeBalance: '0', afterBalance: '-1', baseCurrency: 'USD', ...more },
});
const LEGS = [leg('l1', 'acc_1'), leg('l2', 'acc_2')];

const PARTIAL = { status: 'partially_synced', recordsFailed: 3 };

function serve({
  accounts,
  spam = [],
  legs = LEGS,
  sync = PARTIAL,
  isNested = false,
}: Served): Promise<Stub> {
  return stub((_request, response, { pathname, searchParams }) => {
    const answer = (value: unknown) => sendJson(response, 200, JSON.stringify(value));
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(searchParams.get(name) ?? 0));
    const meta = { total: legs.length, limit: limit || 50, offset };
    if (pathname === '/v1/integrations')
      return answer({ success: true, data: isNested ? { integrations: accounts } : accounts });
    if (pathname === '/v1/ledgers')
      return answer({ data: legs.slice(offset, (offset ?? 0) + (limit || 50)), meta });
    if (pathname === '/v1/spam') return answer({ success: true, data: spam });
    if (pathname === '/v1/sync/syn_1') return answer({ success: true, data: sync });
    const [, of] = /^\/v1\/integrations\/(.*)\/assets$/.exec(pathname) ?? [];
    if (of !== undefined) return answer({ data: [{ of }], meta: { total: 1 } });
    answer({ success: true, data: [], meta: { total: 0 } });
  });
}

const account = (id: string, more: Row = {}) => ({
  ...{ alias: `Wallet ${id.slice(-1)}`, status: 'COMPLETED', lastSyncedAt: 10 * DAY, ...more },
  id,
});
const JOINED = { accounts: [account('acc_1'), account('acc_2')] };
const UNKNOWN = { accounts: [account('other_1'), account('other_2')] };
const WITHOUT = { accounts: [{ alias: 'Wallet 1' }, { alias: 'Wallet 2' }] };
const NOTE = '2 accounts have no id that occurs in the legs that were read';

async function run(served: Served, ...args: string[]) {
  const { env } = await serve(served);
  const { stdout, stderr, error } = await endHere([...args, '--tz', 'UTC'], env);
  return { stdout, stderr, error, all: stdout + stderr };
}

describe('accounts whose records have an id instead of a walletId', () => {
  test.each([false, true])(
    'tables of legs show the names of accounts that have only an id (nested in data.integrations: %s)',
    async (isNested) => {
      for (const line of [['ledgers'], ['ledgers', 'negative'], ['balances'], ['ledgers', 'rollforward']]) {
        const { stdout, stderr } = await run({ ...JOINED, isNested }, ...line);
        for (const name of ['Wallet 1', 'Wallet 2']) expect(stdout, line.join(' ')).toContain(name);
        expect(stderr).not.toContain('no id that occurs in the legs that were read');
      }
    },
  );

  test.each(['balances', 'ledgers rollforward', 'ledgers negative', 'ledgers disposals', 'audit'])(
    '"%s" adds a note about accounts without a known id only if the output shows such an account',
    async (line) => {
      const figures = { costbasis: '1', proceeds: '2', profit: '1' };
      const legs = [leg('l1', 'acc_1', figures), leg('l2', 'acc_2', figures)];
      const served = { accounts: [account('acc_1'), account('other_2')], legs };
      const note =
        '1 account has no id that occurs in the legs that were read. Some accounts are shown by id.';
      const notes = async (...more: string[]) => (await run(served, ...line.split(' '), ...more)).stderr;
      expect(await notes()).toContain(note);
      expect(await notes('--wallet', 'acc_2')).toContain(note);
      expect(await notes('--wallet', 'acc_1')).not.toContain('shown by id');
    },
  );

  test('output by asset shows no accounts, and its notes mention none', async () => {
    const served = { accounts: [account('acc_1'), account('other_2')] };
    for (const line of [['balances'], ['ledgers', 'rollforward']])
      expect((await run(served, ...line, '--by', 'asset')).stderr).not.toContain('shown by id');
  });

  test('--wallet with a name selects an account that has only an id', async () => {
    for (const line of [['ledgers'], ['balances'], ['ledgers', 'negative']]) {
      const { stdout, error } = await run(JOINED, ...line, '--wallet', 'wallet 1', '--json');
      expect(error).toBeUndefined();
      expect(JSON.parse(stdout)).toMatchObject([{ walletId: 'acc_1' }]);
    }
  });

  test('"sync status" shows the latest sync of an account that has only an id', async () => {
    const { stdout, stderr } = await run(JOINED, 'sync', 'status', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ latestSync: { recordsFailed: 3 } }, { latestSync: {} }]);
    expect(stderr).not.toContain('is unknown');
  });

  test('"audit" can report a stale source if the account has only an id', async () => {
    const { stdout } = await run(JOINED, 'audit', '--to', '2025-12-31', '--check', 'stale-source', '--json');
    expect(JSON.parse(stdout).findings).toMatchObject([
      { walletId: 'acc_2', wallet: 'Wallet 2' },
      { walletId: 'acc_1', wallet: 'Wallet 1' },
    ]);
  });
});

describe('integrations assets NAME', () => {
  const assetsOf = (served: Served, given: string) => run(served, 'integrations', 'assets', given, '--json');

  test('"integrations assets NAME" sends the id of the account if a leg contains this id', async () => {
    expect(JSON.parse((await assetsOf(JOINED, 'Wallet 2')).stdout)).toEqual([{ of: 'acc_2' }]);
  });

  test('"integrations assets" sends any id, but rejects the name of an account whose id occurs in no leg', async () => {
    expect((await assetsOf(UNKNOWN, 'Wallet 2')).error).toMatchObject({
      code: 'UNKNOWN_NAME',
      message: 'No leg has the id other_2 of the account "Wallet 2"',
    });
    expect(JSON.parse((await assetsOf(UNKNOWN, 'other_2')).stdout)).toEqual([{ of: 'other_2' }]);
  });

  test('"integrations assets" accepts a walletId that occurs in no leg, and any id if the books have no legs', async () => {
    const certain = { accounts: [{ walletId: 'other_1', alias: 'Wallet 1' }] };
    expect(JSON.parse((await assetsOf(certain, 'Wallet 1')).stdout)).toEqual([{ of: 'other_1' }]);
    const { stdout } = await assetsOf({ ...UNKNOWN, legs: [] }, 'Wallet 2');
    expect(JSON.parse(stdout)).toEqual([{ of: 'other_2' }]);
  });

  test('warns that an id may be wrong if only the newest legs were searched', async () => {
    const legs = Array.from({ length: 5001 }, (_, at) => leg(`l${at}`, 'acc_1'));
    const { stdout, stderr } = await assetsOf({ ...UNKNOWN, legs }, 'Wallet 2');
    expect(JSON.parse(stdout)).toEqual([{ of: 'other_2' }]);
    expect(stderr).toMatch(/No leg was found with the id other_2 .* the id may be wrong.*were searched/);
  });

  test('lists both ids if two accounts have the same name', async () => {
    const twins = { accounts: [account('acc_1', { alias: 'Twin' }), account('acc_2', { alias: 'Twin' })] };
    const { error } = await assetsOf(twins, 'twin');
    expect(error).toMatchObject({ code: 'AMBIGUOUS_NAME', message: expect.stringMatching(/acc_1.*acc_2/) });
  });
});

test('"integrations wait" accepts the id of a record without a walletId', async () => {
  const { stdout, error } = await run(JOINED, 'integrations', 'wait', 'acc_1', '--jsonl');
  expect(JSON.parse(stdout)).toMatchObject({ walletId: 'acc_1', status: 'COMPLETED' });
  // The stub reports a partial sync.
  expect(error).toMatchObject({ code: 'PARTIALLY_SYNCED' });
});

describe.each([
  ['whose id no leg has', UNKNOWN],
  ['without an id', WITHOUT],
])('for accounts %s', (_, served) => {
  test.each(['ledgers', 'ledgers negative', 'balances', 'ledgers rollforward'])(
    '"%s" shows wallet ids instead of names, and says that no leg contains the id of an account',
    async (line) => {
      const { stdout, stderr } = await run(served, ...line.split(' '));
      expect(stdout).toContain('acc_1');
      expect(stderr).toContain(NOTE);
    },
  );

  test('"sync status" says that no leg contains the id of an account', async () => {
    expect((await run(served, 'sync', 'status')).stderr).toContain(
      `The latest sync of 2 accounts is unknown: ${NOTE}`,
    );
  });

  test.each(['ledgers', 'balances'])('"%s" rejects the name of an account', async (noun) => {
    const { error } = await run(served, noun, '--wallet', 'Wallet 1');
    expect(error).toMatchObject({ kind: 'usage', code: 'UNKNOWN_NAME' });
  });
});

describe('the join of accounts and legs', () => {
  const walletsOf = async (accounts: readonly Row[], legs: readonly Row[] = LEGS) => {
    const { stdout, stderr } = await run({ accounts, legs }, 'balances', '--json');
    return { wallets: JSON.parse(stdout).map(({ wallet }: { wallet: unknown }) => wallet), stderr };
  };

  test('accepts an id that is a number', async () => {
    const accounts = [
      { id: 17, alias: 'A' },
      { walletId: 18, alias: 'B' },
    ];
    const legs = [leg('l1', '17'), leg('l2', '18')];
    expect((await walletsOf(accounts, legs)).wallets).toEqual(['A', 'B']);
  });

  test.each([{}, [], true, null, ''])('ignores an id that is %j', async (id) => {
    const { wallets, stderr } = await walletsOf([{ id, walletId: id, alias: 'A' }]);
    expect(wallets).toEqual([null, null]);
    expect(stderr).toContain('1 account has no id that occurs in the legs that were read');
  });

  test('legs with an id that two accounts share belong to the account with this walletId', async () => {
    const [certain, other] = [
      { walletId: 'acc_1', alias: 'A' },
      { id: 'acc_1', alias: 'B' },
    ];
    for (const accounts of [
      [certain, other],
      [other, certain],
    ])
      expect((await walletsOf(accounts)).wallets).toEqual(['A', null]);
  });

  test('shows the id instead of a name if accounts with different names have the same id', async () => {
    expect((await walletsOf([account('acc_1'), { id: 'acc_1', alias: 'B' }])).wallets).toEqual([
      'acc_1',
      null,
    ]);
  });
});

test('an account that is listed twice has one name', async () => {
  const accounts = [account('acc_1'), account('acc_1'), account('acc_2')];
  expect((await run({ accounts }, 'ledgers', '--wallet', 'Wallet 1')).stdout).not.toContain('(acc_1)');
});

describe('the audit of accounts whose id occurs in no leg', () => {
  test.each(['stale-source', 'duplicate', 'negative-balance'])(
    '--check %s reports that no leg contains the id of an account',
    async (check) => {
      for (const served of [UNKNOWN, WITHOUT])
        expect((await run(served, 'audit', '--check', check)).stderr).toContain(NOTE);
    },
  );
});

test('the check stale-source does not pass if the last sync of an account is unknown', async () => {
  const { stdout } = await run(WITHOUT, 'audit', '--check', 'stale-source', '--json');
  expect(JSON.parse(stdout).checks).toMatchObject([
    { status: 'partial', why: 'The last sync of 2 accounts is unknown.' },
  ]);
});

test('a journal says that no leg contains the id of an account', async () => {
  const out = `${temporary()}/out.journal`;
  const exported = (served: Served) =>
    run(served, 'ledgers', 'export', '--format', 'hledger', '--out', out, '--overwrite');
  expect((await exported(UNKNOWN)).stderr).toContain(NOTE);
  expect((await exported(JOINED)).stderr).not.toContain('no id that occurs in the legs that were read');
});

test('"mirror run" says that no leg contains the id of an account', async () => {
  for (const served of [UNKNOWN, WITHOUT])
    expect((await run(served, 'mirror', 'run', temporary())).stderr).toContain(NOTE);
  for (const accounts of [JOINED.accounts, [...JOINED.accounts, account('acc_3')]])
    expect((await run({ accounts }, 'mirror', 'run', temporary())).stderr).not.toContain('no id that');
});

describe('--wallet with the name of an account whose id is in none of the newest legs', () => {
  const legs = Array.from({ length: 5201 }, (_, index) => leg(`l${index}`, 'acc_1'));

  test('warns that only the newest legs were searched for the id of an account', async () => {
    const { stderr, error } = await run(
      { accounts: [account('acc_2')], legs },
      'ledgers',
      '--wallet',
      'Wallet 2',
    );
    expect(error).toBeUndefined();
    expect(stderr).toMatch(/No leg was found with the id acc_2 of the wallet "Wallet 2".*Only the newest/);
  });

  test('does not warn about an account that has a walletId', async () => {
    const accounts = [{ ...account('x'), alias: 'Wallet 2', walletId: 'acc_2' }];
    const { stderr } = await run({ accounts, legs }, 'ledgers', '--wallet', 'Wallet 2');
    expect(stderr).not.toContain('No leg was found');
  });
});

describe('the latest sync', () => {
  test('the latest sync of an account is unknown if its legs have no syncId', async () => {
    const legs = LEGS.map((row) => ({ ...row, syncId: undefined }));
    const { stderr } = await run({ ...JOINED, legs }, 'sync', 'status');
    expect(stderr).toContain('unknown: no recent leg contains a sync id');
    expect(stderr).not.toContain('no id that occurs in the legs that were read');
  });

  test('the latest sync keeps the requested id if the record of the sync has different ids', async () => {
    const sync = { ...PARTIAL, id: 'other', syncId: 'another' };
    const { stdout } = await run({ ...JOINED, sync }, 'sync', 'status', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ latestSync: { syncId: 'syn_1' } }, {}]);
    const audit = await run({ ...JOINED, sync }, 'audit', '--check', 'failing-source', '--json');
    expect(audit.stdout).toContain('cryptodata sync get syn_1');
  });
});

test('a single account without legs causes no note', async () => {
  const accounts = [{ ...account('x'), walletId: 'acc_1' }];
  expect((await run({ accounts }, 'ledgers')).stderr).not.toContain(
    'no id that occurs in the legs that were read',
  );
});

describe('spam assets', () => {
  const findings = async (spam: readonly Row[]) => {
    const { stdout, stderr } = await run(
      { ...JOINED, spam },
      'audit',
      '--check',
      'negative-balance',
      '--json',
    );
    return { setAside: JSON.parse(stdout).setAside.length, stderr };
  };

  test.each([[{ assetId: 'ast_1' }], [{ id: 'ast_1' }], [{ id: 'x', assetId: 'ast_1' }]])(
    'a spam asset is matched with legs by its assetId or by its id: %j',
    async (record) => {
      const { setAside, stderr } = await findings([record]);
      expect(setAside).toBeGreaterThan(0);
      expect(stderr).not.toContain('no id that occurs in the legs that were read');
    },
  );

  test.each([[{ id: 'spam_1' }], [{ name: 'BTC' }]])(
    'a spam asset that matches no leg is reported: %j',
    async (record) => {
      const { setAside, stderr } = await findings([record]);
      expect(setAside).toBe(0);
      expect(stderr).toContain('1 spam asset has no id that occurs in a leg');
    },
  );
});
