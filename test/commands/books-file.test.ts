// Tests --file with every readable format, with files that lack columns, and with files in several currencies.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { control } from '../sandbox/helpers.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 150 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-books-file-'));
const out = (name: string) => join(directory, name);
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const exported = (name: string, ...args: string[]) =>
  runHere(['ledgers', 'export', '--out', out(name), ...args], sandbox.env);

beforeAll(() => exported('all.jsonl'));

const books = (name: string, legs: readonly JsonRecord[]) => writeBooks(out(name), legs);

function leg(id: string, fields: JsonRecord = {}): JsonRecord {
  return {
    ...{ id, transactionId: `txn_${id}`, type: 'incoming', quantity: '2', timestamp: Date.UTC(2025, 0, 1) },
    ...{ walletId: 'wal', assetId: 'ast', asset: { symbol: 'BTC' }, baseCurrency: 'EUR' },
    ...{ price: { price: 3 }, value: 6, costbasis: '6', proceeds: '6', profit: '0', ...fields },
  };
}

async function resultOf(...args: string[]) {
  const { stdout, stderr, error } = await endHere([...args, '--json'], sandbox.env);
  return { error, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe('a file with legs', () => {
  test.each([
    ['csv', ['a.csv']],
    ['csv for Excel', ['b.csv', '--csv-dialect', 'excel']],
    ['csv with semicolons', ['c.csv', '--separator', 'semicolon']],
    ['csv with tabs', ['d.csv', '--separator', 'tab']],
    ['csv with bars and no guard', ['e.csv', '--separator', 'bar', '--csv-guard', 'off']],
    ['csv with decimal commas', ['comma.csv', '--decimal-comma', '--csv-dialect', 'excel']],
    ['json', ['a.json']],
  ])(
    '"audit --file" returns the same findings for every readable format: %s',
    async (_, [name = '', ...flags]) => {
      await exported(name, ...flags);
      const { result: expected } = await resultOf('audit', '--file', out('all.jsonl'));
      expect(expected.findings.length).toBeGreaterThan(50);
      const { result } = await resultOf('audit', '--file', out(name));
      const ids = ({ findings }: { findings: JsonRecord[] }) =>
        findings.map(({ id, amount }) => [id, amount]);
      expect(ids(result)).toEqual(ids(expected));
      expect(result).toMatchObject({ verified: true, legs: expected.legs });
    },
  );

  test.each([
    ['xlsx', ['x.xlsx'], 'UNREADABLE_FORMAT'],
    ['parquet', ['x.parquet'], 'UNREADABLE_FORMAT'],
    ['a data set', ['folder', '--format', 'parquet', '--partition-by', 'month'], 'UNREADABLE_FORMAT'],
    ['a journal', ['x.journal'], 'UNREADABLE_FORMAT'],
    ['sums', ['sums.csv', '--sum-by', 'asset'], 'SUMS_FILE'],
  ])(
    '"audit --file" rejects a file in a format that the tool cannot read back: %s',
    async (_, [name = '', ...flags], code) => {
      await exported(name, ...flags);
      expect((await resultOf('audit', '--file', out(name))).error).toMatchObject({ kind: 'usage', code });
    },
  );

  test.each([['audit'], ['balances'], ['ledgers rollforward'], ['ledgers disposals']])(
    '%s rejects a file without a column for the asset',
    async (command) => {
      await exported(
        'nameless.csv',
        ...['--overwrite', '--columns', 'id,transactionId,type,quantity,timestamp,walletId,afterBalance'],
      );
      const { error } = await resultOf(...command.split(' '), '--file', out('nameless.csv'));
      expect(error).toMatchObject({
        code: 'MISSING_COLUMNS',
        message: expect.stringContaining('assetId, asset.symbol, assetRaw.symbol'),
      });
    },
  );

  test('"ledgers rollforward" rejects a file with values but without a currency of the legs or prices', async () => {
    const columns = 'id,transactionId,type,quantity,timestamp,walletId,assetId,asset.symbol,assetRaw.symbol';
    const ended = async (name: string, more: string) => {
      await exported(name, '--columns', `${columns}${more}`);
      return resultOf('ledgers', 'rollforward', '--file', out(name));
    };
    const { error, stderr } = await ended('bare.csv', '');
    expect(error).toBeUndefined();
    expect(stderr).toContain(
      'The file lacks the columns beforeBalance, afterBalance, price.price, value, costbasis, proceeds, profit. These figures are therefore unknown, even if the service has them.',
    );
    for (const [name, more, missing] of [
      ['value.csv', ',value', 'baseCurrency, price.baseCurrency'],
      ['price.csv', ',baseCurrency,price.price', 'price.baseCurrency'],
    ] as const) {
      expect((await ended(name, more)).error).toMatchObject({
        ...{ code: 'MISSING_COLUMNS', message: expect.stringContaining(`has no column ${missing}`) },
      });
    }
  });

  test.each([
    ['missing-price', 'price.source'],
    ['unmatched-transfer', 'label,fromAccount.provider,toAccount.provider'],
  ])('%s is not possible if the file has only %s of the fields that it needs', async (check, more) => {
    const columns = 'id,transactionId,type,quantity,timestamp,walletId,assetId,asset.symbol,assetRaw.symbol';
    await exported(`${check}.jsonl`, '--columns', `${columns},${more}`);
    const { result } = await resultOf('audit', '--check', check, '--file', out(`${check}.jsonl`));
    expect(result.checks).toMatchObject([{ check, status: 'not-possible', findings: 0 }]);
  });

  test('a check is marked as not possible if the file lacks a column that the check needs', async () => {
    const columns = 'id,transactionId,type,quantity,timestamp,walletId,assetId,assetRaw.symbol,asset.symbol';
    await exported('few.csv', '--columns', columns);
    const { result } = await resultOf('audit', '--file', out('few.csv'));
    const limited = result.checks.filter(({ why }: { why: string | null }) => why?.includes('no column'));
    expect(limited.length).toBeGreaterThan(6);
    for (const check of limited) expect(check).toMatchObject({ status: 'not-possible', findings: 0 });
    const names = limited.map(({ check }: { check: string }) => check);
    expect(names).toContain('unknown-balance');
    expect(names).toContain('unmatched-transfer');
  });

  test('no check of a period without legs has the status "passed"', async () => {
    await exported('none.csv', '--period', '1999');
    for (const args of [['none.csv'], ['all.jsonl', '--period', '1999']]) {
      const [name = '', ...period] = args;
      const { stderr, stdout } = await endHere(
        ['audit', '--file', out(name), ...period, '--json'],
        sandbox.env,
      );
      const { checks, findings, legs } = JSON.parse(stdout);
      expect({ findings, legs }).toEqual({ findings: [], legs: 0 });
      expect(checks.map(({ status }: JsonRecord) => status)).not.toContain('passed');
      expect(stderr).toContain('There are no legs in the period.');
    }
  });

  test.each(['rollforward', 'disposals'])(
    'an empty list is returned for a period without legs: ledgers %s',
    async (verb) => {
      const { result } = await resultOf('ledgers', verb, '--file', out('all.jsonl'), '--period', '1999');
      expect(result).toEqual([]);
    },
  );

  test('rejects a manifest whose period is not in milliseconds, instead of treating the file as the whole books', async () => {
    await exported('period.jsonl', '--period', '2025-Q1');
    const path = out('period.jsonl.manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    const { from } = manifest.request.span;
    manifest.request.span.from = new Date(from).toISOString();
    await writeFile(path, JSON.stringify(manifest));
    const { error } = await resultOf('balances', '--file', out('period.jsonl'));
    expect(error).toMatchObject({ code: 'BAD_MANIFEST' });
  });
});

describe('a file without the legs from before its period', () => {
  const span = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) - 1 };
  const inFile = async (...args: string[]) => {
    const file = await writeBooks(
      out('period.jsonl'),
      [leg('1', { beforeBalance: '3', afterBalance: '5' })],
      span,
    );
    return endHere([...args, '--file', file], sandbox.env);
  };

  test.each([
    ['ledgers rollforward', { opening: null, closing: null, difference: null, tiesOut: null, in: '2' }],
    ['balances', { balance: null, known: '5', wallets: 1, unknownWallets: null }],
  ])('"%s --by asset" shows known balances only if --wallet selects all wallets', async (line, unknown) => {
    const command = line.split(' ');
    const all = await inFile(...command, '--by', 'asset', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject([unknown]);
    const one = await inFile(...command, '--by', 'asset', '--wallet', 'WAL', '--json');
    expect(one.stdout).not.toMatch(/"(opening|closing|difference|balance|unknownWallets)": ?null/);
    expect((await inFile(...command)).stdout).toContain('5');
  });

  test('"audit" marks the check of carried balances as partial for any --wallet and --asset', async () => {
    const checks = ['--check', 'negative-balance,unknown-balance,imitated-asset'];
    const statuses = async (...args: string[]) => {
      const { stdout } = await inFile('audit', ...checks, ...args, '--json');
      return JSON.parse(stdout).checks.map(({ status }: JsonRecord) => status);
    };
    const partly = ['partial', 'partial', 'partial'];
    expect(await statuses()).toEqual(partly);
    expect(await statuses('--wallet', 'wal')).toEqual(partly);
    expect(await statuses('--asset', 'ast')).toEqual(partly);
    // The balance before the period of the file may differ from the balance before its first leg.
    expect(await statuses('--wallet', 'wal', '--asset', 'BTC')).toEqual(partly);
    expect(await statuses('--wallet', 'WAL', '--asset', 'ast')).toEqual(partly);
  });

  test('the chart of an asset shows no balance if the file lacks earlier legs', async () => {
    const { stdout } = await inFile('ledgers', 'rollforward', '--by', 'asset', '--chart');
    expect(stdout).toMatch(/opening unknown *closing unknown/);
    expect(stdout).not.toContain('lowest');
  });

  test('the report shows the balances of assets as unknown if the file lacks earlier legs', async () => {
    const { stderr } = await inFile('audit', '--report', out('period.html'), '--overwrite');
    expect(stderr).toContain('Report: ');
    const page = await readFile(out('period.html'), 'utf8');
    expect(page).toMatch(/<th scope="row">BTC<\/th><td class="figure"[^>]*>unknown<\/td>/);
    expect(page).toContain('0 of 1 asset adds up, 1 cannot be checked');
  });
});

describe('a disposal that names another wallet', () => {
  const sold = (to: string, more: JsonRecord = {}) =>
    leg('1', { type: 'outgoing', profit: '1', toAccount: { walletId: to }, ...more });
  const WARNING =
    'Transfers to own wallets may be counted as disposals: 1 leg refers to a wallet without known legs, and the file or mirror does not contain the accounts.';
  const whole = {};
  const year = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) - 1 };
  const other = leg('2', { walletId: 'own' });

  test.each([
    ['warn if the file has all books', whole, [sold('elsewhere')], true],
    ['warn if the file has one year', year, [sold('elsewhere')], true],
    ['do not warn if the wallet has legs in the file', whole, [sold('own'), other], false],
    ['do not warn if the wallet has legs in a file with one year', year, [sold('own'), other], false],
    ['do not warn about a disposal of money', whole, [sold('x', { asset: { type: 'fiat' } })], false],
    ['do not warn if no leg names another wallet', whole, [sold('wal')], false],
  ])('the list and the report %s', async (_, span, legs, isOpen) => {
    const file = await writeBooks(out('named.jsonl'), legs, span);
    const { stderr } = await endHere(['ledgers', 'disposals', '--file', file], sandbox.env);
    await endHere(['audit', '--file', file, '--report', out('named.html'), '--overwrite'], sandbox.env);
    const page = await readFile(out('named.html'), 'utf8');
    for (const text of [stderr, page]) expect(text.includes(WARNING)).toBe(isOpen);
    expect(page.includes('The file has no legs from before the exported period.')).toBe(span === year);
  });

  test.each([
    ['the service', ['200'], undefined],
    ['the service, which refuses the accounts', ['403'], 'the accounts could not be read'],
    ['a mirror', ['200', '--tables', 'integrations'], undefined],
    [
      'a mirror without accounts',
      ['200', '--tables', 'none'],
      'the file or mirror does not contain the accounts',
    ],
  ])(
    'warns about a foreign wallet only if the accounts are unknown: from %s',
    async (_, [status, ...tables], why) => {
      const data = { ledgers: [sold('elsewhere')], integrations: [{ walletId: 'wal', provider: 'p' }] };
      const own = await createSandbox({ data });
      if (status === '403') await control(own, 'faults', { path: '/v1/integrations', status: 403 });
      const mirror = out(`mirror-${tables.at(-1)}`);
      if (tables.length > 0) await runHere(['mirror', mirror, ...tables], own.env);
      const source = tables.length > 0 ? ['--mirror', mirror] : [];
      const { stderr } = await endHere(['ledgers', 'disposals', ...source], own.env).finally(() =>
        own.close(),
      );
      expect(stderr).toContain('1 disposal in EUR');
      expect(stderr.includes('Transfers to own wallets may')).toBe(why !== undefined);
      expect(stderr).toContain(why ?? '');
    },
  );
});

