import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAccessTokenClaims } from '../../src/auth/claims.ts';
import { type Env, run, sandboxed, temporary } from './harness.ts';

const sandbox = await sandboxed({ rows: 20 });

/** Sets a token in the environment, and creates the profiles `acme` and `beta`. Only `acme` has a session. */
function place(more: Env = {}): { env: Env; manifest: () => Record<string, unknown>; args: string[] } {
  const directory = temporary();
  mkdirSync(join(directory, 'sessions'), { mode: 0o700 });
  writeFileSync(join(directory, 'config.toml'), '[profiles.acme]\n[profiles.beta]\n');
  writeFileSync(join(directory, 'sessions', 'acme.session'), '');
  const file = join(directory, 'out.csv');
  return {
    env: { ...sandbox.env, CRYPTODATA_CONFIG_DIR: directory, ...more },
    manifest: () => JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8')).request,
    args: ['ledgers', 'export', '--period', '2025', '--out', file],
  };
}

test('if the environment contains an access token, -p rejects a profile that has a session', async () => {
  const { env, args } = place();
  for (const command of [args, ['whoami'], ['token']]) {
    const { code, stdout, stderr } = await run([...command, '-p', 'acme'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('-p acme and CRYPTODATA_ACCESS_TOKEN select two different logins');
  }
});

test.each([
  ['-p', ['-p', 'acm'], {}],
  ['CRYPTODATA_PROFILE', [], { CRYPTODATA_PROFILE: 'acm' }],
])('rejects an unknown profile in %s and suggests a similar name', async (_, flags, more) => {
  const { env, args } = place(more);
  for (const command of [args, ['config', 'list'], ['providers']]) {
    const { code, stderr } = await run([...command, ...flags], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('Profile acm does not exist\nDid you mean acme?');
  }
});

test('the command "config set -p NAME" creates the profile', async () => {
  const { env } = place();
  expect((await run(['config', 'set', 'tz', 'UTC', '-p', 'fresh'], { env })).code).toBe(0);
  expect(await run(['config', 'get', 'tz', '-p', 'fresh'], { env })).toMatchObject({ stdout: 'UTC\n' });
});

test.each(['config set tz UTC', 'login --no-browser', 'whoami'])(
  '"%s" rejects a profile if its name differs from the name of another profile only in case',
  async (words) => {
    const { env } = place();
    // "beta" is in config.toml; "gamma" has only a session.
    writeFileSync(join(String(env['CRYPTODATA_CONFIG_DIR']), 'sessions', 'gamma.session'), '');
    for (const [name, same] of [
      ['Beta', 'beta'],
      ['GAMMA', 'gamma'],
    ]) {
      const { code, stderr } = await run([...words.split(' '), '-p', name ?? ''], { env });
      expect(code).toBe(2);
      expect(stderr).toContain(`The names of the profiles ${same} and ${name} differ only in case`);
    }
  },
);

test('if an access token is set, the manifest of an export contains the workspace of the token, but no profile', async () => {
  for (const [flags, more] of [
    [['-p', 'beta'], {}],
    [[], { CRYPTODATA_PROFILE: 'acme' }],
  ] as const) {
    const { env, args, manifest } = place(more);
    expect(await run([...args, ...flags], { env })).toMatchObject({ code: 0 });
    const { workspaceId } = readAccessTokenClaims(sandbox.env.CRYPTODATA_ACCESS_TOKEN ?? '');
    expect(workspaceId).toMatch(/^ws_/);
    expect(manifest()).toMatchObject({ profile: null, workspace: workspaceId });
    expect((await run(['ledgers', 'verify', args.at(-1) ?? ''], { env })).code).toBe(0);
  }
});

test('every command reports a missing default profile, except the commands that fix it', async () => {
  const { env } = place();
  const config = join(env['CRYPTODATA_CONFIG_DIR'] ?? '', 'config.toml');
  writeFileSync(config, 'profile = "acne"\n[profiles.acme]\n');
  for (const command of [['config', 'list'], ['ledgers'], ['profiles']]) {
    const { code, stderr } = await run(command, { env });
    expect([command, code]).toEqual([command, 2]);
    expect(stderr).toMatch(
      /Profile acne, the default profile in config.toml, does not exist\nDid you mean acme\?/,
    );
    expect(stderr).toContain('cryptodata profiles use NAME');
  }
  const doctor = await run(['doctor', '--exit-code'], { env });
  expect(doctor).toMatchObject({ code: 10, stdout: expect.stringMatching(/settings +problem .*acne/) });
  // Commands with -p still work. `profiles use` replaces the missing default profile.
  expect((await run(['config', 'list', '-p', 'acme'], { env })).code).toBe(0);
  expect((await run(['profiles', 'use', 'acme'], { env })).code).toBe(0);
  expect((await run(['config', 'list'], { env })).code).toBe(0);
});
