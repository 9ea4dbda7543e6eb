// Tests commands of an accountant who reads the books of two clients at once. A third client has no login.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Result, run, sandboxed, temporary } from './harness.ts';
import { officeOf } from './logged-in.ts';

const sandbox = await sandboxed({ rows: 150 });
const CLIENTS = {
  acme: 'tz = "Europe/Berlin"\nclient_name = "Acme GmbH"',
  birch: 'tz = "America/New_York"\nfiscal_year_start = "04-06"\noutput = "json"',
};
const env = await officeOf(CLIENTS, sandbox.env);
const config = readFileSync(join(env['CRYPTODATA_CONFIG_DIR'] ?? '', 'config.toml'), 'utf8');
writeFileSync(
  join(env['CRYPTODATA_CONFIG_DIR'] ?? '', 'config.toml'),
  `${config}[profiles.fresh]\nbase_url = "${sandbox.url}"\nauth_url = "${sandbox.url}"\nkeychain = "file"\n`,
);

const ask = (line: string, cwd = temporary()): Promise<Result> => run(line.split(' '), { env, cwd });

/** Returns the lines below the heading "Summary". */
const summaryOf = (stdout: string) =>
  stdout.slice(stdout.lastIndexOf('Summary\n')).trimEnd().split('\n').slice(1);

