import { type ConfigFile, changeConfig, checkProfileName } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import { SILENT } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { checkKnown } from './unknown.ts';

export const use = verb({
  name: 'use',
  summary: 'Choose the profile that commands use from now on',
  operands: [{ written: '<name>', describe: 'name of the profile' }],
  flags: {},
  examples: [{ says: 'Work for another client firm', line: 'cryptodata profiles use acme' }],
  prints: 'Nothing on stdout.',
  exits: [0, 2, 5],
  async run(context, _flags, [given = '']) {
    const name = checkProfileName(given);
    await checkKnown(context.directory, name);
    const choose = (config: ConfigFile) => ({ ...config, profile: name });
    await changeConfig(configFile(context.directory), choose, context.signal);
    context.note(`Commands now use profile ${name}.`);
    return SILENT;
  },
});
