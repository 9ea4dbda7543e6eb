import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { JOURNAL_FORMATS } from '../../src/app/journal.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { run, temporary } from '../e2e/harness.ts';
import { endHere, runHere } from './in-process.ts';

type Row = Readonly<Record<string, unknown>>;

const sandbox = await createSandbox({ rows: 1200 });
/** Fewer books, for tests that need no particular legs. */
const small = await createSandbox({ rows: 100 });
afterAll(() => Promise.all([sandbox.close(), small.close()]));
const directory = temporary();
const at = (...names: string[]) => join(directory, ...names);
const PERIOD = ['--period', '2025-Q3', '--tz', 'Europe/Berlin'];
const FILES = [
  ...[
    'README.txt',
    'SHA256SUMS',
    'balances.csv',
    'checks.csv',
    'close.json',
    'disposals.csv',
    'findings.csv',
    'journal.hledger',
  ],
  ...['ledgers.csv', 'ledgers.csv.manifest.json', 'ledgers.xlsx', 'report.html', 'rollforward.csv'],
];

const close = (...args: string[]) => endHere(['close', ...args], sandbox.env);

async function csv(...args: string[]): Promise<string> {
  return (await runHere([...args, ...PERIOD, '-o', 'csv'], sandbox.env)).stdout;
}

beforeAll(async () => {
  const { error } = await close(...PERIOD, '--out', at('filed'), '--json');
  expect(error).toBeUndefined();
});

/** A copy of the pack that a test may change. */
function copyOf(name: string): string {
  cpSync(at('filed'), at(name), { recursive: true });
  return at(name);
}