describe('the books of several clients', () => {
  test.each([
    ['audit --period 2025-Q3', ['profile', 'period', 'legs', 'open findings', 'verified']],
    [
      'ledgers rollforward --period 2025-Q3',
      ['profile', 'period', 'legs', 'lines', 'do not add up', 'cannot be checked', 'verified'],
    ],
    ['ledgers disposals --period 2025-Q3', ['profile', 'period', 'legs', 'disposals', 'without figures']],
    ['balances --as-of 2025-09-30', ['profile', 'time', 'balances', 'unknown', 'negative', 'verified']],
    ['close --period 2025-Q3 --out 2025-Q3', ['profile', 'folder', 'period', 'legs', 'open findings']],
  ])('"%s" ends with one line for each client, including failed clients', async (line, heads) => {
    const { code, stdout, stderr } = await ask(`${line} -p acme,fresh,birch`);
    expect(code).toBe(11);
    const [head = '', acme, fresh, birch, ...more] = summaryOf(stdout);
    expect(head.split(/ {2,}/)).toEqual(expect.arrayContaining(heads));
    expect(more).toEqual([]);
    expect(acme).toMatch(/^acme .*2025-09-30 .*Europe\/Berlin +done$/);
    expect(fresh).toMatch(/^fresh .*not logged in/);
    // The second quarter of the fiscal year is from July 6 to October 5.
    expect(birch).toMatch(
      line.startsWith('balances')
        ? /^birch .*2025-09-30 .*America\/New_York +done$/
        : /^birch .*2025-10-06 to 2026-01-05 .*America\/New_York +done$/,
    );
    expect(stderr).toMatch(/fresh: error: .*not logged in/);
    expect(stderr).toMatch(/1 of 3 profiles failed: fresh/);
  });

  test('README.txt in a pack contains the profile of the pack, and commands with a wrong profile suggest the right one', async () => {
    const cwd = temporary();
    expect((await ask('close --period 2025-Q3 --out pack -p birch', cwd)).code).toBe(0);
    const readme = readFileSync(join(cwd, 'pack', 'README.txt'), 'utf8');
    expect(readme).toContain('\n  cryptodata close verify FOLDER -p birch\n');
    const lines = [
      'close verify pack',
      'ledgers diff pack/ledgers.csv live',
      'ledgers verify pack/ledgers.csv',
    ];
    for (const line of lines) {
      // The default profile has no address, and the profile "fresh" has no login.
      for (const other of ['', ' -p fresh']) {
        const { code, stderr } = await ask(`${line}${other}`, cwd);
        expect([line, code]).toEqual([line, other === '' ? 2 : 3]);
        expect(stderr).toContain(
          'These legs were read with profile birch. To use this profile, add -p birch.',
        );
      }
    }
    expect((await ask('close verify pack -p birch', cwd)).code).toBe(0);
  });

  test('"audit" groups checks and findings by client, and puts the profile of the client into each command', async () => {
    const { code, stdout } = await ask('audit -p acme,birch --period 2025-Q3');
    expect(code).toBe(0);
    expect(stdout.match(/^(acme|birch): (Checks|The 20)/gm)).toEqual([
      ...['acme: Checks', 'acme: The 20', 'birch: Checks', 'birch: The 20'],
    ]);
    const { stdout: json } = await ask('audit -p acme,birch --period 2025-Q3 -o json');
    const both: { profile: string; findings: { next: string }[]; scope: { timeZone: string } }[] =
      JSON.parse(json);
    expect(both.map(({ profile, scope }) => [profile, scope.timeZone])).toEqual([
      ['acme', 'Europe/Berlin'],
      ['birch', 'America/New_York'],
    ]);
    for (const { profile, findings } of both) {
      expect(findings.length).toBeGreaterThan(20);
      for (const { next } of findings) expect(next).toMatch(new RegExp(`^cryptodata .* -p ${profile}$`));
    }
    const lines = await ask('audit -p acme,birch --period 2025-Q3 -o jsonl');
    const profiles = lines.stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).profile);
    expect(profiles).toEqual(both.flatMap(({ profile, findings }) => findings.map(() => profile)));
    for (const text of lines.stderr.trimEnd().split('\n')) JSON.parse(text);
  });

  test('"audit" and "close" write a report for each profile, with the name of the client as its title', async () => {
    const cwd = temporary();
    const both = '-p acme,birch --period 2025-Q3';
    const audited = await ask(`audit ${both} --report q3.html -o json --quiet`, cwd);
    expect(audited.code).toBe(0);
    expect((await ask(`close ${both} --out {profile}/q3`, cwd)).code).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(['acme', 'birch', 'q3.acme.html', 'q3.birch.html']);
    const title = (path: string) => /<h1[^>]*>([^<]*)/.exec(readFileSync(join(cwd, path), 'utf8'))?.[1];
    expect(['q3.acme.html', 'acme/q3/report.html'].map(title)).toEqual(['Acme GmbH', 'Acme GmbH']);
    expect(readFileSync(join(cwd, 'birch/q3/README.txt'), 'utf8')).toMatch(/2025-10-06 00:00 to 2026-01-05/);
    // An existing file stops the command before any client is read.
    const again = await ask(`audit ${both} --report q3.html`, cwd);
    expect([again.code, again.stdout, again.stderr]).toEqual([
      ...[2, '', expect.stringContaining('q3.acme.html already exists')],
    ]);
    expect((await ask(`close ${both} --out {profile}/q3`, cwd)).stderr).toContain('acme/q3 already exists');
  });

  test.each([
    ['ledgers export --out', 'x.csv'],
    ['ledgers export --format hledger --out', 'x.journal'],
    ['ledgers export --partition-by year --out', 'x'],
    ['txns export --out', 'x.jsonl'],
    ['audit --report', 'x.html'],
    ['close --out', 'x'],
  ])(
    '"%s {profile}/%s" creates the folder of each client, and removes it after a failure',
    async (line, name) => {
      const cwd = temporary();
      const both = '-p acme,birch --period 2025-Q3';
      const ended = await ask(`${line} {profile}/books/${name} ${both}`, cwd);
      // Only "close" creates a folder that does not have the name of the profile.
      if (!line.startsWith('close')) {
        expect([ended.code, ended.stderr]).toEqual([
          2,
          expect.stringContaining('its directory does not exist'),
        ]);
        expect(readdirSync(cwd)).toEqual([]);
      }
      const { code, stderr } = await ask(`${line} in-{profile}/${name} ${both}`, cwd);
      expect(code, stderr).toBe(0);
      for (const folder of ['in-acme', 'in-birch']) expect(readdirSync(join(cwd, folder))).toContain(name);
    },
  );

  test.each([
    ['ledgers export --out', '{profile}/../x.csv'],
    ['txns export --out', '{profile}/x.csv'],
    ['audit --report', '{profile}/../x.html'],
    ['close --out', '{profile}/../pack'],
  ])('"%s %s --overwrite" is rejected if links lead two clients to the same path', async (line, path) => {
    const cwd = temporary();
    mkdirSync(join(cwd, 'shared'));
    for (const name of Object.keys(CLIENTS)) symlinkSync('shared', join(cwd, name));
    const { code, stdout, stderr } = await ask(`${line} ${path} -p acme,birch --overwrite`, cwd);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/The profiles acme and birch would both write .*\n.*own file or folder/);
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(['acme', 'birch', 'shared']);
  });

  test('--client is rejected for several profiles, and the hint suggests the setting client_name', async () => {
    for (const line of ['audit --report r.html', 'close --out q3']) {
      const { code, stdout, stderr } = await ask(`${line} -p acme,birch --period 2025-Q3 --client Acme`);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/--client cannot be used with several profiles\n.*config set client_name/);
    }
  });

  test('each client can have its own file of accepted findings, or all clients can share one file', async () => {
    const cwd = temporary();
    const { stdout } = await ask('audit -p acme --period 2025-Q3 -o json', cwd);
    const { id } = JSON.parse(stdout).findings[0];
    const gone = 'duplicate-0000000000 never';
    writeFileSync(join(cwd, 'acme.txt'), `${id} agreed\n`);
    writeFileSync(join(cwd, 'birch.txt'), `${gone}\n`);
    writeFileSync(join(cwd, 'all.txt'), `${id} agreed\n${gone}\n`);
    const own = await ask('audit -p acme,birch --check failing-source --ignore {profile}.txt', cwd);
    const [one, other] = [...own.stdout.matchAll(/error +failing-source +(\d+)/g)].map(([, open]) =>
      Number(open),
    );
    expect(one).toBe((other ?? 0) - 1);
    expect(own.stderr).toMatch(/acme: .*1 finding was accepted/);
    expect(own.stderr).toMatch(/birch: 1 accepted finding does not occur in this audit/);
    const shared = await ask('audit -p acme,birch --ignore all.txt', cwd);
    expect(shared.stderr).not.toMatch(/not occur|no longer occur/);
  });
});

