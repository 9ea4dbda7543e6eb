import { text } from '../../api/records.ts';
import { verb } from '../../cli/define.ts';
import { made, oneOf } from '../../cli/output.ts';
import { configFile } from '../../config/paths.ts';

export const path = verb({
  name: 'path',
  summary: 'Print the path of config.toml',
  flags: {},
  examples: {
    'Open the file in an editor': '$EDITOR "$(cryptodata config path)"',
  },
  prints: 'Only the path; with -o json: { path }. The file may not exist yet.',
  output: [oneOf(made({ path: text }))],
  exits: [0, 2],
  async run(context) {
    const file = configFile(context.directory);
    return { kind: 'text', text: file, record: { path: file } };
  },
});
