import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasAccount } from '../needs.ts';
import { bash, ENTRY, type Env, launch, run, temporary } from './harness.ts';

// If a parent directory cannot be created, Node's recursive mkdir never returns. Only SIGKILL ends the process.
const FILE = { CRYPTODATA_KEYCHAIN: 'file', CRYPTODATA_PASSPHRASE: 'correct horse battery staple' };

describe('commands exit with 2 if the configuration directory cannot be created', () => {
  test.skipIf(process.platform !== 'linux').each([
    ['below /proc', '/proc/self/x'],
    ['behind a broken link', 'BROKEN'],
  ])('%s', async (_, place) => {
    const directory = place === 'BROKEN' ? join(temporary(), 'link') : place;
    if (place === 'BROKEN') symlinkSync(join(directory, '..', 'missing'), directory);
    const env = { ...FILE, CRYPTODATA_CONFIG_DIR: directory };
    const set = await run(['config', 'set', 'tz', 'UTC'], { env });
    expect(set).toMatchObject({ code: 2, stdout: '' });
    expect(set.stderr).toContain(`Cannot create ${directory}/config.toml.lock`);
    expect(set.stderr).toContain('CRYPTODATA_CONFIG_DIR');
    expect((await run(['logout'], { env })).code).toBe(2);
  });

  test('exits with 2 for a relative configuration directory if the working directory was deleted', async () => {
    const cwd = join(temporary(), 'gone');
    mkdirSync(cwd);
    const env = { ...FILE, CRYPTODATA_CONFIG_DIR: './here/settings' };
    const { code, stderr } = await bash('rmdir "$PWD" && cryptodata config set tz UTC', { env, cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('Cannot create here/settings/config.toml.lock');
  });
});

describe('the home folder', () => {
  /** Runs a command as a user who has no entry in the user database, such as an arbitrary user in a container. */
  function asUnknownUser(args: string[], env: Env) {
    const file = join(temporary(), 'unknown.cjs');
    writeFileSync(
      file,
      "require('node:os').userInfo = require('node:os').homedir = () => { throw new Error('ENOENT'); };",
    );
    return launch(process.execPath, ['--require', file, ENTRY, ...args], { env }).ended;
  }

  describe.each([undefined, '', 'relative'])('if HOME is %j', (HOME) => {
    const env = { CRYPTODATA_CONFIG_DIR: undefined, HOME };

    test.skipIf(!hasAccount())('the home folder comes from the user database', async () => {
      const { stdout } = await run(['config', 'path'], { env });
      expect(stdout).toBe(`${userInfo().homedir}/.config/cryptodata/config.toml\n`);
    });

    test('the home folder is unknown if the user is not in the user database', async () => {
      const { code, stderr } = await asUnknownUser(['config', 'path'], env);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/The home folder is unknown.*\nSet HOME/)]);
    });
  });

  test('no home folder is needed if CRYPTODATA_CONFIG_DIR is set', async () => {
    const env = { HOME: undefined, CRYPTODATA_CONFIG_DIR: temporary() };
    expect((await asUnknownUser(['config', 'path'], env)).code).toBe(0);
    const load = ['mirror', 'load', temporary(), '--to', 'postgres://127.0.0.1:1/books'];
    const { code, stderr } = await asUnknownUser(load, env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The --to address has no user')]);
  });
});

test('ignores a relative XDG_CONFIG_HOME, as the XDG specification requires', async () => {
  const env = { CRYPTODATA_CONFIG_DIR: undefined, XDG_CONFIG_HOME: 'somewhere', HOME: '/home/nobody' };
  const { stdout } = await run(['config', 'path'], { env });
  expect(stdout).toBe('/home/nobody/.config/cryptodata/config.toml\n');
});
