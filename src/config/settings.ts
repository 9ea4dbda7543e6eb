import { usageError } from '../core/errors.ts';
import { shellWord } from '../core/text.ts';
import { findSetting, type Setting, type SettingKey } from './definitions.ts';
import { type ConfigFile, checkProfileName } from './file.ts';

export type Origin =
  | { readonly from: 'flag'; readonly name: string }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'profile'; readonly name: string }
  | { readonly from: 'default' };

export interface ResolvedSetting {
  readonly value: string;
  readonly origin: Origin;
}

export interface SettingsSources {
  /** Maps each setting to the value of its flag, if the flag was passed. */
  readonly flags: Readonly<Partial<Record<SettingKey, string>>>;
  /** `--profile`, if passed. */
  readonly profileFlag?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly file: ConfigFile;
}

/**
 * Finds the value of a setting. A flag takes precedence over the environment, the environment over the profile in
 * `config.toml`, and the profile over the default.
 */
export class Settings {
  /** Whether the user passed `-p`. */
  readonly profileNamed: boolean;
  readonly #sources: SettingsSources;
  readonly #names: readonly string[];

  constructor(sources: SettingsSources) {
    this.#sources = sources;
    this.profileNamed = sources.profileFlag !== undefined;
    const variable = sources.env['CRYPTODATA_PROFILE'] || undefined;
    this.#names =
      !this.profileNamed && variable?.includes(',')
        ? variable.split(',').map((name) => name.trim())
        : [sources.profileFlag ?? variable ?? sources.file.profile ?? 'default'];
    for (const name of this.#names) checkProfileName(name);
  }

  /**
   * Name of the current profile.
   *
   * @throws usage error `ONE_PROFILE_ONLY` if CRYPTODATA_PROFILE contains several names
   */
  get profile(): string {
    const [name = '', ...others] = this.#names;
    if (others.length === 0) return name;
    throw usageError(
      `CRYPTODATA_PROFILE contains several profiles (${this.#names.join(', ')}), but this command accepts only one`,
      'Pass -p NAME, or set CRYPTODATA_PROFILE to one name.',
      'ONE_PROFILE_ONLY',
    );
  }

  /**
   * ` -p NAME` for a suggested command if the user passed `-p`; otherwise empty.
   *
   * @throws usage error `ONE_PROFILE_ONLY` if CRYPTODATA_PROFILE contains several names
   */
  get profileGiven(): string {
    const name = shellWord(this.profile);
    return this.profileNamed ? ` -p ${name}` : '';
  }

  /** Names of the current profiles. CRYPTODATA_PROFILE may contain several names. */
  get profiles(): readonly string[] {
    return this.#names;
  }

  /** Whether the current profile exists: `config.toml` contains the profile, or its name is `default`. */
  get hasProfile(): boolean {
    return this.profile === 'default' || Object.hasOwn(this.#sources.file.profiles, this.profile);
  }

  /** Returns settings for another profile, with the same flags, environment and file. */
  of(profile: string): Settings {
    return this.#names.length === 1 && profile === this.profile
      ? this
      : new Settings({ ...this.#sources, profileFlag: profile });
  }

  /** Returns settings with these values added to the current profile. The file is not changed. */
  withValues(values: Readonly<Partial<Record<SettingKey, string>>>): Settings {
    const { file } = this.#sources;
    const profiles = { ...file.profiles, [this.profile]: { ...file.profiles[this.profile], ...values } };
    return new Settings({ ...this.#sources, file: { ...file, profiles } });
  }

  /** Returns the checked value and its origin. Returns undefined if the setting has no value. */
  resolve(key: SettingKey): ResolvedSetting | undefined {
    const setting = findSetting(key);
    const found = this.#find(setting);
    if (!found || !setting.check) return found;
    return { ...found, value: setting.check(found.value, described(setting, found.origin)) };
  }

  #find(setting: Setting & { readonly key: SettingKey }): ResolvedSetting | undefined {
    const { flags, env, file } = this.#sources;
    const flag = flags[setting.key];
    if (flag !== undefined)
      return { value: flag, origin: { from: 'flag', name: `--${setting.flag ?? setting.key}` } };
    const variable = setting.env === undefined ? undefined : env[setting.env];
    if (setting.env !== undefined && variable)
      return { value: variable, origin: { from: 'environment', name: setting.env } };
    const kept = this.#names.length === 1 ? file.profiles[this.profile]?.[setting.key] : undefined;
    if (kept !== undefined) return { value: kept, origin: { from: 'profile', name: this.profile } };
    return setting.default === undefined
      ? undefined
      : { value: setting.default, origin: { from: 'default' } };
  }

  get(key: SettingKey): string | undefined {
    return this.resolve(key)?.value;
  }

  /** @throws usage error `MISSING_SETTING`, which explains how to set the value */
  require(key: SettingKey): string {
    const value = this.get(key);
    if (value !== undefined) return value;
    const setting = findSetting(key);
    const ways = [
      setting.flag && `--${setting.flag} VALUE`,
      setting.env && `export ${setting.env}=VALUE`,
      `cryptodata config set ${key} VALUE${this.profileGiven}`,
    ].filter(Boolean);
    const builtIn = key.endsWith('_url') ? '; no address is built in' : '';
    throw usageError(
      `${key} is not set${builtIn}`,
      [
        `${setting.describe}. Set the value for one command, for this shell, or permanently:`,
        ...ways.map((way) => `  ${way}`),
        'To try the tool without an account:',
        '  cryptodata sandbox exec -- cryptodata ledgers',
      ].join('\n'),
      'MISSING_SETTING',
    );
  }
}

function described(setting: Setting, origin: Origin): string {
  if (origin.from === 'flag' || origin.from === 'environment') return origin.name;
  return origin.from === 'profile' ? `${setting.key} in profile ${origin.name}` : setting.key;
}
