// Tests that commands read, delete and forget earlier states of a folder with the workspaces of several clients.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { filesIn, type Result, run, temporary } from './harness.ts';
import { ACME, age, commitTimes, officeWithLake } from './lake-office.ts';

const { env, sandbox } = await officeWithLake(400);
const cwd = temporary();
const ask = (line: string): Promise<Result> =>
  run(
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
    { env, cwd },
  );
async function succeed(line: string): Promise<string> {
  const { code, stdout, stderr } = await ask(line);
  expect(code, `${line}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}
async function refused(line: string, says: RegExp): Promise<void> {
  const { code, stdout, stderr } = await ask(line);
  expect([code, stdout], `${line}\n${stderr}`).toEqual([2, '']);
  expect(stderr, line).toMatch(says);
}

/** Command lines that read a state of `acme`. */
const READERS = [
  'mirror sql lake "SELECT asset_id, count(*) AS legs, sum(quantity) AS total FROM ledgers GROUP BY ALL ORDER BY ALL" --json',
  'balances --mirror lake --json --as-of 2030-01-01',
  'ledgers rollforward --mirror lake --period 2025 --json',
  'ledgers diff filed.jsonl live --mirror lake --json',
];
/** What each command prints about the state after each run of `acme`. */
const states: string[][] = [];
/** The version of `ledgers` after each run of `acme`. */
const versions = [1, 2, 3];
let times: number[];

const withoutFolder = (text: string) => text.replaceAll(/"(verifiedAt|readAt|exportedAt)":"[^"]*"/g, '');

beforeAll(async () => {
  await succeed('ledgers export -p acme --out filed.jsonl --quiet');
  // The first version belongs to the client `birch`.
  await succeed('mirror lake -p birch --quiet');
  for (const day of [1, 2, 3]) {
    if (day > 1) {
      const timestamp = Date.UTC(2025, 6, day);
      sandbox.ledgers.insert({ id: `led_new_${day}`, timestamp, quantity: `${day}.000000000000000001` });
    }
    await succeed('mirror lake -p acme --quiet');
    states.push(await Promise.all(READERS.map((line) => succeed(`${line} -p acme`))));
  }
  times = commitTimes(join(cwd, 'lake'));
  expect(times).toHaveLength(4);
});

describe('--snapshot', () => {
  test('with --snapshot, each command prints its output from the time when that version was the latest', async () => {
    for (const [at, state] of states.entries()) {
      const version = versions[at] ?? 0;
      const time = new Date(times[version] ?? 0).toISOString();
      for (const [reader, expected] of state.entries()) {
        for (const snapshot of [String(version), time]) {
          const found = await succeed(`${READERS[reader]} -p acme --snapshot ${snapshot}`);
          expect(withoutFolder(found), `${READERS[reader]} ${snapshot}`).toBe(withoutFolder(expected));
        }
      }
    }
    // The three states differ. If they were equal, the test could not tell a snapshot from the latest state.
    for (const reader of [0, 1, 2, 3]) expect(new Set(states.map((state) => state[reader])).size).toBe(3);
  });

  test('a snapshot time between two runs selects the state after the earlier run', async () => {
    const between = new Date((times[2] ?? 0) - 1).toISOString();
    const legs = async (more: string) =>
      JSON.parse(await succeed(`mirror sql lake "SELECT count(*) AS legs FROM ledgers" --json ${more}`))[0]
        .legs;
    expect(await legs(`-p acme --snapshot ${between}`)).toBe(400);
    expect(await legs('-p acme --snapshot 2')).toBe(401);
    const birch = await legs('-p birch');
    for (const version of [0, 1, 2, 3]) expect(await legs(`-p birch --snapshot ${version}`)).toBe(birch);
  });

  test.each(READERS)('rejects an unknown or invalid snapshot: %s', async (line) => {
    await refused(`${line} -p acme --snapshot 4`, /has no version 4[\s\S]*The latest version is 3\./);
    await refused(
      `${line} -p acme --snapshot 2020-01-01T00:00:00Z`,
      /has no snapshot at or before 2020-01-01/,
    );
    await refused(
      `${line} -p acme --snapshot 0`,
      new RegExp(`no state of the workspace ${ACME} in this snapshot`),
    );
    await refused(`${line} --workspace ws_none --snapshot 3`, /has no workspace ws_none/);
    await refused(`${line} --snapshot 0`, /contains 2 workspaces/);
    for (const wrong of ['yesterday', '2025-10-01', '-1', '1.5', '2025-02-30T00:00:00Z', ''])
      await refused(
        `${line} -p acme --snapshot "${wrong}"`,
        /neither a time nor a version|must not be empty/,
      );
  });

  test.each(['balances', 'ledgers rollforward --period 2025', 'ledgers diff filed.jsonl live'])(
    '"%s" rejects --snapshot without --mirror',
    (line) => refused(`${line} -p acme --snapshot 1`, /--snapshot needs --mirror/),
  );
});

describe('"mirror vacuum" and "mirror forget"', () => {
  const lake = join(cwd, 'lake');
  const parquet = () => filesIn(lake).filter((name) => name.endsWith('.parquet'));

  test('vacuum deletes no file of a state that is younger than --older-than', async () => {
    await refused('mirror vacuum lake --older-than 1h', /1d|at least/);
    await refused('mirror vacuum nowhere', /not a mirror/);
    const files = parquet();
    expect(JSON.parse(await succeed('mirror vacuum lake --older-than 1d --json'))).toMatchObject({
      files: 0,
    });
    expect(parquet()).toEqual(files);
  });

  test('after vacuum deletes the files of old states, commands report that these states can no longer be read', async () => {
    age(lake, 40);
    sandbox.ledgers.insert({ id: 'led_new_4', timestamp: Date.UTC(2025, 6, 4), quantity: '4' });
    await succeed('mirror lake -p acme --quiet');
    const files = parquet();
    const trial = JSON.parse(await succeed('mirror vacuum lake --older-than 30d --dry-run --json'));
    expect(parquet()).toEqual(files);
    const done = JSON.parse(await succeed('mirror vacuum lake --older-than 30d --json'));
    expect(done).toEqual({ ...trial, deleted: true });
    expect(files.length - parquet().length).toBe(done.files);
    expect(done.files).toBeGreaterThan(0);
    // The state of day 3 can still be read, because it was the latest state until now.
    for (const [reader, expected] of (states[2] ?? []).entries()) {
      const found = await succeed(`${READERS[reader]} -p acme --snapshot 3`);
      expect(withoutFolder(found)).toBe(withoutFolder(expected));
    }
    for (const version of [1, 2]) {
      for (const line of READERS)
        await refused(
          `${line} -p acme --snapshot ${version}`,
          /snapshot of .* can no longer be read: .* deleted/,
        );
    }
    await succeed('balances --mirror lake -p birch');
    expect(JSON.parse(await succeed('mirror status lake -p acme --deep --json')).damaged).toEqual([]);
    await succeed('mirror lake -p acme,birch --quiet');
  });

  test('forget removes one workspace from all versions and files, and does not change the second workspace', async () => {
    await refused('mirror forget lake --yes', /workspace is missing/);
    await refused('mirror forget lake --yes -p acme', /workspace is missing/);
    await refused('mirror forget lake --yes --workspace ws_none', /has no workspace ws_none/);
    await refused(`mirror forget nowhere --yes --workspace ${ACME}`, /no workspace/);
    const others = 'mirror sql lake "SELECT * FROM ledgers ORDER BY id" --json -p birch';
    const before = await Promise.all(
      ['', ' --snapshot 0', ' --snapshot 2'].map((more) => succeed(others + more)),
    );
    const ids: { id: string; wallet_id: string }[] = JSON.parse(
      await succeed('mirror sql lake "SELECT id, wallet_id FROM ledgers" --json -p acme'),
    );
    const shared = new Set(
      JSON.parse(before[0] ?? '').map(({ wallet_id }: { wallet_id: string }) => wallet_id),
    );
    const secrets = [ACME, ...ids.flatMap(({ id, wallet_id }) => [id, wallet_id])].filter(
      (text) => !shared.has(text),
    );

    const { code } = await ask(`mirror forget lake --workspace ${ACME}`);
    expect(code).not.toBe(0);
    await succeed(`mirror forget lake --workspace ${ACME} --yes`);
    for (const version of ['', ' --snapshot 1', ' --snapshot 3', ' --snapshot 4'])
      await refused(`balances --mirror lake --workspace ${ACME}${version}`, /has no workspace/);
    for (const name of readdirSync(lake, { recursive: true, encoding: 'utf8' })) {
      const content = existsSync(join(lake, name)) && /\.(json|parquet|crc)$|_last/.test(name);
      const text = content ? readFileSync(join(lake, name), 'latin1') : '';
      expect(
        secrets.filter((secret) => text.includes(secret) || name.includes(secret)),
        name,
      ).toEqual([]);
    }
    // The folder now has only one workspace, so commands need no choice of a workspace.
    const after = await Promise.all(
      ['', ' --snapshot 0', ' --snapshot 2'].map((more) => succeed(others + more)),
    );
    expect(after).toEqual(before);
    await succeed('balances --mirror lake');
    await succeed('mirror lake -p acme,birch --quiet');
    expect(
      JSON.parse(await succeed('mirror sql lake "SELECT count(*) AS legs FROM ledgers" --json -p acme')),
    ).toEqual([{ legs: 403 }]);
  });
});
