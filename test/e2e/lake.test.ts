// Tests one folder with the workspaces of several clients: a run writes all workspaces, and the other commands read one
// workspace.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TREE } from '../../src/commands/tree.ts';
import { bash, type Result, ROOT, run, temporary } from './harness.ts';
import { ACME, BIRCH, officeWithLake } from './lake-office.ts';

const { env, sandbox } = await officeWithLake(500);
const cwd = temporary();
const ask = (line: string, own = env): Promise<Result> =>
  run(
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
    { env: own, cwd },
  );

let first: Result;
beforeAll(async () => {
  first = await ask('mirror lake -p acme,fresh,birch');
  const filed = await ask('ledgers export -p acme,birch --out filed.csv --quiet');
  expect(filed.code, filed.stderr).toBe(0);
  const packed = await ask('close -p acme --period 2025-Q3 --out pack --quiet');
  expect(packed.code, packed.stderr).toBe(0);
});

describe('a run for several profiles', () => {
  test('updates one workspace after the other, and ends with one line for each profile, including failed profiles', async () => {
    expect(first.code).toBe(11);
    const lines = first.stdout.slice(first.stdout.lastIndexOf('Summary\n')).trimEnd().split('\n').slice(1);
    expect(lines).toHaveLength(4);
    const [head = '', acme, fresh, birch] = lines;
    expect(head.split(/ {2,}/)).toEqual([
      ...['profile', 'workspace', 'legs', 'added', 'removed', 'changed', 'requests', 'verified', 'time zone'],
      'result',
    ]);
    expect(acme).toMatch(new RegExp(`^acme +${ACME} +500 .* true +Europe/Berlin +done$`));
    expect(fresh).toMatch(/^fresh .*not logged in/);
    expect(birch).toMatch(new RegExp(`^birch +${BIRCH} .* true +America/New_York +done$`));
    expect(first.stderr).toMatch(/1 of 3 profiles failed: fresh/);
    expect(first.stdout).toContain('acme: Other lists');
  });

  test('stores for each workspace the legs that its profile can list', async () => {
    for (const [profile, workspace] of [
      ['acme', ACME],
      ['birch', BIRCH],
    ]) {
      const served = await ask(`ledgers list --all -p ${profile} --columns id -o csv --quiet`);
      const held = await ask(
        `mirror sql lake "SELECT id FROM ledgers" --workspace ${workspace} -o csv --quiet`,
      );
      expect(held.stdout.split('\n').sort()).toEqual(served.stdout.split('\n').sort());
    }
  });

  test('--all-profiles updates every workspace, and prints a record for each', async () => {
    const { code, stdout } = await ask('mirror lake --all-profiles -o json');
    expect(code).toBe(11);
    const runs: Record<string, unknown>[] = JSON.parse(stdout);
    expect(runs).toMatchObject([
      { profile: 'acme', folder: 'lake', workspace: ACME, added: 0, removed: 0, verified: true },
      { profile: 'birch', folder: 'lake', workspace: BIRCH, added: 0, removed: 0, verified: true },
    ]);
  });

  test('if every profile fails in the same way, exits with the exit code of this failure', async () => {
    const { code, stdout } = await ask('mirror empty -p fresh,fresh');
    expect([code, stdout]).toEqual([3, '']);
    expect(existsSync(join(cwd, 'empty'))).toBe(false);
  });

  test('refuses a profile if the workspace of the profile is unknown, because the legs could belong to another client', async () => {
    const unknown = { ...sandbox.env, CRYPTODATA_ACCESS_TOKEN: 'a-token-without-claims' };
    const { code, stderr } = await ask('mirror lake', unknown);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/workspace of the profile is unknown/)]);
  });
});

/**
 * A command line for each command that reads a mirror. `events listen` is not listed, because it reads no mirror: it only marks
 * windows.
 */
