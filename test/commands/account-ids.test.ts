// Runs commands against a service whose records have other ids than the specification shows.

import { describe, expect, test } from 'vitest';
import { type Stub, sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

type Row = Readonly<Record<string, unknown>>;
interface Served {
  readonly accounts: readonly Row[];
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

function serve({ accounts, spam = [], isNested = false }: Served): Promise<Stub> {
  return stub((_request, response, { pathname, searchParams }) => {
    const answer = (value: unknown) => sendJson(response, 200, JSON.stringify(value));
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(searchParams.get(name) ?? 0));
    const meta = { total: LEGS.length, limit: limit || 50, offset };
    if (pathname === '/v1/integrations')
      return answer({ success: true, data: isNested ? { integrations: accounts } : accounts });
    if (pathname === '/v1/ledgers')
      return answer({ data: LEGS.slice(offset, (offset ?? 0) + (limit || 50)), meta });
    if (pathname === '/v1/spam') return answer({ success: true, data: spam });
    if (pathname === '/v1/sync/syn_1')
      return answer({ success: true, data: { status: 'partially_synced', recordsFailed: 3 } });
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
const NOTE = '2 accounts have no id that the legs know';

async function run(served: Served, ...args: string[]) {
  const { env } = await serve(served);
  const { stdout, stderr, error } = await endHere([...args, '--tz', 'UTC'], env);
  return { stdout, stderr, error, all: stdout + stderr };
}

describe('accounts whose records have an id instead of a walletId', () => {
  test.each([false, true])(
    'have names in tables of legs; nested in data.integrations: %s',
    async (isNested) => {
      for (const line of [['ledgers'], ['ledgers', 'negative'], ['balances'], ['ledgers', 'rollforward']]) {
        const { stdout, stderr } = await run({ ...JOINED, isNested }, ...line);
        for (const name of ['Wallet 1', 'Wallet 2']) expect(stdout, line.join(' ')).toContain(name);
        expect(stderr).not.toContain('no id that the legs know');
      }
    },
  );

  test('can be chosen by name', async () => {
    for (const line of [['ledgers'], ['balances'], ['ledgers', 'negative']]) {
      const { stdout, error } = await run(JOINED, ...line, '--wallet', 'wallet 1', '--json');
      expect(error).toBeUndefined();
      expect(JSON.parse(stdout)).toMatchObject([{ walletId: 'acc_1' }]);
    }
  });

  test('have a latest sync', async () => {
    const { stdout, stderr } = await run(JOINED, 'sync', 'status', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ latestSync: { recordsFailed: 3 } }, { latestSync: {} }]);
    expect(stderr).not.toContain('is unknown');
  });

  test('can be stale sources', async () => {
    const { stdout } = await run(JOINED, 'audit', '--check', 'stale-source', '--json');
    expect(JSON.parse(stdout).findings).toMatchObject([
      { walletId: 'acc_2', wallet: 'Wallet 2' },
      { walletId: 'acc_1', wallet: 'Wallet 1' },
    ]);
  });
});

test('integrations wait accepts the id of a record without a walletId', async () => {
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
    '"%s" shows ids, and says that the accounts have no known id',
    async (line) => {
      const { stdout, stderr } = await run(served, ...line.split(' '));
      expect(stdout).toContain('acc_1');
      expect(stderr).toContain(NOTE);
    },
  );

  test('"sync status" says that no leg knows the accounts', async () => {
    expect((await run(served, 'sync', 'status')).stderr).toContain(
      `The latest sync of 2 accounts is unknown: ${NOTE}.`,
    );
  });

  test.each(['ledgers', 'balances'])('"%s" rejects the name of an account', async (noun) => {
    const { error } = await run(served, noun, '--wallet', 'Wallet 1');
    expect(error).toMatchObject({ kind: 'usage', code: 'UNKNOWN_NAME' });
  });
});

test('a disconnected account alone causes no note', async () => {
  const accounts = [{ ...account('x'), walletId: 'acc_1' }];
  expect((await run({ accounts }, 'ledgers')).stderr).not.toContain('no id that the legs know');
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
    'are joined to legs by assetId or by id: %j',
    async (record) => {
      const { setAside, stderr } = await findings([record]);
      expect(setAside).toBeGreaterThan(0);
      expect(stderr).not.toContain('no id that the legs know');
    },
  );

  test.each([[{ id: 'spam_1' }], [{ name: 'BTC' }]])('that join nothing are reported: %j', async (record) => {
    const { setAside, stderr } = await findings([record]);
    expect(setAside).toBe(0);
    expect(stderr).toContain('1 spam asset has no id that the legs know');
  });
});
