import { nullable, text } from '../../api/records.ts';
import { sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { warning } from '../../cli/outcome.ts';
import { listOf, made, optional } from '../../cli/output.ts';
import { SETTINGS } from '../../config/definitions.ts';
import type { Origin } from '../../config/settings.ts';

export const listSettings = verb({
  name: 'list',
  summary: 'List every setting with its value',
  flags: { showOrigin: toggle('--show-origin', 'show where each value comes from') },
  examples: {
    'List every setting and its origin': 'cryptodata config list --show-origin',
    'List the settings of another profile': 'cryptodata config list -p acme',
  },
  prints:
    'Records { key, value }, or { key, value, origin } with --show-origin. "value" is null if the setting is not set.',
  output: [listOf(made({ key: text, value: nullable(text), origin: optional(nullable(text)) }))],
  exits: [0, 2],
  async run(context, { showOrigin }) {
    const settings = await context.settings();
    const rows = SETTINGS.map(({ key }) => {
      const found = settings.resolve(key);
      const row = { key, value: found?.value ?? null };
      return showOrigin ? { ...row, origin: found ? originText(found.origin) : null } : row;
    });
    const { profiles } = settings;
    const none = `CRYPTODATA_PROFILE contains several profiles (${profiles.join(', ')}), so profile settings are not shown. To choose one profile: -p NAME`;
    return {
      kind: 'rows',
      rows,
      notes: () => (profiles.length > 1 ? [warning(none)] : []),
      columns: showOrigin ? sameColumns('key', 'value', 'origin') : sameColumns('key', 'value'),
    };
  },
});

function originText(origin: Origin): string {
  return origin.from === 'default' ? 'default' : `${origin.from} ${origin.name}`;
}
