import { checkKnown } from '../../auth/profiles.ts';
import { verb } from '../../cli/define.ts';
import { SILENT } from '../../cli/outcome.ts';
import { changeConfig } from '../../config/change.ts';
import { type ConfigFile, checkProfileName, readConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';

export const use = verb({
  name: 'use',
  summary: 'Set the default profile',
  operands: [{ written: '<profile>', describe: 'name of the profile' }],
  flags: {},
  examples: {
    'Switch to the profile of another client firm': 'cryptodata profiles use acme',
  },
  prints: 'Nothing on stdout.',
  exits: [0, 2],
  anyProfile: true,
  async run(context, _flags, [given = '']) {
    const name = checkProfileName(given);
    const path = configFile(context.directory);
    await checkKnown(context.directory, await readConfig(path), name);
    const choose = (config: ConfigFile) => ({ ...config, profile: name });
    await changeConfig(path, choose, context.signal);
    context.note(`Commands now use profile ${name}.`);
    return SILENT;
  },
});