describe('close', () => {
  test('"close" writes every file of the pack, and sha256sum accepts the checksums', () => {
    expect(readdirSync(at('filed')).sort()).toEqual(FILES);
    expect(readdirSync(directory)).toContain('filed');
    expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);
    const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: at('filed'), encoding: 'utf8' });
    const names = FILES.filter((name) => name !== 'SHA256SUMS');
    expect(checked.trim().split('\n').sort()).toEqual(names.map((name) => `${name}: OK`).sort());
  });

  test('"close" describes each file in README.txt, and says that no leg is missing according to the service', () => {
    const readme = readFileSync(at('filed', 'README.txt'), 'utf8');
    // The pack contains no legs from before the period, so README.txt does not promise to list changes to such legs.
    expect(readme).toContain(
      'to list later changes to the legs of the period and to balances in the service:',
    );
    for (const name of FILES) if (name !== 'README.txt') expect(readme).toContain(`\n${name} `);
    expect(readme).toContain('2025-07-01 00:00 to 2025-09-30 23:59:59.999 (Europe/Berlin)');
    expect(readme).toContain(
      "According to the service's totals, no leg is missing: the number of legs matched",
    );
    expect(readme).toMatch(/^Findings {3}[\d,]+ open findings\.( |$)/m);
    expect(readme).toContain(
      'Problems with accounts. Transactions of these accounts may never have reached the service:\n- ',
    );
    expect(readme).toContain('Checks that could not run:\n- high-pnl: ');
    expect(readme).not.toMatch(/\bcomplete\b/i);
    // The table of the checks shows rounded amounts.
    expect(readme).toContain('amounts with every digit that the service sent');
    expect(readme).not.toContain('NOT VERIFIED');
  });

  test('"close" writes the workspace and the user to README.txt and close.json', async () => {
    const { workspaceId, workspaceName, userinfo } = JSON.parse(
      (await runHere(['whoami', '--json'], sandbox.env)).stdout,
    );
    const readme = readFileSync(at('filed', 'README.txt'), 'utf8');
    expect(readme).toContain(`Workspace  ${workspaceName} (${workspaceId})\n`);
    expect(readme).toContain(`Made by    ${userinfo.name} <${userinfo.email}>, 20`);
    expect(readme).toContain('Profile    none: the credentials are from the environment\n');
    const description = JSON.parse(readFileSync(at('filed', 'close.json'), 'utf8'));
    const madeBy = `${userinfo.name} <${userinfo.email}>`;
    expect(description).toMatchObject({ workspaceName, workspace: workspaceId, profile: null, madeBy });
  });

  test('for a period of a fiscal year, "close" writes the start of the year to README.txt, close.json and the report', async () => {
    const written = async (name: string, ...period: string[]) => {
      const fiscal = ['--fiscal-year-start', '04-06'];
      const args = [...period, ...(name === 'fiscal' ? fiscal : []), '--tz', 'UTC', '--out', at(name)];
      expect((await endHere(['close', ...args], small.env)).error).toBeUndefined();
      const [readme = '', json = '', report = ''] = ['README.txt', 'close.json', 'report.html'].map((file) =>
        readFileSync(at(name, file), 'utf8'),
      );
      return { readme, json: JSON.parse(json), report };
    };
    const fiscal = await written('fiscal', '--period', '2025-Q3');
    expect(fiscal.readme).toContain('2025-10-06 00:00 to 2026-01-05 23:59:59.999 (UTC)');
    expect(fiscal.readme).toContain('Year       The fiscal year starts on 04-06 (month-day)\n');
    expect(fiscal.json.fiscalYearStart).toBe('04-06');
    expect(fiscal.report).toContain('<dt>Fiscal year</dt><dd>starts on 04-06 (month-day)</dd>');
    const calendar = await written('calendar', '--period', '2025-07');
    expect(calendar.readme).not.toContain('fiscal year starts');
    expect(calendar.json.fiscalYearStart).toBeNull();
    expect(calendar.report).not.toContain('Fiscal year');
  });

  test('the command that "close" suggests has the flags that select the service, the workspace and the zone', async () => {
    const key = { ...small.env, CRYPTODATA_API_KEY: small.apiKey, CRYPTODATA_ACCESS_TOKEN: '' };
    const flags = ['--tz', 'Europe/Berlin', '--workspace', small.workspaceId];
    const args = ['--period', '2025-Q3', ...flags, '--out', at('suggested')];
    const { stderr } = await endHere(['close', ...args], key);
    expect(stderr).toContain(
      `To check the pack later: cryptodata close verify ${at('suggested')} ${flags.join(' ')}\n`,
    );
    expect((await endHere(['close', 'verify', at('suggested'), ...flags], key)).error).toBeUndefined();
  });

  test('"close" writes a pack without knowing the user name', async () => {
    const { CRYPTODATA_AUTH_URL: _, ...env } = small.env;
    const { error } = await endHere(['close', ...PERIOD, '--out', at('nobody')], env);
    expect(error).toBeUndefined();
    expect(readFileSync(at('nobody', 'README.txt'), 'utf8')).toContain('Made by    not known, 20');
  });

  test('"close" writes the same files as the individual commands', async () => {
    const file = (name: string) => readFileSync(at('filed', name), 'utf8');
    expect(file('rollforward.csv')).toBe(await csv('ledgers', 'rollforward'));
    expect(file('disposals.csv')).toBe(await csv('ledgers', 'disposals'));
    expect(file('findings.csv')).toBe(await csv('audit'));
    const balances = ['balances', '--as-of', '2025-09-30', '--tz', 'Europe/Berlin', '-o', 'csv'];
    expect(file('balances.csv')).toBe((await runHere(balances, sandbox.env)).stdout);
    await runHere(['ledgers', 'export', ...PERIOD, '--out', at('same.csv')], sandbox.env);
    expect(file('ledgers.csv')).toBe(readFileSync(at('same.csv'), 'utf8'));
    const journal = ['ledgers', 'export', ...PERIOD, '--format', 'hledger', '--out', '-'];
    expect(file('journal.hledger')).toBe((await runHere(journal, sandbox.env)).stdout);
    await runHere(['ledgers', 'verify', at('filed', 'ledgers.csv'), '--deep'], sandbox.env);
  });

  test('"close --opening" writes the same journal as "ledgers export --opening"', async () => {
    await runHere(['close', ...PERIOD, '--opening', '--out', at('opening')], sandbox.env);
    const journal = ['ledgers', 'export', ...PERIOD, '--opening', '--format', 'hledger', '--out', '-'];
    const { stdout } = await runHere(journal, sandbox.env);
    expect(stdout).toContain('2025-07-01 * (opening) Opening balances\n');
    expect(readFileSync(at('opening', 'journal.hledger'), 'utf8')).toBe(stdout);
  });

  test('"close" writes plain-text journals, and suggests the command for any other journal', async () => {
    for (const format of JOURNAL_FORMATS) {
      const args = ['close', ...PERIOD, '--journal', format, '--out', at(`in-${format}`)];
      const { error } = await endHere(args, small.env);
      if (['hledger', 'ledger', 'beancount'].includes(format)) {
        expect(error).toBeUndefined();
        expect(readdirSync(at(`in-${format}`))).toContain(`journal.${format}`);
        continue;
      }
      const hint = `cryptodata ledgers export --format ${format} --period 2025-Q3 --tz Europe/Berlin --out ${format}`;
      expect(error).toMatchObject({ code: 'NOT_FOR_PACKS', hint: expect.stringContaining(hint) });
    }
    const { error } = await close(...PERIOD, '--journal', 'xeroo', '--out', at('in-none'));
    expect(error).toMatchObject({ kind: 'usage' });
  });

  test('"close" writes accepted findings and their reasons to accepted.csv instead of findings.csv', async () => {
    const [, line = ''] = readFileSync(at('filed', 'findings.csv'), 'utf8').split('\n');
    const [id = ''] = line.split(',');
    writeFileSync(at('accepted.txt'), `${id} agreed with the client\n`);
    const { stdout } = await close(
      ...PERIOD,
      '--out',
      at('accepted'),
      '--ignore',
      at('accepted.txt'),
      '--json',
    );
    expect(readFileSync(at('accepted', 'accepted.csv'), 'utf8')).toContain(`agreed with the client,${id}`);
    expect(readFileSync(at('accepted', 'findings.csv'), 'utf8')).not.toContain(id);
    const before = JSON.parse(readFileSync(at('filed', 'close.json'), 'utf8'));
    const result = JSON.parse(stdout);
    expect(result.findings).toBe(before.findings - 1);
    const after = JSON.parse(readFileSync(at('accepted', 'close.json'), 'utf8'));
    expect(after.findingsStatement).toContain('1 finding was accepted with --ignore.');
    expect(result.findingsStatement).toBe(after.findingsStatement);
    expect(readFileSync(at('accepted', 'README.txt'), 'utf8')).toContain(
      `Findings   ${after.findingsStatement}\n`,
    );
    expect(
      after.checks.find(({ check }: { check: string }) => id.startsWith(`${check}-`)).counts.accepted,
    ).toBe(1);
  });

  test('"close" writes findings that were set aside to set-aside.csv, and their number to README.txt', async () => {
    const { error, stdout } = await close(...PERIOD, '--out', at('dust'), '--dust', '1000000000', '--json');
    expect(error).toBeUndefined();
    const { findingsStatement } = JSON.parse(stdout);
    expect(findingsStatement).toMatch(
      /\d+ findings were set aside \(\d+ below --dust\), and listed in set-aside\.csv/,
    );
    expect(readFileSync(at('dust', 'README.txt'), 'utf8')).toContain(`Findings   ${findingsStatement}\n`);
    expect(readFileSync(at('dust', 'set-aside.csv'), 'utf8')).toMatch(/\ndust,/);
    const { checks, findings } = JSON.parse(readFileSync(at('dust', 'close.json'), 'utf8'));
    const open = checks.reduce(
      (sum: number, { counts }: { counts: { open: number } }) => sum + counts.open,
      0,
    );
    expect(findings).toBe(open);
    expect(checks.map(({ status }: { status: string }) => status)).toContain('set-aside');
  });

  test('"close" replaces an existing pack only with --overwrite, and never replaces a folder that is not a pack', async () => {
    const again = await close(...PERIOD, '--out', at('filed'));
    expect(again.error).toMatchObject({ code: 'FILE_EXISTS', hint: expect.stringContaining('--overwrite') });
    mkdirSync(at('photos'));
    writeFileSync(at('photos', 'cat.jpg'), 'x');
    const other = await close(...PERIOD, '--out', at('photos'), '--overwrite');
    expect(other.error).toMatchObject({ code: 'NOT_A_PACK' });
    expect(readdirSync(at('photos'))).toEqual(['cat.jpg']);
    const old = copyOf('old');
    appendFileSync(join(old, 'notes.txt'), 'mine');
    expect((await close(...PERIOD, '--out', old, '--overwrite')).error).toBeUndefined();
    expect(readdirSync(old).sort()).toEqual(FILES);
  });

  test.each([
    ['a missing folder', PERIOD, 'NO_OUTPUT'],
    ['a missing period', ['--out', 'x'], 'NO_PERIOD'],
    [
      'an accounts template that does not exist',
      ['--out', 'x', ...PERIOD, '--accounts', 'none.toml'],
      'CANNOT_READ',
    ],
    ['a period without an end', ['--out', 'x', '--from', '2025-01-01'], 'NO_PERIOD'],
  ])('before any request, "close" rejects %s', async (_, args, code) => {
    const before = sandbox.truth.requests().length;
    expect((await close(...args)).error).toMatchObject({ code });
    expect(sandbox.truth.requests()).toHaveLength(before);
  });

  test('"close" marks the pack as unverified if a leg changes between two reads', async () => {
    const drifting = await createSandbox({
      rows: 1200,
      faults: ['drift:/v1/integrations:rows=delete:count=100:nth=2'],
    });
    try {
      const { error } = await endHere(['close', ...PERIOD, '--out', at('drift')], drifting.env);
      expect(error).toMatchObject({
        kind: 'unverified',
        message: expect.stringContaining('between two reads'),
      });
      expect(readFileSync(at('drift', 'README.txt'), 'utf8')).toContain('NOT VERIFIED');
      expect(JSON.parse(readFileSync(at('drift', 'close.json'), 'utf8'))).toMatchObject({ verified: false });
      const page = readFileSync(at('drift', 'report.html'), 'utf8');
      expect(page).toContain('changed between two reads');
      const verified = await endHere(['close', 'verify', at('drift'), '--offline'], drifting.env);
      expect(verified.error).toMatchObject({ message: expect.stringContaining('was not verified') });
    } finally {
      await drifting.close();
    }
  });

  test('"close" leaves no file behind if the service fails', async () => {
    const failureOf = async (env: NodeJS.ProcessEnv, name: string) =>
      (await endHere(['close', ...PERIOD, '--out', at(name)], env)).error;
    const whole = await createSandbox({ rows: 50 });
    expect(await failureOf(whole.env, 'whole')).toBeUndefined();
    // Later requests to /v1/ledgers look up syncs. If such a request fails, the pack is still written, but one check is missing.
    const legs = whole.truth.requests().filter(({ path }) => path === '/v1/ledgers');
    const last = legs.findLastIndex(({ query }) => query['sortBy'] === 'timestamp') + 1;
    await whole.close();
    expect(last).toBeGreaterThan(10);
    // In each round, one request for legs fails: the first, one in the middle, or the last.
    for (const nth of [1, Math.floor(last / 2), last]) {
      const broken = await createSandbox({ rows: 50, faults: [`403:/v1/ledgers:nth=${nth}`] });
      try {
        expect(await failureOf(broken.env, 'broken')).toMatchObject({ status: 403 });
        expect(readdirSync(directory).filter((name) => name.includes('broken'))).toEqual([]);
      } finally {
        await broken.close();
      }
    }
  });
});