describe('the fiscal year of a profile', () => {
  test('the fiscal year of a profile affects years and quarters, but not months', async () => {
    const period = async (line: string) =>
      /Period: (.*?) \(/.exec((await ask(`ledgers list --limit 1 -o table ${line}`)).stderr)?.[1];
    expect(await period('-p birch --period 2025')).toBe('2025-04-06 00:00 to 2026-04-05 23:59:59.999');
    expect(await period('-p birch --period 2025-07')).toBe('2025-07-01 00:00 to 2025-07-31 23:59:59.999');
    expect(await period('-p birch --period 2025-H1 --fiscal-year-start 01-01')).toBe(
      '2025-01-01 00:00 to 2025-06-30 23:59:59.999',
    );
    expect(await period('-p acme --period 2025')).toBe('2025-01-01 00:00 to 2025-12-31 23:59:59.999');
  });

  test('sums by quarter use the fiscal year of the exporting profile, not of the verifying profile', async () => {
    const cwd = temporary();
    const sums = 'ledgers export --period 2025 --sum-by quarter --overwrite -o json --out sums.csv';
    const quarters = () =>
      readFileSync(join(cwd, 'sums.csv'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 7))
        .slice(1);
    const exported = await ask(`${sums} -p birch`, cwd);
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('starts on 04-06')]);
    expect(new Set(quarters())).toEqual(new Set(['2025-Q1', '2025-Q2', '2025-Q3']));
    expect((await ask('ledgers verify sums.csv --deep -p birch', cwd)).code).toBe(0);
    // The profile of the check does not have to be the profile of the export.
    expect((await ask('ledgers verify sums.csv --deep -p acme', cwd)).code).toBe(0);
    const calendar = await ask(`${sums} -p acme`, cwd);
    expect(calendar.stderr).not.toContain('fiscal');
    expect((await ask('ledgers verify sums.csv --deep -p birch', cwd)).code).toBe(0);
  });

  test('the error for an invalid start of the fiscal year contains the name of the setting', async () => {
    const { code, stderr } = await ask('config set fiscal_year_start 02-29 -p acme');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/fiscal_year_start.*02-29[\s\S]*Use month and day/),
    ]);
  });
});