describe('legs', () => {
  test('--dust cannot be used if the legs have different base currencies', async () => {
    const euros = leg('1', { profit: '1' });
    const yen = leg('2', { profit: '1', baseCurrency: 'JPY', timestamp: Date.UTC(2025, 0, 3) });
    const args = ['--check', 'profit', '--dust', '10'];
    const one = await books('one-currency.jsonl', [euros]);
    expect((await resultOf('audit', '--file', one, ...args)).result).toMatchObject({
      findings: [],
      setAside: [{ ledgerId: '1' }],
    });
    const two = await books('two-currencies.jsonl', [euros, yen]);
    expect((await resultOf('audit', '--file', two, ...args)).error).toMatchObject({
      code: 'MIXED_CURRENCIES',
      message: 'Cannot apply --dust to values in EUR and JPY',
    });
    expect((await resultOf('audit', '--file', two, '--check', 'profit')).result.findings).toHaveLength(2);
  });

  test('--dust cannot be used if the base currency of the legs is unknown', async () => {
    const file = await books('no-currency.jsonl', [leg('1', { profit: '1', baseCurrency: null })]);
    expect(
      (await resultOf('audit', '--file', file, '--check', 'profit', '--dust', '10')).error,
    ).toMatchObject({
      code: 'MIXED_CURRENCIES',
      message: 'Cannot apply --dust to values in an unknown currency',
    });
  });

  test('a roll-forward of legs in different base currencies has null for value, cost basis, proceeds and profit', async () => {
    const second = leg('2', { baseCurrency: 'JPY', timestamp: Date.UTC(2025, 0, 3) });
    const file = await books('mixed.jsonl', [leg('1'), second]);
    for (const by of ['wallet', 'asset']) {
      const { result } = await resultOf('ledgers', 'rollforward', '--file', file, '--by', by);
      expect(result).toMatchObject([{ in: '4', value: null, costbasis: null, proceeds: null, profit: null }]);
    }
  });

  test('a roll-forward counts values in an unknown currency as unknown', async () => {
    const second = leg('2', { baseCurrency: null, timestamp: Date.UTC(2025, 0, 3) });
    const [one, both] = [
      await books('euros.jsonl', [leg('1')]),
      await books('half.jsonl', [leg('1'), second]),
    ];
    for (const by of ['wallet', 'asset']) {
      const rollForward = async (file: string) =>
        (await resultOf('ledgers', 'rollforward', '--file', file, '--by', by)).result[0];
      const { value, costbasis, proceeds, profit } = await rollForward(one);
      expect(value).not.toBeNull();
      expect(await rollForward(both)).toMatchObject({
        ...{ in: '4', baseCurrency: 'EUR', value, costbasis, proceeds, profit },
        ...{ valueUnknown: 1, costbasisUnknown: 1, proceedsUnknown: 1, profitUnknown: 1 },
      });
    }
  });

  test.each([
    ['JPY', /1 disposal in JPY: proceeds 7,/],
    [null, /1 disposal in an unknown currency: proceeds unknown,/],
  ])('proceeds in different base currencies are not added up: EUR and %s', async (baseCurrency, note) => {
    const later = { baseCurrency, timestamp: Date.UTC(2025, 0, 3) };
    const outgoing = { type: 'outgoing', proceeds: '7' };
    const legs = [leg('1', outgoing), leg('2', { ...outgoing, ...later })];
    const file = await books('disposals.jsonl', legs);
    const { stderr } = await runHere(['ledgers', 'disposals', '--file', file], sandbox.env);
    expect(stderr).not.toContain('14');
    expect(stderr).toMatch(/1 disposal in EUR: proceeds 7,/);
    expect(stderr).toMatch(note);
  });

  test.each([
    ['5', '0', 'profit of 12 (1 leg without a profit) in EUR for all legs: disposals 7, transfers 5,'],
    ['5', '-5', 'profit of 7 (1 leg without a profit) in EUR for all legs: disposals 7, transfers 0,'],
    ['0', '0', undefined],
  ])(
    'the profit of the disposals is reconciled with the profit of all legs, if transfers have the profits %s and %s',
    async (one, other, expected) => {
      const sold = { type: 'outgoing', profit: '7' };
      const moved = { ...sold, toAccount: { walletId: 'own' } };
      const file = await books('kinds.jsonl', [
        leg('1', sold),
        leg('2', { ...moved, profit: one }),
        leg('3', { ...moved, profit: other }),
        leg('4', { walletId: 'own', profit: null }),
      ]);
      for (const include of [[], ['--include', 'transfer']]) {
        const { stderr } = await runHere(['ledgers', 'disposals', '--file', file, ...include], sandbox.env);
        const incoming = 'incoming legs unknown (1 leg without a profit).';
        if (expected) expect(stderr).toContain(`The service reports a ${expected} ${incoming}`);
        else expect(stderr).not.toContain('The service reports');
      }
      await runHere(['audit', '--file', file, '--report', out('kinds.html'), '--overwrite'], sandbox.env);
      const page = await readFile(out('kinds.html'), 'utf8');
      const counts = /<th scope="row">Transfers between own wallets<.th><td[^>]*>[^<]*<.td><td[^>]*>2</;
      expect(counts.test(page)).toBe(expected !== undefined);
    },
  );

  test('legs that have neither an asset nor a symbol are not added up', async () => {
    const nameless = { assetId: null, asset: null, assetRaw: null, price: null };
    const file = await books('nameless.jsonl', [
      leg('1', nameless),
      leg('2', { ...nameless, timestamp: Date.UTC(2025, 0, 3) }),
    ]);
    const { result } = await resultOf('audit', '--file', file, '--check', 'missing-asset,unknown-balance');
    expect(result.findings).toMatchObject([
      { check: 'unknown-balance', legs: 2, amount: null },
      { check: 'missing-asset', legs: 2, amount: null },
    ]);
  });
});

test('"audit" reports a leg that is listed twice in an unverified file', async () => {
  const file = await books('twice.jsonl', [leg('1'), leg('1')]);
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, 'utf8'));
  await writeFile(`${file}.manifest.json`, JSON.stringify({ ...manifest, verified: false }));
  const { result, error } = await resultOf('audit', '--file', file, '--check', 'duplicate');
  expect(result.findings).toMatchObject([{ severity: 'error', message: 'Leg 1 is listed more than once.' }]);
  expect(error).toMatchObject({ kind: 'unverified' });
});

test.each([
  ['negative-balanc', 'Did you mean negative-balance?'],
  ['profits', 'Did you mean profit?'],
  ['profit,nonsense', 'The value must be one of'],
])('"audit" rejects --check %s', async (names, hint) => {
  const { error } = await endHere(['audit', '--check', names, '--file', out('all.jsonl')], sandbox.env);
  expect(error).toMatchObject({ hint: expect.stringContaining(hint) });
});
