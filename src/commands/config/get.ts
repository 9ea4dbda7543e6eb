import { text } from '../../api/records.ts';
import { verb } from '../../cli/define.ts';
import { made, oneOf } from '../../cli/output.ts';
import { findSetting } from '../../config/definitions.ts';
import { NotFoundError } from '../../core/errors.ts';
import { keyOperand } from './key.ts';

export const getSetting = verb({
  name: 'get',
  summary: 'Print the value of one setting',
  operands: [keyOperand],
  flags: {},
  examples: {
    'Print the address of the data API': 'cryptodata config get base_url',
  },
  prints: 'Only the value; with -o json: { key, value }.',
  output: [oneOf(made({ key: text, value: text }))],
  exits: [0, 2, 5],
  async run(context, _flags, [given = '']) {
    const { key } = findSetting(given);
    const settings = await context.settings();
    const value = settings.get(key);
    if (value === undefined) {
      throw new NotFoundError('NOT_SET', `${key} is not set`, {
        hint: `Set a value: cryptodata config set ${key} VALUE${settings.profileGiven}`,
      });
    }
    return { kind: 'text', text: value, record: { key, value } };
  },
});
