import { verb } from '../../cli/define.ts';
import { configFile } from '../../config/paths.ts';

export const path = verb({
  name: 'path',
  summary: 'Print where config.toml is',
  flags: {},
  examples: [{ says: 'Open it in an editor', line: '$EDITOR "$(cryptodata config path)"' }],
  prints: 'The path alone; { path } with -o json. The file need not exist yet.',
  exits: [0, 2],
  async run(context) {
    const file = configFile(context.directory);
    return { kind: 'text', text: file, record: { path: file } };
  },
});