describe('close verify', () => {
  const verify = (folder: string, ...args: string[]) => close('verify', folder, ...args);

  test('"close verify" accepts an unchanged pack, and uses the time zone of the pack, not --tz', async () => {
    const { stdout, error } = await verify(at('filed'), '--json', '--tz', 'Asia/Tokyo');
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ verified: true, files: 'same', legsChanged: 0, totalsChanged: 0, balancesChanged: 0, changes: [] },
      timeZone: 'Europe/Berlin',
    });
  });

  test('"close verify" uses the time zone of the pack on a machine in another time zone', async () => {
    const period = ['--period', '2025-Q3'];
    const machine = async (zone: string, ...args: string[]) => {
      const ended = await run([...args, '--json'], { env: { ...small.env, TZ: zone } });
      expect(ended.code, ended.stderr).toBe(0);
      return JSON.parse(ended.stdout);
    };
    const zone = 'Asia/Tokyo';
    const written = await machine(zone, 'close', ...period, '--out', at('tokyo'));
    expect(written).toMatchObject({ timeZone: zone, verified: true });
    expect(await machine('America/New_York', 'close', 'verify', at('tokyo'))).toMatchObject({
      ...{ timeZone: zone, verified: true, legsChanged: 0, totalsChanged: 0 },
      period: { from: Date.parse('2025-07-01T00:00:00+09:00') },
    });
  });

  test('"close verify --offline" lists changed, missing and added files, and sends no request', async () => {
    const folder = copyOf('edited');
    appendFileSync(join(folder, 'balances.csv'), '\n');
    rmSync(join(folder, 'checks.csv'));
    writeFileSync(join(folder, 'extra.txt'), 'x');
    const before = sandbox.truth.requests().length;
    const { stdout, error } = await verify(folder, '--offline', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ verified: false, files: 'changed', legsChanged: null });
    expect(JSON.parse(stdout).changedFiles.sort()).toEqual([
      'balances.csv was changed',
      'checks.csv is missing',
      'extra.txt was added',
    ]);
    expect(error).toMatchObject({ kind: 'unverified', code: 'FILES_CHANGED' });
    expect(sandbox.truth.requests()).toHaveLength(before);
  });

  test('"close verify" reports a file if its hashes in SHA256SUMS and in close.json contradict each other', async () => {
    const folder = copyOf('resummed');
    const sums = join(folder, 'SHA256SUMS');
    appendFileSync(join(folder, 'disposals.csv'), '\n');
    writeFileSync(join(folder, 'extra.txt'), 'x');
    rmSync(join(folder, 'checks.csv'));
    const kept = FILES.filter((name) => name !== 'SHA256SUMS' && name !== 'checks.csv');
    writeFileSync(sums, execFileSync('sha256sum', [...kept, 'extra.txt'], { cwd: folder }));
    const { stdout, stderr, error } = await verify(folder, '--offline', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ verified: false, files: 'changed' });
    expect(JSON.parse(stdout).changedFiles).toEqual([
      'disposals.csv was changed, although its hash is the one in SHA256SUMS: close.json has another hash',
      'extra.txt was added, although its hash is the one in SHA256SUMS: close.json has no hash of it',
      'checks.csv is in close.json, but not in SHA256SUMS',
    ]);
    expect(error).toMatchObject({ kind: 'unverified', code: 'FILES_CHANGED' });
    expect(stderr).not.toContain('The files are unchanged');
  });

  test('"close verify" reports changed legs after all hashes of the pack were renewed', async () => {
    const folder = copyOf('renewed');
    const path = (name: string) => join(folder, name);
    const hashOf = (name: string) => execFileSync('sha256sum', [name], { cwd: folder, encoding: 'utf8' });
    const old = hashOf('ledgers.csv').slice(0, 64);
    appendFileSync(path('ledgers.csv'), '\n');
    const renewed = readFileSync(path('close.json'), 'utf8').replace(old, hashOf('ledgers.csv').slice(0, 64));
    writeFileSync(path('close.json'), renewed);
    const names = FILES.filter((name) => name !== 'SHA256SUMS');
    writeFileSync(path('SHA256SUMS'), names.map(hashOf).join(''));
    for (const flags of [['--offline'], []]) {
      const { stdout, error } = await verify(folder, ...flags, '--json');
      expect(JSON.parse(stdout)).toMatchObject({
        ...{ verified: false, files: 'changed', books: null },
        changedFiles: ['ledgers.csv was changed: its manifest has another hash'],
      });
      expect(error).toMatchObject({ kind: 'unverified', code: 'FILES_CHANGED' });
    }
  });

  test('"close verify" and "ledgers verify" say "verified" only after a comparison with the service', async () => {
    const packs = [await verify(at('filed'), '--offline', '--json'), await verify(at('filed'), '--json')];
    const legs = async (...args: string[]) =>
      endHere(['ledgers', 'verify', at('filed', 'ledgers.csv'), '--json', ...args], sandbox.env);
    const files = [await legs('--offline'), await legs()];
    expect([...packs, ...files].map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const said = [...packs, ...files].map(({ stdout }) => JSON.parse(stdout));
    expect(said.map(({ verified, compared }) => [verified, compared])).toEqual([
      [null, 'files'],
      [true, 'service'],
      [null, 'file'],
      [true, 'number of legs'],
    ]);
    const { stdout } = await verify(at('filed'), '--offline');
    expect(stdout).not.toMatch(/verified +(true|yes)/);
    expect(stdout).toMatch(/compared +files/);
  });

  test('if only a file of the pack was changed, "close verify" reports the changed file, not changed books', async () => {
    const folder = copyOf('longer');
    appendFileSync(join(folder, 'balances.csv'), 'wal_none,,,NONE,1\n');
    const { stdout, stderr, error } = await verify(folder, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ files: 'changed', legsChanged: 0, balancesChanged: 1 });
    expect(error).toMatchObject({ code: 'FILES_CHANGED' });
    expect(stderr).not.toContain('The books have changed');
    expect(stderr).toContain(
      'The changed files differ from the books: 0 legs, 0 lines of the roll-forward and 1 balance',
    );
  });

  test.each(['ledgers.csv', 'ledgers.csv.manifest.json', 'rollforward.csv', 'balances.csv'])(
    '"close verify" reports a missing %s, and skips the comparison with the service',
    async (name) => {
      const folder = copyOf(`without-${name}`);
      rmSync(join(folder, name));
      const { stdout, stderr, error } = await verify(folder, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ changedFiles: [`${name} is missing`], legsChanged: null });
      expect(stderr).toContain('The pack was not compared with the service');
      expect(error).toMatchObject({ kind: 'unverified', code: 'FILES_CHANGED' });
    },
  );

  test('"close verify" lists exactly the legs, totals and balances that changed after the pack was written', async () => {
    const balances = async (): Promise<Row[]> => {
      const args = ['balances', '--as-of', '2025-09-30', '--tz', 'Europe/Berlin', '-o', 'csv'];
      return parse((await runHere(args, sandbox.env)).stdout, { columns: true });
    };
    const lines = async (): Promise<Row[]> =>
      JSON.parse((await runHere(['ledgers', 'rollforward', ...PERIOD, '--json'], sandbox.env)).stdout);
    const legs = async (): Promise<Row[]> =>
      JSON.parse((await runHere(['ledgers', 'list', ...PERIOD, '--all', '--json'], sandbox.env)).stdout);
    const [linesBefore, legsBefore, balancesBefore] = [await lines(), await legs(), await balances()];
    const [first] = legsBefore;
    sandbox.ledgers.remove(String(legsBefore[20]?.['id']));
    // A leg before the period changes the opening balance.
    sandbox.ledgers.insert({
      ...{ type: 'incoming', quantity: '3.5', walletId: String(first?.['walletId']) },
      ...{ asset: String(first?.['assetId']), timestamp: Date.UTC(2025, 4, 1) },
    });
    const [linesAfter, legsAfter, balancesAfter] = [await lines(), await legs(), await balances()];
    const { stdout, error } = await verify(at('filed'), '--json');
    expect(error).toMatchObject({
      ...{ kind: 'unverified', code: 'LEDGERS_CHANGED' },
      hint: 'The output lists the changes. A change of a leg before the period is found only if it changes a line of the balances or of the roll-forward.',
    });
    const changes: Row[] = JSON.parse(stdout).changes;
    const named = (what: string) =>
      new Set(changes.filter((one) => one['what'] === what).map(({ id }) => id));
    const text = (row: Row | undefined) => JSON.stringify(row);
    const changedLegs = legsBefore.filter(
      (leg) => text(legsAfter.find(({ id }) => id === leg['id'])) !== text(leg),
    );
    expect(changedLegs.length).toBeGreaterThan(1);
    expect(named('leg')).toEqual(new Set(changedLegs.map(({ id }) => id)));
    const key = ({ walletId, assetId, symbol }: Row) => [walletId, assetId ?? '', symbol].join(' / ');
    const changedLines = linesBefore.filter(
      (line) => text(linesAfter.find((other) => key(other) === key(line))) !== text(line),
    );
    expect(changedLines.length).toBeGreaterThan(1);
    expect(named('total')).toEqual(new Set(changedLines.map(key)));
    const changedBalances = balancesBefore.filter(
      (line) => text(balancesAfter.find((other) => key(other) === key(line))) !== text(line),
    );
    expect(changedBalances.length).toBeGreaterThan(1);
    expect(named('balance')).toEqual(new Set(changedBalances.map(key)));
    // Each change has the names of its wallet and asset.
    const walletOf = new Map(linesAfter.map(({ walletId, wallet }) => [walletId, wallet ?? walletId]));
    const owners = new Map([
      ...legsBefore.map((leg) => [leg['id'], leg] as const),
      ...[...linesAfter, ...linesBefore].map((line) => [key(line), line] as const),
    ]);
    for (const { id, wallet, symbol } of changes) {
      const owner = Object(owners.get(String(id)));
      expect(wallet).toBe(walletOf.get(owner.walletId));
      expect(symbol).toBe((owner.symbol ?? owner.asset?.symbol ?? owner.assetRaw?.symbol) || null);
    }
    const { stdout: table } = await verify(at('filed'));
    expect(table).toMatch(/^wallet +asset +change +id +time +field +filed +now$/m);
    expect(table).toMatch(/^what +wallet +asset +change +field +filed +now/m);
    await sandbox.reset();
  });

  test('"close verify" distinguishes wallets and assets whose ids and symbols contain slashes', async () => {
    const leg = (id: string, [walletId, assetId, symbol]: readonly (string | null)[]) => ({
      ...{ id, transactionId: `t-${id}`, type: 'incoming', quantity: '5', timestamp: Date.UTC(2025, 7, 1) },
      ...{
        walletId,
        assetId,
        asset: { symbol },
        assetRaw: { symbol },
        beforeBalance: '0',
        afterBalance: '5',
      },
    });
    // Joined with " / ", each pair of keys is the same text.
    const pairs = [
      ['=a / b', 'c', 'one'],
      ['=a', 'b / c', 'two'],
      ['=a / b', null, 'x / y'],
    ] as const;
    const books = await createSandbox({
      data: {
        ledgers: pairs.map((pair, at) => leg(`leg${at}`, pair)),
        integrations: [
          { id: 'i1', walletId: '=a / b', alias: 'Long', providerId: 'kraken', status: 'COMPLETED' },
          { id: 'i2', walletId: '=a', alias: 'Short', providerId: 'kraken', status: 'COMPLETED' },
        ],
      },
    });
    onTestFinished(() => books.close());
    const folder = at('slashes');
    const packed = await endHere(['close', ...PERIOD, '--out', folder], books.env);
    expect(packed.error).toBeUndefined();
    for (const at of pairs.keys()) books.ledgers.remove(`leg${at}`);
    const { stdout } = await endHere(['close', 'verify', folder, '--json'], books.env);
    const result = JSON.parse(stdout);
    for (const what of ['leg', 'total', 'balance']) {
      const changes = result.changes.filter((change: Row) => change['what'] === what);
      expect(changes.map(({ wallet, symbol }: Row) => [wallet, symbol])).toEqual(
        expect.arrayContaining([
          ['Long', 'one'],
          ['Short', 'two'],
          ['Long', 'x / y'],
        ]),
      );
      expect(changes).toHaveLength(3);
    }
  });

  test('"close verify" says whether a leg that left the period was deleted or has another time', async () => {
    const args = ['ledgers', 'list', ...PERIOD, '--all', '--json'];
    const legs: Row[] = JSON.parse((await runHere(args, sandbox.env)).stdout);
    const [moved, deleted] = [legs[20], legs[30]].map((leg) => String(leg?.['id']));
    const later = Date.UTC(2026, 0, 9);
    sandbox.ledgers.edit(String(moved), { timestamp: later });
    sandbox.ledgers.remove(String(deleted));
    const { stdout } = await verify(at('filed'), '--json');
    const changes: Row[] = JSON.parse(stdout).changes;
    const of = (id: string | undefined) => changes.filter((one) => one['id'] === id && one['what'] === 'leg');
    const [from] = legs.flatMap(({ id, timestamp }) => (id === moved ? timestamp : []));
    expect(of(moved)).toEqual([
      expect.objectContaining({ change: 'removed', field: 'timestamp', from, to: later }),
    ]);
    expect(of(deleted)).toEqual([expect.objectContaining({ change: 'removed', field: null, to: null })]);
    const { stdout: table, stderr } = await verify(at('filed'));
    expect(stderr).toContain('Legs listed as removed: 1 has a different time now; 1 no longer exists.');
    expect(table).toMatch(/ removed .* timestamp .* 2026-01-09/);
    const diff = await endHere(['ledgers', 'diff', at('filed', 'ledgers.csv'), 'live'], sandbox.env);
    expect(diff.stderr).toContain('Legs listed as removed: 1 has a different time now; 1 no longer exists.');
    const deep = ['ledgers', 'verify', at('filed', 'ledgers.csv'), '--deep'];
    expect((await endHere(deep, sandbox.env)).stderr).toContain(
      '1 has a different time now; 1 no longer exists.',
    );
    await sandbox.reset();
  });

  test('"close verify" says that the legs before the period were not compared', async () => {
    const { stderr, error } = await verify(at('filed'));
    expect(error).toBeUndefined();
    expect(stderr).toContain(
      'legs of the period, the roll-forward and the balances match the service. Legs before the period were not compared one by one.',
    );
    expect(stderr).not.toContain('all totals');
  });

  test.each([
    ['a missing folder', 'nowhere'],
    ['a folder that is not a pack', '.'],
  ])('"close verify" rejects %s', async (_, name) => {
    expect((await verify(at(name))).error).toMatchObject({ code: 'NOT_A_PACK' });
  });
});

test('"close" says in README.txt and close.json that the spam assets are unknown', async () => {
  const refusing = await createSandbox({ rows: 50, faults: ['403:/v1/spam:rate=1'] });
  try {
    await runHere(['close', ...PERIOD, '--out', at('spam')], refusing.env);
    for (const name of ['README.txt', 'close.json'])
      expect(readFileSync(at('spam', name), 'utf8')).toContain('The spam assets are unknown');
  } finally {
    await refusing.close();
  }
});
