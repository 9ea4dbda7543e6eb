import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { type Env, run, temporary } from './harness.ts';
import { terminal } from './tmux.ts';

/** Creates a configuration directory with these profiles. Only the profiles in `sessions` are logged in. */
function configured(profiles: readonly string[], sessions: readonly string[] = [], more = ''): Env {
  const directory = temporary();
  const tables = profiles.map((name) => `[profiles.${name}]\nclient_id = "x"\n`);
  if (profiles.length > 0 || more) writeFileSync(join(directory, 'config.toml'), `${more}${tables.join('')}`);
  mkdirSync(join(directory, 'sessions'));
  for (const name of sessions) writeFileSync(join(directory, 'sessions', `${name}.session`), '');
  return { CRYPTODATA_CONFIG_DIR: directory };
}

type State = readonly [name: string, env: Env, says: RegExp, ...next: string[]];

const STATES: readonly State[] = [
  ['no settings', configured([]), /not set up yet/, 'sandbox exec', 'cryptodata login\n'],
  ['settings without a login', configured(['default']), /default is not logged in/, 'cryptodata login\n'],
  [
    'another default profile without a login',
    configured(['acme'], [], 'profile = "acme"\n'),
    /acme is not logged in/,
    'cryptodata login -p acme',
  ],
  ['a login', configured(['default'], ['default']), /login of profile default/, 'audit', 'export', 'whoami'],
  [
    'several logins',
    configured(['acme', 'beta'], ['acme', 'beta'], 'profile = "acme"\n'),
    /login of profile acme/,
    ...['audit', '-p beta', 'cryptodata profiles'],
  ],
  [
    'a profile in the environment',
    { ...configured(['acme', 'beta'], ['beta']), CRYPTODATA_PROFILE: 'beta' },
    /login of profile beta/,
    'audit',
  ],
  ['a token', { ...configured([]), CRYPTODATA_ACCESS_TOKEN: 'x' }, /CRYPTODATA_ACCESS_TOKEN/, 'whoami'],
  ['an API key', { ...configured([]), CRYPTODATA_API_KEY: 'x' }, /CRYPTODATA_API_KEY/, 'whoami'],
  ['invalid settings', configured([], [], 'profile = 5\n'), /cannot be read/, 'sandbox exec'],
];

describe('cryptodata without a command', () => {
  test.for(STATES)('suggests next commands in at most 20 lines: %s', async ([_, env, says, ...next]) => {
    const { code, stdout, stderr } = await run([], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(says);
    for (const line of [...next, 'cryptodata --help']) expect(stdout).toContain(line);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  });

  test('prints the state and the suggested commands as JSON if CRYPTODATA_OUTPUT is json', async () => {
    const { stdout } = await run([], { env: { ...configured([]), CRYPTODATA_OUTPUT: 'json' } });
    expect(JSON.parse(stdout)).toEqual({
      state: expect.stringContaining('not set up yet'),
      next: ['cryptodata sandbox exec -- cryptodata ledgers', 'cryptodata login'],
    });
  });

  test.skipIf(!needs('tmux'))('fits in a terminal 60 characters wide', async () => {
    const shell = terminal('cryptodata', { columns: 60 }, configured(['acme', 'beta'], ['beta']));
    await shell.shows(/exit=0/);
    for (const line of shell.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
});

test.skipIf(!needs('tmux'))('notes in a terminal are wrapped between words', async () => {
  const env = { HOME: temporary(), SHELL: '/bin/bash' };
  const shell = terminal('cryptodata completion install --dry-run --shell fish', { columns: 24 }, env);
  await shell.shows(/exit=0/);
  expect(shell.screen()).toContain('Nothing was written\n(--dry-run).');
});

describe('help', () => {
  test.each([
    ['environment', ['name', 'meaning', 'secret']],
    ['exit-codes', ['code', 'meaning']],
    ['output', ['format', 'meaning']],
  ])('help %s --json prints one record per table row', async (topic, fields) => {
    const { code, stdout } = await run(['help', topic, '--json']);
    expect(code).toBe(0);
    for (const record of JSON.parse(stdout)) expect(Object.keys(record)).toEqual(fields);
  });

  test('help time --json prints the text as one record', async () => {
    const [text, json] = await Promise.all([run(['help', 'time']), run(['help', 'time', '--json'])]);
    expect(JSON.parse(json.stdout)).toEqual({ topic: 'time', text: text.stdout.trimEnd() });
  });

  test('prints a help topic while a setting is invalid', async () => {
    expect(await run(['help', 'environment'], { env: { CRYPTODATA_OUTPUT: 'xml' } })).toMatchObject({
      code: 0,
    });
  });
});
