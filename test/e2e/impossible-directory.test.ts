import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, run, temporary } from './harness.ts';

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

test('ignores a relative XDG_CONFIG_HOME, as the XDG specification requires', async () => {
  const env = { CRYPTODATA_CONFIG_DIR: undefined, XDG_CONFIG_HOME: 'somewhere', HOME: '/home/nobody' };
  const { stdout } = await run(['config', 'path'], { env });
  expect(stdout).toBe('/home/nobody/.config/cryptodata/config.toml\n');
});
