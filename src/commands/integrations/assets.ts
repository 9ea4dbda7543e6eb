import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { parametersOf } from '../../cli/parameters.ts';
import { openColumns } from '../../formats/open.ts';
import { showList } from '../lists.ts';
import { OPEN_PRINTS, openListFlags } from '../open-list.ts';

export const assets = verb({
  name: 'assets',
  summary: 'List the assets of one connected account',
  about:
    'Neither its records nor its parameters are specified: every field that comes is shown, and -q passes any parameter.',
  operands: [{ written: '<id>', describe: 'id of the account: walletId in integrations list' }],
  flags: openListFlags,
  examples: [
    { says: 'What does this account hold?', line: 'cryptodata integrations assets WALLET_ID --all' },
    {
      says: 'The fields that come',
      line: 'cryptodata integrations assets WALLET_ID --json | jq ".[0] | keys"',
    },
  ],
  prints: OPEN_PRINTS,
  exits: [...SERVICE_EXITS, 5].sort((a, b) => a - b),
  reads: true,
  async run(context, { limit, offset, all, parameters, columns }, [id = '']) {
    const client = await context.client();
    const filters = { limit, offset, extra: parametersOf(parameters) };
    return showList(context, {
      listing: client.integrations.assets(id, filters).asServed(),
      all: all === true,
      limit,
      offset,
      columns: openColumns,
      chosen: columns,
      what: 'assets',
    });
  },
});
