import { findSetting, type SettingKey } from '../../config/definitions.ts';
import { type ConfigFile, changeConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';

/** Settings to keep in the profile: typed now, or given by flag. */
export type Typed = Readonly<Partial<Record<SettingKey, string>>>;

export async function askSetting(context: Context, key: SettingKey): Promise<string> {
  const { ask } = await import('../../cli/prompts.ts');
  const { describe, check } = findSetting(key);
  const answer = await ask(describe, context.signal, (text) => check?.(text, key));
  return check ? check(answer, key) : answer;
}

/** Asks, and keeps the answer at once: nobody has to type it again because a later step failed. */
export async function askAndKeep(context: Context, settings: Settings, key: SettingKey): Promise<string> {
  const answer = await askSetting(context, key);
  await keepSettings(context, settings, { [key]: answer });
  return answer;
}

/** Keeps them in config.toml, in the profile that is in use. */
export async function keepSettings(context: Context, { profile }: Settings, values: Typed): Promise<void> {
  if (Object.keys(values).length === 0) return;
  const change = (config: ConfigFile) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: { ...config.profiles[profile], ...values } },
  });
  await changeConfig(configFile(context.directory), change, context.signal);
}
