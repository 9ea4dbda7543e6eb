// Tests the tables of `audit`: one line for each check, then the most important findings.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { mostImportant, overview } from '../../src/app/audit/overview.ts';
import { SEVERITIES } from '../../src/books/audit/check.ts';
import { CHECK_NAMES } from '../../src/books/audit/checks/index.ts';
import type { CheckResult, Finding } from '../../src/books/audit/findings.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { runHere } from '../commands/in-process.ts';

const PARTS = {
  place: 'open',
  ...{ walletId: 'w', assetId: null, symbol: null, ledgerId: null, transactionId: null },
  ...{ timestamp: null, legs: 1, expected: null, actual: null, amount: null, causes: [] },
  ...{ pricedAt: null, message: 'm', next: 'n' },
} as const;
const findingLists = fc
  .array(
    fc.record({
      check: fc.constantFrom(...CHECK_NAMES),
      severity: fc.constantFrom(...SEVERITIES),
      value: fc.constantFrom(null, '0.01', '2', '10', '9'),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map((given, at): Finding => {
      const baseCurrency = given.value === null ? null : 'EUR';
      return { ...PARTS, ...given, baseCurrency, id: `f${at}` };
    }),
  );

describe('the most important findings', () => {
  test('the most severe findings are listed first, and findings of the same severity keep their order', () => {
    fc.assert(
      fc.property(findingLists, fc.integer({ min: 1, max: 25 }), (findings, most) => {
        const shown = mostImportant(findings, most);
        expect(shown).toHaveLength(Math.min(most, findings.length));
        const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
        const inOrder = findings.filter((one) => shown.includes(one));
        expect(inOrder.sort((left, right) => rank(left) - rank(right))).toEqual(shown);
        const left = findings.filter((one) => !shown.includes(one));
        for (const hidden of left) expect(rank(hidden)).toBeGreaterThanOrEqual(Math.max(...shown.map(rank)));
      }),
    );
  });

  test('a shortened list keeps the error with the largest value of each check', () => {
    fc.assert(
      fc.property(findingLists, (findings) => {
        const errors = findings.filter(({ severity }) => severity === 'error');
        const checks = new Set(errors.map(({ check }) => check));
        const shown = mostImportant(errors, Math.max(checks.size, 1));
        expect(new Set(shown.map(({ check }) => check))).toEqual(checks);
        for (const { check, value } of shown) {
          const values = errors.filter((one) => one.check === check).map((one) => Number(one.value ?? -1));
          expect(Number(value ?? -1)).toBe(Math.max(...values));
        }
      }),
    );
  });

  test('values of different currencies are not compared', () => {
    const [eur, jpy] = [
      { value: '5', baseCurrency: 'EUR' },
      { value: '900', baseCurrency: 'JPY' },
    ];
    const list = [eur, jpy].map(
      (one, at): Finding => ({ ...PARTS, ...one, id: `${at}`, check: 'profit', severity: 'error' }),
    );
    expect(mostImportant(list, 1)).toEqual([list[0]]);
  });
});

describe('the table of "audit"', async () => {
  const sandbox = await createSandbox({ rows: 500 });
  afterAll(() => sandbox.close());
  const table = async (...args: string[]) =>
    (await runHere(['audit', '-o', 'table', ...args], sandbox.env)).stdout;
  const result = async (...args: string[]) =>
    JSON.parse((await runHere(['audit', '-o', 'json', ...args], sandbox.env)).stdout);

  test('the table of "audit" has one line for each check, with its severity or status, its open findings and advice', async () => {
    const { checks }: { checks: CheckResult[] } = await result();
    const text = await table();
    for (const { check, severity, status, counts, why } of checks) {
      const lines = text
        .split('\n')
        .filter((line) => line.split(/\s+/)[1] === check && !line.includes(`${check}-`));
      expect(lines).toHaveLength(1);
      expect(lines[0]?.split(/\s+/)[0]).toBe(severity ?? status);
      if (counts.open > 0) expect(lines[0]).toContain(` ${counts.open} `);
      if (why !== null) expect(lines[0]).toContain(why);
    }
  });

  test('lists 20 findings by default, all findings with --all, and all findings of a check with --check', async () => {
    const { findings }: { findings: Finding[] } = await result();
    const listed = (text: string) => findings.filter(({ id }) => text.includes(id)).length;
    const text = await table();
    expect(findings.length).toBeGreaterThan(20);
    expect(listed(text)).toBe(20);
    expect(text).toContain(`\nThe 20 most important of ${findings.length} open findings\n`);
    expect(text).toContain('\nTo see the others, use --all, --check NAME or -o csv.\n');
    const all = await table('--all');
    expect(listed(all)).toBe(findings.length);
    expect(all).not.toContain('To see the others');
    const [check] = [...new Set(findings.map((one) => one.check))].filter(
      (name) => findings.filter((one) => one.check === name).length > 20,
    );
    const ofCheck = findings.filter((one) => one.check === check);
    expect(listed(await table('--check', `${check}`))).toBe(ofCheck.length);
  });

  test('sums the values at stake of all open findings, for each currency', async () => {
    const { checks, findings }: { checks: CheckResult[]; findings: Finding[] } = await result();
    for (const { check, atStake, wallets, assets } of checks) {
      const open = findings.filter((one) => one.check === check);
      const largest = new Map<string, number>();
      for (const { id, check, walletId, assetId, value } of open) {
        const key = check === 'negative-balance' ? `${walletId} ${assetId}` : id;
        largest.set(key, Math.max(largest.get(key) ?? 0, Number(value ?? 0)));
      }
      const sum = [...largest.values()].reduce((total, value) => total + value, 0);
      expect(atStake.reduce((total, { value }) => total + Number(value), 0)).toBeCloseTo(sum, 6);
      expect(wallets).toBe(new Set(open.flatMap(({ walletId }) => walletId ?? [])).size);
      if (check !== 'imitated-asset')
        expect(assets).toBe(new Set(open.flatMap(({ assetId, symbol }) => assetId ?? symbol ?? [])).size);
    }
    expect(checks.some(({ atStake }) => atStake.length > 0)).toBe(true);
  });

  test('counts all open findings, including findings that are not listed', () => {
    const result: CheckResult = {
      ...{ check: 'profit', status: 'failed', findings: 12_000, severity: 'error', atStake: [] },
      ...{ why: null, limits: [] },
      ...{ counts: { open: 12_000, accepted: 0, spam: 0, dust: 0 }, wallets: 1, assets: 1 },
    };
    const findings = Array.from({ length: 30 }, (_, at): Finding => {
      const money = { value: null, baseCurrency: null };
      return { ...PARTS, ...money, check: 'profit', severity: 'error', id: `f${at}` };
    });
    const titleOf = (all: boolean) =>
      overview([result], findings, { named: (one) => one, all, timeZone: 'UTC' })[1]?.title;
    expect(titleOf(false)).toBe('The 20 most important of 12,000 open findings');
    expect(titleOf(true)).toBe('30 of 12,000 open findings');
  });

  test('rounds the values at stake to the minor unit of the currency, and shows the date of an old price', () => {
    const result: CheckResult = {
      ...{ check: 'profit', status: 'failed', findings: 1, severity: 'error' },
      ...{ why: null, limits: [] },
      ...{ counts: { open: 1, accepted: 0, spam: 0, dust: 0 }, wallets: 1, assets: 1 },
      atStake: [
        { value: '1.2345', baseCurrency: 'EUR' },
        { value: '100', baseCurrency: 'JPY' },
        { value: '1.23456', baseCurrency: 'KWD', oldestPriceAt: Date.UTC(2021, 2, 4) },
      ],
    };
    const [checks] = overview([result], [], { named: (one) => one, all: false, timeZone: 'UTC' });
    expect(checks?.rows[0]).toMatchObject({
      atStake: '1.23 EUR, 100 JPY, 1.235 KWD (oldest price: 2021-03-04)',
    });
  });
});

test('if the service refuses a list, only the results that depend on this list are missing', async () => {
  const refusing = await createSandbox({ rows: 300, faults: ['403:/v1/providers:rate=1'] });
  try {
    const { stdout } = await runHere(['audit', '--json'], refusing.env);
    const result: CheckResult | undefined = JSON.parse(stdout).checks.find(
      ({ check }: CheckResult) => check === 'failing-source',
    );
    expect(result?.status).toBe('failed');
    expect(result?.counts.open).toBeGreaterThan(0);
    expect(result?.why).toMatch(
      /^The health of the providers is unknown\. The service did not answer the request: .*403/,
    );
  } finally {
    await refusing.close();
  }
});

test('the report lists the checks of accounts that did not run, and says that accounts may be incomplete', async () => {
  const own = await createSandbox({ rows: 100 });
  const directory = await mkdtemp(join(tmpdir(), 'cryptodata-overview-'));
  try {
    const page = async (name: string, ...args: string[]) => {
      await runHere(['audit', '--report', join(directory, name), ...args], own.env);
      return readFile(join(directory, name), 'utf8');
    };
    const unknown = 'It is not known whether accounts are incomplete, because these checks did not run: ';
    const [failing, stale] = [
      '&quot;Accounts with problems&quot;',
      '&quot;Accounts that have not synced&quot;',
    ];
    const all = await page('all.html');
    expect(all).not.toContain(unknown);
    expect(all).toMatch(
      /Not checked\.<\/strong>.*? An overdue sync can be found only after the end of the period\./,
    );
    expect(await page('part.html', '--check', 'profit')).toContain(`${unknown}${failing}, ${stale}.`);
    expect(await page('one.html', '--check', 'stale-source')).toContain(`${unknown}${failing}.`);
    await runHere(['ledgers', 'export', '--out', join(directory, 'all.jsonl')], own.env);
    expect(await page('file.html', '--file', join(directory, 'all.jsonl'))).toContain(
      `${unknown}${failing}, ${stale}.`,
    );
  } finally {
    await own.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('a command prints a note with the chosen period, wallets and assets', async () => {
  const own = await createSandbox({ rows: 100 });
  try {
    const [{ walletId, assetId }] = JSON.parse(
      (await runHere(['ledgers', '--limit', '1', '--json'], own.env)).stdout,
    );
    for (const command of [['audit'], ['ledgers', 'rollforward'], ['ledgers', 'disposals'], ['balances']]) {
      const names = ['--wallet', walletId, '--asset', assetId];
      const { stderr } = await runHere([...command, ...names, '--json'], own.env);
      expect(stderr).toContain(`"Wallets: ${walletId}. Assets: ${assetId}"`);
      const period = command[0] === 'balances' ? ['--as-of', '2025-12-31'] : ['--period', '2025'];
      expect((await runHere([...command, ...names, ...period, '--json'], own.env)).stderr).toMatch(
        /"Period: .*\(UTC\)\. Wallets: /,
      );
    }
  } finally {
    await own.close();
  }
});
