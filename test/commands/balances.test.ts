import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DISPOSAL_COLUMNS } from '../../src/app/disposal-lines.ts';
import { exact, ZERO } from '../../src/core/decimal.ts';
import { renderTable } from '../../src/formats/table.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 800 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-balances-'));
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

type Line = Readonly<Record<string, unknown>>;

async function json(...args: string[]): Promise<readonly Line[]> {
  return JSON.parse((await runHere([...args, '--json'], sandbox.env)).stdout);
}

const keyOf = ({ walletId, assetId, symbol }: Line) => `${walletId} ${assetId ?? symbol}`;

test('"balances --as-of DAY" shows the closing balances of "ledgers rollforward --to DAY"', async () => {
  const balances = await json('balances', '--as-of', '2024-03-31');
  const lines = await json('ledgers', 'rollforward', '--to', '2024-03-31');
  expect(balances.length).toBeGreaterThan(30);
  expect(balances.filter(({ balance }) => balance === null).length).toBeGreaterThan(0);
  const closing = new Map(lines.map((line) => [keyOf(line), line['closing']]));
  expect(balances.map((line) => [keyOf(line), line['balance']])).toEqual(
    balances.map((line) => [keyOf(line), closing.get(keyOf(line))]),
  );
  expect(closing.size).toBe(balances.length);
});

test('"balances --as-of" includes the whole day, but no later leg', async () => {
  const [leg] = await json('ledgers', 'list', '--limit', '1', '--gt-after-balance', '0');
  const time = Number(leg?.['timestamp']);
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const own = (lines: readonly Line[]) => lines.find((line) => leg && keyOf(line) === keyOf(leg));
  expect(own(await json('balances', '--as-of', day(time)))).toMatchObject({ ledgerId: leg?.['id'] });
  const before = own(await json('balances', '--as-of', day(time - 86_400_000)));
  expect(before?.['ledgerId']).not.toBe(leg?.['id']);
});

test('balances from a file equal balances from the service, and --by asset counts the wallets of each asset', async () => {
  const file = join(directory, 'ledgers.csv');
  await runHere(['ledgers', 'export', '--out', file], sandbox.env);
  const [service, offline] = [await json('balances'), await json('balances', '--file', file)];
  const figures = ({ wallet: _, ...others }: Line) => others;
  expect(offline.map(figures)).toEqual(service.map(figures));
  const assets = await json('balances', '--by', 'asset');
  expect(assets.reduce((sum, { wallets }) => sum + Number(wallets), 0)).toBe(service.length);
});

test('"balances" and "ledgers rollforward" warn if a file has no legs from before the exported period', async () => {
  const file = join(directory, 'q3.csv');
  await runHere(['ledgers', 'export', '--period', '2025-Q3', '--out', file], sandbox.env);
  for (const command of [['balances'], ['ledgers', 'rollforward']]) {
    const { stderr } = await endHere([...command, '--file', file], sandbox.env);
    expect(stderr).toContain('has no legs from before the exported period');
  }
});

test('"balances" counts unknown and negative balances, and --hide-zero hides zero balances', async () => {
  const { stdout, stderr } = await endHere(['balances', '--json'], sandbox.env);
  const all: Line[] = JSON.parse(stdout);
  const unknown = all.filter(({ balance }) => balance === null).length;
  const negative = all.filter(({ balance }) => String(balance).startsWith('-')).length;
  expect(stderr).toContain(`${unknown} balances are unknown.`);
  expect(stderr).toContain(`${negative} balances are negative.`);
  const zero = all.filter(({ balance }) => /^0(\.0*)?$/.test(String(balance))).length;
  expect(zero).toBeGreaterThan(0);
  expect(await json('balances', '--hide-zero')).toHaveLength(all.length - zero);
});

test('balances can be filtered by wallet and asset name, and an unknown name causes a suggestion', async () => {
  const [all, chosen] = [
    await json('balances'),
    await json('balances', '--asset', 'eth', '--wallet', 'Kraken main'),
  ];
  expect(chosen).toEqual(all.filter(({ symbol, wallet }) => symbol === 'ETH' && wallet === 'Kraken main'));
  expect(chosen).toHaveLength(1);
  const { error } = await endHere(['balances', '--asset', 'EHT'], sandbox.env);
  expect(error).toMatchObject({ code: 'UNKNOWN_NAME', hint: expect.stringContaining('ETH') });
});

