import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeConfig } from '../../src/config/change.ts';
import { checkProfileName, readConfig } from '../../src/config/file.ts';
import { configDirectory } from '../../src/config/paths.ts';
import { acquireLock } from '../../src/core/lock.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cryptodata-test-'));
  path = join(directory, 'sub', 'config.toml');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const set = (profile: string, key: string, value: string) =>
  changeConfig(path, (config) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: { ...config.profiles[profile], [key]: value } },
  }));

describe('config.toml', () => {
  test('a profile named "constructor" does not exist until it is written', async () => {
    expect((await readConfig(path)).profiles['constructor']).toBeUndefined();
    await set('constructor', 'output', 'json');
    expect((await readConfig(path)).profiles['constructor']).toEqual({ output: 'json' });
    expect((await readConfig(path)).profiles['toString']).toBeUndefined();
  });

  test('Ctrl-C ends the wait for another process that changes config.toml', async () => {
    const release = await acquireLock(`${path}.lock`, {});
    const ended = changeConfig(path, (config) => config, AbortSignal.abort(new Error('Ctrl-C')));
    await expect(ended).rejects.toThrow('Ctrl-C');
    await release();
  });

  test('a missing config.toml means that no profiles exist', async () => {
    expect(await readConfig(path)).toEqual({ profiles: {} });
  });

  test('config.toml contains one table per profile and is readable only by its owner', async () => {
    await set('default', 'tz', 'Europe/Berlin');
    await set('acme.eu', 'base_url', 'https://a.example');
    expect(await readFile(path, 'utf8')).toBe(
      '[profiles.default]\ntz = "Europe/Berlin"\n\n[profiles."acme.eu"]\nbase_url = "https://a.example"\n',
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, 'sub'))).toEqual(['config.toml']);
  });

  test('changing a setting preserves comments and layout in config.toml', async () => {
    await set('default', 'tz', 'UTC');
    await writeFile(
      path,
      '# mine\nprofile = "default" # always\n\n[profiles.default]\ntz   = "UTC" # zone\n',
    );
    await set('default', 'tz', 'Europe/Berlin');
    await set('default', 'output', 'json');
    const text = await readFile(path, 'utf8');
    for (const part of [
      '# mine',
      'profile = "default" # always',
      '"Europe/Berlin" # zone',
      'output = "json"',
    ]) {
      expect(text).toContain(part);
    }
    expect(await readConfig(path)).toEqual({
      profile: 'default',
      profiles: { default: { tz: 'Europe/Berlin', output: 'json' } },
    });
  });

  test('concurrent changes to config.toml are all kept', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => set(name, 'output', 'json')));
    expect(Object.keys((await readConfig(path)).profiles).sort()).toEqual([...names].sort());
  });

  test('a change to config.toml through a symbolic link keeps the link', async () => {
    await writeFile(join(directory, 'dotfile.toml'), '[profiles.default]\ntz = "UTC"\n');
    await symlink(join(directory, 'dotfile.toml'), join(directory, 'config.toml'));
    await changeConfig(join(directory, 'config.toml'), () => ({
      profiles: { default: { tz: 'Europe/Berlin' } },
    }));
    expect((await lstat(join(directory, 'config.toml'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(directory, 'dotfile.toml'), 'utf8')).toContain('Europe/Berlin');
  });

  test('a config.toml that cannot be read or written causes a usage error', async () => {
    await mkdir(path, { recursive: true });
    await expect(set('default', 'tz', 'UTC')).rejects.toMatchObject({
      kind: 'usage',
      code: 'CONFIG_UNREADABLE',
    });
    await rm(path, { recursive: true });
    await writeFile(join(directory, 'file'), '');
    await expect(
      changeConfig(join(directory, 'file', 'config.toml'), (config) => config),
    ).rejects.toMatchObject({
      kind: 'usage',
    });
  });

  test('config.toml is deleted when the last profile is removed', async () => {
    await set('default', 'tz', 'UTC');
    await changeConfig(path, () => ({ profiles: {} }));
    expect(await readdir(join(directory, 'sub'))).toEqual([]);
  });

  test.each([
    ['invalid TOML', 'profile = ', 'CONFIG_INVALID'],
    ['an unknown key', 'base_url = "https://a.example"\n', 'CONFIG_INVALID'],
    ['an unknown setting', '[profiles.default]\ntime_zone = "UTC"\n', 'CONFIG_INVALID'],
    ['a number instead of a string', '[profiles.default]\ntz = 1\n', 'CONFIG_INVALID'],
    ['profiles that differ only in case', '[profiles.acme]\n[profiles.Acme]\n', 'CONFIG_INVALID'],
    ['a profile that is not a table', 'profiles.default = "x"\n', 'CONFIG_INVALID'],
    ['a profile name that leads out of the directory', '[profiles."../x"]\ntz = "UTC"\n', 'BAD_PROFILE_NAME'],
  ])('config.toml with %s is rejected and not changed', async (_, text, code) => {
    await set('default', 'tz', 'UTC');
    await writeFile(path, text);
    await expect(readConfig(path)).rejects.toMatchObject({ kind: 'usage', code });
    await expect(set('default', 'tz', 'UTC')).rejects.toMatchObject({ code });
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

test('the error for an invalid config.toml contains the position or the setting, but does not quote the line', async () => {
  const messageFor = async (text: string) => {
    await mkdir(join(directory, 'sub'), { recursive: true });
    await writeFile(path, text);
    return readConfig(path).then(String, ({ message, hint }) => ({ message, hint }));
  };
  expect(await messageFor('[profiles.default]\ntoken = hush-1234\n')).toEqual({
    message: `${path} is not valid TOML: invalid value (line 2, column 9)`,
    hint: 'Correct the file, or delete it and set the values again.',
  });
  expect(await messageFor('[profiles.acme]\nbase-url = "https://a.example"\n')).toEqual({
    message: `${path}: Unknown setting "base-url" in [profiles.acme]`,
    hint: 'Did you mean base_url?',
  });
  expect(await messageFor('[profiles.acme]\n[profiles.Acme]\n')).toMatchObject({
    message: `${path}: the names of the profiles acme and Acme differ only in case`,
  });
});

test.each(['', '.', '..', '../x', 'a/b', 'a b', 'a:b', '-a', 'x'.repeat(65), 'é'])(
  'rejects %j as a profile name',
  (name) => {
    expect(() => checkProfileName(name)).toThrow(expect.objectContaining({ code: 'BAD_PROFILE_NAME' }));
  },
);

describe('the configuration directory', () => {
  test('CRYPTODATA_CONFIG_DIR overrides XDG_CONFIG_HOME, and both override the platform default', () => {
    expect(configDirectory({ CRYPTODATA_CONFIG_DIR: '/x', XDG_CONFIG_HOME: '/y' }, 'linux')).toBe('/x');
    expect(configDirectory({ XDG_CONFIG_HOME: '/y' }, 'linux')).toBe('/y/cryptodata');
    expect(configDirectory({ HOME: '/h' }, 'linux')).toBe('/h/.config/cryptodata');
    expect(configDirectory({ APPDATA: 'C:\\Users\\a\\AppData\\Roaming' }, 'win32')).toContain('Roaming');
  });
});
