import { changeConfig } from '../../config/change.ts';
import { findSetting, type SettingKey } from '../../config/definitions.ts';
import type { ConfigFile } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';

/** Settings to store in the profile. Each setting was typed at a prompt or passed as a flag. */
export type Typed = Readonly<Partial<Record<SettingKey, string>>>;

export async function askSetting(context: Context, key: SettingKey): Promise<string> {
  const { ask } = await import('../../cli/prompts.ts');
  const { describe, check } = findSetting(key);
  const answer = await ask(describe, context.signal, (text) => check?.(text, key));
  return check ? check(answer, key) : answer;
}

/** Asks for a setting and stores it immediately, so that the answer is kept even if a later step fails. */
export async function askAndStore(context: Context, settings: Settings, key: SettingKey): Promise<string> {
  const answer = await askSetting(context, key);
  await storeSettings(context, settings, { [key]: answer });
  return answer;
}

export async function storeSettings(context: Context, { profile }: Settings, values: Typed): Promise<void> {
  if (Object.keys(values).length === 0) return;
  const change = (config: ConfigFile) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: { ...config.profiles[profile], ...values } },
  });
  await changeConfig(configFile(context.directory), change, context.signal);
}