test('"balances --as-of" warns about a day in the future, and rejects a day that does not exist', async () => {
  const future = await endHere(['balances', '--as-of', '2199-12-31', '--json'], sandbox.env);
  expect(future.stderr).toContain('is in the future');
  const { error } = await endHere(['balances', '--as-of', '2025-02-30'], sandbox.env);
  expect(error).toMatchObject({ message: expect.stringContaining('--as-of 2025-02-30 does not exist') });
});

/** Two legs of one millisecond. Their balances do not show their order. */
const OPEN = ['1', '2'].map((afterBalance, at) => ({
  ...{ id: `led_${at}`, transactionId: `txn_${at}`, timestamp: Date.UTC(2025, 0, 1), type: 'incoming' },
  ...{ quantity: '1', walletId: 'kraken', assetId: 'ast_eth', asset: { symbol: 'ETH' } },
  ...{ beforeBalance: null, afterBalance, baseCurrency: 'EUR' },
}));

test('"balances" says that a balance is unknown because the order of legs with the same time is unknown', async () => {
  const file = await writeBooks(join(directory, 'open.jsonl'), OPEN);
  const { stdout, stderr } = await endHere(['balances', '--file', file, '--json'], sandbox.env);
  expect(JSON.parse(stdout)).toMatchObject([{ legs: 2, balance: null }]);
  expect(stdout).not.toContain('openLegs');
  expect(stderr).toContain(
    'The order of 2 legs of ETH in kraken at 2025-01-01T00:00:00.000Z is unknown, so the balance is unknown.',
  );
});

test('"balances" shows the time of legs in an unknown order, including times that are too large for a date', async () => {
  const legs = OPEN.map((leg) => ({ ...leg, timestamp: 8e300 }));
  const file = await writeBooks(join(directory, 'late-open.jsonl'), legs);
  const { stderr } = await endHere(['balances', '--file', file], sandbox.env);
  expect(stderr).toContain('The order of 2 legs of ETH in kraken at 8e+300 is unknown');
});

test('"balances" and "ledgers rollforward" suggest an audit command with the same file, period, assets and time zone', async () => {
  const negative = { ...OPEN[0], type: 'outgoing', beforeBalance: '0', afterBalance: '-2' };
  const file = await writeBooks(join(directory, 'negative.jsonl'), [negative]);
  const scope = ['--file', file, '--asset', 'ETH'];
  const zone = ['--tz', 'Europe/Berlin'];
  const suggested = `--asset ETH --tz Europe/Berlin`;
  const balances = await endHere(['balances', '--as-of', '2025-12-31', ...scope, ...zone], sandbox.env);
  expect(balances.stderr).toContain(`cryptodata audit --file ${file} --to 2025-12-31 ${suggested}\n`);
  const rolled = await endHere(
    ['ledgers', 'rollforward', '--period', '2025', ...scope, ...zone],
    sandbox.env,
  );
  expect(rolled.stderr).toContain(`cryptodata audit --file ${file} --period 2025 ${suggested}\n`);
});

test('"ledgers rollforward --chart" takes the opening balance of an asset from its first leg, and never assumes 0', async () => {
  const leg = { ...OPEN[0], timestamp: Date.UTC(2025, 5, 1), beforeBalance: '5', afterBalance: '6' };
  const unknown = { ...leg, id: 'led_9', assetId: 'ast_btc', asset: { symbol: 'BTC' }, beforeBalance: null };
  const file = await writeBooks(join(directory, 'late.jsonl'), [leg, { ...unknown, quantity: null }]);
  const args = ['ledgers', 'rollforward', '--period', '2025', '--file', file, '--chart'];
  for (const by of ['wallet', 'asset']) {
    const { stdout } = await endHere([...args, '--by', by], sandbox.env);
    expect(stdout).toContain('opening 5  lowest 5 at the start  closing 6');
    expect(stdout).toContain('opening unknown  lowest known 6 on 2025-06-01  closing 6');
    expect(stdout).not.toMatch(/lowest (known )?0/);
  }
});

