import { readConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import { verb } from '../define.ts';
import { sameColumns } from '../shared.ts';

export const list = verb({
  name: 'list',
  summary: 'List the profiles',
  flags: {},
  examples: [{ says: 'Names alone', line: 'cryptodata profiles --json | jq -r ".[].name"' }],
  prints: 'Records { name, active, base_url, client_id }.',
  exits: [0, 2],
  async run(context) {
    const { profiles } = await readConfig(configFile(context.directory));
    const active = (await context.settings()).profile;
    const rows = Object.entries(profiles).map(([name, settings]) => ({
      name,
      active: name === active,
      base_url: settings['base_url'] ?? null,
      client_id: settings['client_id'] ?? null,
    }));
    return {
      kind: 'rows',
      rows,
      columns: sameColumns('name', 'active', 'base_url', 'client_id'),
      none: 'There is no profile yet. cryptodata login makes one.',
    };
  },
});
