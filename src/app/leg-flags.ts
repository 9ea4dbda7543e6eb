import type { SettingKey } from '../config/definitions.ts';
import type { Settings } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { shellWord } from '../core/text.ts';
import type { Mirror } from '../mirror/open.ts';

export interface LegFlags {
  readonly file?: string | undefined;
  readonly mirror?: string | Mirror | undefined;
  readonly snapshot?: string | undefined;
  readonly period?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly fiscalYearStart?: string | undefined;
  readonly wallet?: readonly string[] | undefined;
  readonly asset?: readonly string[] | undefined;
}

/** Returns the value of a setting if the user gave it as a flag. */
export function settingFromFlag(settings: Settings, key: SettingKey): string | undefined {
  const found = settings.resolve(key);
  return found?.origin.from === 'flag' ? found.value : undefined;
}

/**
 * Returns the flags to append to a suggested command, such as ` --period 2025 --tz Europe/Berlin`. With these flags, the
 * suggested command reads the same legs as the current command. The time zone, the workspace and the profile are included only
 * if the user gave them as flags.
 */
export async function legFlags(context: Context, selecting: LegFlags): Promise<string> {
  const { file, mirror, snapshot, period, from, to, fiscalYearStart, wallet = [], asset = [] } = selecting;
  const settings = await context.settings();
  const given = {
    file: [file],
    mirror: [typeof mirror === 'object' ? mirror.directory : mirror],
    snapshot: [snapshot],
    ...{ period: [period], from: [from], to: [to], 'fiscal-year-start': [fiscalYearStart] },
    ...{
      wallet,
      asset,
      tz: [settingFromFlag(settings, 'tz')],
      workspace: [settingFromFlag(settings, 'workspace')],
    },
  };
  const flags = Object.entries(given)
    .flatMap(([name, values]) => values.map((value) => ({ name, value })))
    .map(({ name, value }) => (value === undefined ? '' : ` --${name} ${shellWord(value)}`))
    .join('');
  return flags + settings.profileGiven;
}