test('"ledgers disposals" lists every outgoing leg and fee that has proceeds, a cost basis or a profit', async () => {
  const period = ['--period', '2025-Q3'];
  const disposals = await json('ledgers', 'disposals', ...period);
  const legs = await json('ledgers', 'list', ...period, '--types', 'outgoing,fee', '--all');
  const withFigures = legs.filter(({ costbasis, proceeds, profit }) => costbasis ?? proceeds ?? profit);
  expect(disposals.length).toBeGreaterThan(10);
  const figures = ({ id, ledgerId, quantity, proceeds, costbasis, profit }: Line) =>
    [id ?? ledgerId, quantity, proceeds, costbasis, profit].join(' ');
  expect(new Set(disposals.map(figures))).toEqual(new Set(withFigures.map(figures)));
  expect(disposals.map(({ timestamp }) => Number(timestamp))).toEqual(
    disposals.map(({ timestamp }) => Number(timestamp)).sort((a, b) => a - b),
  );
  expect(disposals.every(({ acquired }) => acquired === null)).toBe(true);
});

test('"ledgers disposals" adds up to the sums of "ledgers export --sum-by", and counts the omitted legs', async () => {
  const { stdout, stderr } = await endHere(
    ['ledgers', 'disposals', '--period', '2025', '--json'],
    sandbox.env,
  );
  const listed: Line[] = JSON.parse(stdout);
  const sums = join(directory, 'sums.csv');
  await runHere(
    [
      'ledgers',
      'export',
      '--period',
      '2025',
      '--types',
      'outgoing,fee',
      '--sum-by',
      'year',
      '--out',
      sums,
      '--format',
      'csv',
    ],
    sandbox.env,
  );
  const [heads = '', ...lines] = (await readFile(sums, 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(1);
  const sum = Object.fromEntries(heads.split(',').map((name, at) => [name, lines[0]?.split(',')[at]]));
  const total = (lines: readonly Line[], name: string) =>
    lines.reduce((sum, line) => sum.plus(exact(line[name]) ?? ZERO), ZERO).toFixed();
  const names = ['proceeds', 'costbasis', 'profit'];
  expect(names.map((name) => total(listed, name))).toEqual(names.map((name) => sum[name]));
  const own = listed.filter(({ kind }) => kind === 'disposal');
  const [proceeds, costbasis, profit] = names.map((name) => total(own, name));
  expect(stderr).toContain(
    `${own.length} disposals in USD: proceeds ${proceeds}, cost basis ${costbasis}, profit ${profit}.`,
  );
  const legs = await json('ledgers', 'list', '--period', '2025', '--types', 'outgoing,fee', '--all');
  const wallets = new Set((await json('ledgers', 'list', '--all')).map(({ walletId }) => walletId));
  const isTransfer = ({ toAccount, walletId }: Line) => {
    const to = Object(toAccount).walletId;
    return to !== walletId && wallets.has(to);
  };
  const isOpen = (leg: Line) => names.every((name) => leg[name] === null);
  const omitted = legs.filter(
    (leg) => isOpen(leg) && Object(leg['asset']).type !== 'fiat' && !isTransfer(leg),
  );
  expect(omitted.length).toBeGreaterThan(5);
  expect(stderr).toContain(
    `Not listed, because cost basis, proceeds and profit are unknown: ${omitted.length} disposals`,
  );
  expect(stderr).toMatch(
    new RegExp(
      `These values are known for ${own.length} of ${own.length + omitted.length} disposals, none after 2025-\\d\\d-\\d\\d\\.`,
    ),
  );
});

describe('kinds of disposals', () => {
  const at = (month: number) => ({ timestamp: Date.UTC(2025, month - 1, 2) });
  const part = (id: string, more: Line): Line => ({
    ...{ id, transactionId: id, type: 'outgoing', quantity: '1', walletId: 'w1', assetId: 'a', ...at(2) },
    ...{ asset: { symbol: 'ETH', type: 'crypto' }, baseCurrency: 'EUR' },
    ...{ costbasis: '2', proceeds: '3', profit: '1', ...more },
  });
  const none = { costbasis: null, proceeds: null, profit: null };
  const LEGS = [
    part('sold', {}),
    part('wrong', { profit: '2' }),
    part('money', { assetId: 'e', asset: { symbol: 'EUR', type: 'fiat' }, profit: '90' }),
    part('moved', { toAccount: { provider: 'p', walletId: 'w2' }, profit: '900' }),
    part('strange', { type: 'reward', profit: '9000' }),
    part('open', { ...none, ...at(3) }),
    part('silent', { ...none, type: 'adjustment' }),
    part('bought', { type: 'incoming', walletId: 'w2', ...none }),
  ];
  const disposalsOf = async (...args: string[]) => {
    const file = await writeBooks(join(directory, 'kinds.jsonl'), LEGS);
    return endHere(['ledgers', 'disposals', '--file', file, ...args], sandbox.env);
  };

  test('"ledgers disposals" lists every kind of leg, but adds up only the disposals', async () => {
    const { stdout, stderr } = await disposalsOf('--json');
    const kinds = JSON.parse(stdout).map(({ ledgerId, kind }: Line) => `${ledgerId} ${kind}`);
    expect(kinds.sort()).toEqual([
      ...['money fiat', 'moved transfer', 'sold disposal', 'strange unknown', 'wrong disposal'],
    ]);
    expect(stderr).toContain('2 disposals in EUR: proceeds 6, cost basis 4, profit 3.');
    expect(stderr).toContain('Not in the sums: 1 fiat line, 1 transfer, 1 line of unknown kind.');
    expect(stderr).toContain('2 neither incoming nor outgoing nor a fee: adjustment, reward (');
    expect(stderr).toContain(
      'Not listed, because cost basis, proceeds and profit are unknown: 1 disposal (open), 1 line of unknown kind.',
    );
    expect(stderr).toContain('known for 2 of 3 disposals, none after 2025-02-02');
  });

  test('--include selects kinds of disposals, and rejects an unknown kind', async () => {
    const { stdout, stderr } = await disposalsOf('--include', 'fiat,transfer', '--jsonl');
    const ids = stdout.trim().split('\n');
    expect(ids.map((line) => JSON.parse(line).ledgerId).sort()).toEqual(['money', 'moved']);
    expect(stderr).not.toMatch(/disposals? in|are unknown/);
    const none = await disposalsOf('--include', 'fiat', '--asset', 'ETH', '-o', 'table');
    expect(none.stdout + none.stderr).toContain(
      'There are no lines of these kinds with a cost basis, proceeds or a profit in the period.',
    );
    const { error } = await disposalsOf('--include', 'gift');
    expect(error).toMatchObject({ kind: 'usage' });
  });

  test('a profit that differs from the proceeds minus the cost basis is marked in every format', async () => {
    const { stdout, stderr } = await disposalsOf('--csv', '--columns', 'ledgerId,mismatch');
    expect(stdout.trim().split('\n')).toContain('wrong,true');
    expect(stdout.trim().split('\n')).toContain('sold,false');
    expect(stderr).toContain('In 4 lines, the profit differs from the proceeds minus the cost basis.');
    const table = (await disposalsOf('-o', 'table', '--include', 'disposal,transfer')).stdout;
    expect(table).toMatch(/ETH .* 2 .*profit ≠ proceeds − cost basis/);
    expect(table).toContain('transfer; profit ≠ proceeds − cost basis');
  });

  test.each([30, 60, 80, 120])(
    'a table that is %i characters wide shows all amounts of a line',
    async (width) => {
      const lines = JSON.parse((await disposalsOf('--json')).stdout);
      const look = { view: { timeZone: 'UTC' }, style: { terminal: true, colour: false, width } };
      const { text } = renderTable(lines, DISPOSAL_COLUMNS.table, look);
      for (const name of ['quantity', 'cost basis', 'proceeds', 'profit']) expect(text).toContain(name);
    },
  );
});