const READERS: Readonly<Record<string, string>> = {
  'audit run': 'audit --mirror lake --period 2025-Q3',
  'audit explain': 'audit explain ID --mirror lake',
  'balances list': 'balances --mirror lake',
  'close run': 'close --mirror lake --period 2025-Q3 --out never',
  'close verify': 'close verify pack --mirror lake',
  'ledgers diff': 'ledgers diff filed.acme.csv live --mirror lake',
  'ledgers disposals': 'ledgers disposals --mirror lake --period 2025-Q3',
  'ledgers explain': 'ledgers explain ID --mirror lake',
  'ledgers rollforward': 'ledgers rollforward --mirror lake --period 2025-Q3',
  'mirror status': 'mirror status lake',
  'mirror changes': 'mirror changes lake',
  'mirror sql': 'mirror sql lake "SELECT count(*) AS legs FROM ledgers"',
  'mirror load': 'mirror load lake --to postgres://nobody@127.0.0.1:1/none?sslmode=disable',
};
const OTHERS = ['mirror run', 'mirror vacuum', 'mirror forget', 'events listen'];

describe('the commands that read a mirror with several workspaces', () => {
  test('every command that has the flag --mirror or belongs to "mirror" is listed in this test file', async () => {
    const found: string[] = [];
    for (const { name, load } of TREE) {
      for (const verb of (await load()).verbs) {
        if (name === 'mirror' || 'mirror' in verb.flags) found.push(`${name} ${verb.name}`);
      }
    }
    expect(found.sort()).toEqual([...Object.keys(READERS), ...OTHERS].sort());
  });

  test.each(Object.entries(READERS))(
    '"%s" exits with 2 if the workspace is missing, unknown or empty',
    async (_, line) => {
      for (const more of ['', ' --workspace ws_nobody', ' --workspace ""']) {
        const { code, stdout, stderr } = await ask(line + more);
        expect([code, stdout], stderr).toEqual([2, '']);
        if (more === '') {
          expect(stderr).toContain(`lake contains 2 workspaces: ${ACME}, ${BIRCH}`);
          expect(stderr).toContain(`--workspace ${ACME}, or its profile with -p NAME`);
        } else if (more.includes('ws_nobody')) expect(stderr).toMatch(/no workspace ws_nobody|not ws_nobody/);
      }
      expect(existsSync(join(cwd, 'never'))).toBe(false);
    },
  );

  test.each(Object.entries(READERS))(
    '"%s" rejects a workspace that does not belong to every selected profile',
    async (_, line) => {
      const foreign = { ...env, CRYPTODATA_WORKSPACE: BIRCH };
      const bound = /A workspace is set .*session of profile acme is already bound to a workspace/;
      const one =
        /(--workspace|CRYPTODATA_WORKSPACE) selects one workspace, but several profiles|works for one profile/;
      for (const [more, own, says] of [
        [' -p acme', foreign, bound],
        [` -p acme --workspace ${BIRCH}`, env, bound],
        [' -p acme,birch', foreign, one],
        [` -p acme,birch --workspace ${BIRCH}`, env, one],
      ] as const) {
        const { code, stdout, stderr } = await ask(line + more, own);
        expect([code, stdout, stderr], more).toEqual([2, '', expect.stringMatching(says)]);
      }
      expect(existsSync(join(cwd, 'never'))).toBe(false);
    },
  );

  test('the workspace in the settings of a profile must be the workspace of its session', async () => {
    const settle = (line: string) => ask(`config ${line} -p acme`);
    const kept = await ask('balances --mirror lake -p acme -o csv --quiet');
    for (const [workspace, code] of [
      [ACME, 0],
      [BIRCH, 2],
    ] as const) {
      expect((await settle(`set workspace ${workspace}`)).code).toBe(0);
      const result = await ask('balances --mirror lake -p acme -o csv --quiet');
      expect([result.code, result.stdout], result.stderr).toEqual([code, code === 0 ? kept.stdout : '']);
    }
    expect((await settle('unset workspace')).code).toBe(0);
  });

  test('a token in the environment does not replace the login of a named profile', async () => {
    const { code, stderr } = await ask('balances --mirror lake -p acme', {
      ...env,
      CRYPTODATA_ACCESS_TOKEN: sandbox.env['CRYPTODATA_ACCESS_TOKEN'],
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('select two different logins')]);
  });

  test('an access token in the environment selects no workspace', async () => {
    const { code, stderr } = await ask('balances --mirror lake', sandbox.env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('contains 2 workspaces')]);
  });

  test('--workspace and CRYPTODATA_WORKSPACE select the same legs as the profile of the workspace', async () => {
    const { stdout: sum } = await ask(
      'mirror sql lake "SELECT count(*) AS legs FROM ledgers" -p acme -o json',
    );
    expect(JSON.parse(sum)).toEqual([{ legs: 500 }]);
    for (const line of ['balances --mirror lake', 'ledgers rollforward --mirror lake --period 2025']) {
      const byProfile = await ask(`${line} -p acme -o json --tz UTC`);
      const byFlag = await ask(`${line} --workspace ${ACME} -o json --tz UTC`);
      const byVariable = await ask(`${line} -o json --tz UTC`, { ...env, CRYPTODATA_WORKSPACE: ACME });
      expect(byProfile.code, byProfile.stderr).toBe(0);
      expect(byFlag.stdout).toBe(byProfile.stdout);
      expect(byVariable.stdout).toBe(byProfile.stdout);
      const service = await ask(`${line.replace('--mirror lake', '')} -p acme -o json --tz UTC`);
      expect(JSON.parse(byProfile.stdout)).toEqual(JSON.parse(service.stdout));
    }
  });

  test('with several profiles, commands read the mirror without requests, and print the same rows as from the service', async () => {
    for (const line of ['balances', 'ledgers rollforward --period 2025-Q3', 'audit --period 2025-Q3']) {
      const before = sandbox.truth.requests().length;
      const offline = await ask(`${line} --mirror lake -p acme,birch -o csv --quiet`);
      expect(offline.code, offline.stderr).toBe(0);
      expect(sandbox.truth.requests()).toHaveLength(before);
      if (line.startsWith('audit')) continue;
      const online = await ask(`${line} -p acme,birch -o csv --quiet`);
      expect(offline.stdout).toBe(online.stdout);
    }
    const { code, stderr, stdout } = await ask('balances --mirror lake -p acme,fresh -o csv');
    expect(code).toBe(11);
    expect(stdout).toMatch(/^acme,/m);
    expect(stdout).not.toMatch(/^fresh,/m);
    expect(stderr).toMatch(/fresh: error: The workspace of the profile is unknown/);
  });

  test('a profile cannot read a mirror that contains only the workspace of another profile', async () => {
    const alone = await ask('mirror alone -p acme --tables none --quiet');
    expect(alone.code, alone.stderr).toBe(0);
    expect((await ask('balances --mirror alone')).code).toBe(0);
    const { code, stdout, stderr } = await ask('balances --mirror alone -p birch');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`alone has no workspace ${BIRCH}`);
  });
});

test('every command in docs/lake.md succeeds', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'lake.md'), 'utf8');
  const blocks = [...page.matchAll(/```(sh|crontab)\n([\s\S]*?)```/g)].map(([, , block = '']) =>
    block.trim(),
  );
  const lines = blocks
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/^.*?(?=cryptodata )/, ''));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const { code, stderr } = await bash(line.replace('/srv/lake', 'lake').replace('ws_acme', ACME), {
      env,
      cwd,
    });
    // With --all-profiles, the exit code is 11, because one profile of the office has no login.
    expect(code, `${line}\n${stderr}`).toBe(line.includes('--all-profiles') ? 11 : 0);
  }
});
