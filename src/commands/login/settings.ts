import { changeProfile } from '../../config/change.ts';
import { findSetting, type SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';

export async function askSetting(context: Context, key: SettingKey): Promise<string> {
  const { ask } = await import('../../cli/prompts.ts');
  const { describe, check } = findSetting(key);
  const answer = await ask(describe, context.signal, (text) => check?.(text, key));
  return check ? check(answer, key) : answer;
}

/** Asks for a setting and stores it immediately, so that a later failure does not lose the answer. */
export async function askAndStore(context: Context, settings: Settings, key: SettingKey): Promise<string> {
  const answer = await askSetting(context, key);
  await changeProfile(context.directory, settings.profile, { [key]: answer }, context.signal);
  return answer;
}
