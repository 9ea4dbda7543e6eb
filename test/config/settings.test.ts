import { describe, expect, test } from 'vitest';
import { SETTINGS, type SettingKey } from '../../src/config/definitions.ts';
import type { ConfigFile } from '../../src/config/file.ts';
import { Settings } from '../../src/config/settings.ts';
import { CryptodataError } from '../../src/core/errors.ts';

interface Parts {
  readonly flags?: Partial<Record<SettingKey, string>>;
  readonly profileFlag?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly file?: ConfigFile;
}

function settings({ flags = {}, profileFlag, env = {}, file = { profiles: {} } }: Parts = {}): Settings {
  return new Settings({ flags, profileFlag, env, file });
}

function failure(run: () => unknown): CryptodataError {
  try {
    run();
  } catch (error) {
    if (error instanceof CryptodataError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const PROFILES: ConfigFile = {
  profile: 'acme',
  profiles: {
    acme: { base_url: 'https://acme.example', tz: 'Europe/Berlin' },
    default: { base_url: 'https://d.example' },
  },
};

describe('precedence', () => {
  test('a setting is read from flag, environment, profile or default, in this order', () => {
    const flags = { base_url: 'https://flag.example' };
    const env = { CRYPTODATA_BASE_URL: 'https://env.example' };
    expect(settings({ flags, env, file: PROFILES }).resolve('base_url')).toEqual({
      value: 'https://flag.example',
      origin: { from: 'flag', name: '--base-url' },
    });
    expect(settings({ env, file: PROFILES }).resolve('base_url')).toEqual({
      value: 'https://env.example',
      origin: { from: 'environment', name: 'CRYPTODATA_BASE_URL' },
    });
    expect(settings({ file: PROFILES }).resolve('base_url')).toEqual({
      value: 'https://acme.example',
      origin: { from: 'profile', name: 'acme' },
    });
    expect(settings().resolve('output')).toEqual({ value: 'table', origin: { from: 'default' } });
    expect(settings().resolve('base_url')).toBeUndefined();
  });

  test('ignores an empty environment variable', () => {
    expect(settings({ env: { CRYPTODATA_BASE_URL: '' }, file: PROFILES }).get('base_url')).toBe(
      'https://acme.example',
    );
  });

  test('the profile name is read from flag, environment, file or default, in this order', () => {
    expect(settings({ profileFlag: 'a', env: { CRYPTODATA_PROFILE: 'b' }, file: PROFILES }).profile).toBe(
      'a',
    );
    expect(settings({ env: { CRYPTODATA_PROFILE: 'b' }, file: PROFILES }).profile).toBe('b');
    expect(settings({ file: PROFILES }).profile).toBe('acme');
    expect(settings().profile).toBe('default');
  });

  test('rejects an empty --profile instead of using the default profile', () => {
    expect(failure(() => settings({ profileFlag: '', file: PROFILES }))).toMatchObject({
      code: 'BAD_PROFILE_NAME',
    });
  });

  test('CRYPTODATA_PROFILE may contain several profiles, except for a command that requires a single profile', () => {
    const several = settings({ env: { CRYPTODATA_PROFILE: 'acme, default' }, file: PROFILES });
    expect([several.profiles, several.get('tz'), several.get('keychain')]).toEqual([
      ['acme', 'default'],
      undefined,
      'os',
    ]);
    expect(several.of('acme').get('tz')).toBe('Europe/Berlin');
    for (const needed of [() => several.profile, () => several.require('base_url')]) {
      expect(failure(needed)).toMatchObject({
        code: 'ONE_PROFILE_ONLY',
        hint: 'Pass -p NAME, or set CRYPTODATA_PROFILE to one name.',
      });
    }
    expect(failure(() => settings({ env: { CRYPTODATA_PROFILE: 'a,../b' } }))).toMatchObject({
      code: 'BAD_PROFILE_NAME',
    });
  });

  test('withValues overrides one setting of a profile, and keeps the other settings', () => {
    const acme = settings({ file: PROFILES });
    expect(acme.withValues({ client_id: 'c' }).get('client_id')).toBe('c');
    expect(acme.withValues({ client_id: 'c' }).get('tz')).toBe('Europe/Berlin');
  });
});

describe('a missing address', () => {
  test('the error for a missing address lists every way to set the address, including the sandbox', () => {
    const error = failure(() => settings().require('base_url'));
    expect(error).toMatchObject({ kind: 'usage', code: 'MISSING_SETTING' });
    expect(error.message).toContain('no address is built in');
    for (const way of [
      '--base-url',
      'CRYPTODATA_BASE_URL',
      'cryptodata config set base_url',
      'cryptodata sandbox',
    ]) {
      expect(error.hint).toContain(way);
    }
  });
});

describe('validation of values', () => {
  test.each([
    ['base_url', 'http://api.example.com', 'INSECURE_ADDRESS'],
    ['base_url', 'api.example.com', 'BAD_ADDRESS'],
    ['base_url', 'https://user:pw@api.example.com', 'BAD_ADDRESS'],
    ['base_url', 'https://api.example.com/?x=1', 'BAD_ADDRESS'],
    ['base_url', 'ftp://api.example.com', 'INSECURE_ADDRESS'],
    ['base_url', 'http://127.0.0.1.example.com', 'INSECURE_ADDRESS'],
    ['output', 'jsn', 'BAD_SETTING'],
    ['tz', 'Europe/Berln', 'BAD_SETTING'],
    ['keychain', 'plain', 'BAD_SETTING'],
    ['redirect_uri', 'https://evil.example/callback', 'BAD_SETTING'],
    ['redirect_uri', 'http://127.0.0.1/callback', 'BAD_SETTING'],
    ['redirect_uri', 'http://0.0.0.0:8976/callback', 'BAD_SETTING'],
  ] as const)('rejects the setting %s = %s', (key, value, code) => {
    expect(failure(() => settings({ flags: { [key]: value } }).get(key))).toMatchObject({
      kind: 'usage',
      code,
    });
  });

  test.each([
    ['base_url', 'https://api.example.com/', 'https://api.example.com'],
    ['base_url', 'http://127.0.0.1:8977', 'http://127.0.0.1:8977'],
    ['base_url', 'http://[::1]:8977/sub/', 'http://[::1]:8977/sub'],
    ['redirect_uri', 'http://localhost:9000/cb', 'http://localhost:9000/cb'],
    ['tz', 'Europe/Berlin', 'Europe/Berlin'],
    ['tz', 'CET', 'CET'],
    ['tz', 'Etc/UTC', 'UTC'],
    ['tz', 'europe/berlin', 'Europe/Berlin'],
  ] as const)('parses the setting %s = %s as %s', (key, value, taken) => {
    expect(settings({ flags: { [key]: value } }).get(key)).toBe(taken);
  });

  test('suggests the nearest valid spelling of a setting value', () => {
    expect(failure(() => settings({ flags: { tz: 'Europe/Berln' } }).get('tz')).hint).toContain(
      'Europe/Berlin',
    );
    expect(failure(() => settings({ flags: { output: 'jsn' } }).get('output')).hint).toContain('json');
  });

  test('accepts the default of every setting', () => {
    for (const { key } of SETTINGS) expect(() => settings().get(key)).not.toThrow();
  });
});
