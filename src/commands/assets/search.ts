import { usageError } from '../../base/errors.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { openColumns } from '../../output/open.ts';
import { verb } from '../define.ts';
import { text } from '../flags.ts';
import { showList } from '../lists.ts';
import { OPEN_PRINTS, openListFlags } from '../open-list.ts';
import { parametersOf } from '../parameters.ts';

export const search = verb({
  name: 'search',
  summary: 'Search assets by contract address, or by a text',
  about:
    'The specification names one parameter, contractAddress. Which one takes a text it does not show: --text-parameter says its name, and TEXT is sent as its value; or pass it yourself with -q.',
  operands: [{ written: '[text]', describe: 'what to look for; needs --text-parameter' }],
  flags: {
    contractAddress: text('--contract-address <address>', 'the asset of this contract'),
    textParameter: text('--text-parameter <name>', "the service's parameter that takes TEXT"),
    ...openListFlags,
  },
  examples: [
    {
      says: 'Which asset is this contract?',
      line: 'cryptodata assets search --contract-address 0xdac17f958d2ee523a2206206994597c13d831ec7',
    },
    {
      says: 'By a text, where the parameter is called q',
      line: 'cryptodata assets search bitcoin --text-parameter q',
    },
  ],
  prints: OPEN_PRINTS,
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { contractAddress, textParameter, limit, offset, all, parameters, columns }, [given]) {
    const client = await context.client();
    const extra = { ...textQuery(given, textParameter), ...parametersOf(parameters) };
    return showList(context, {
      listing: client.assets.search({ contractAddress, limit, offset, extra }).asServed(),
      all: all === true,
      limit,
      offset,
      columns: openColumns,
      chosen: columns,
      what: 'assets',
    });
  },
});

function textQuery(given: string | undefined, name: string | undefined): Record<string, string> {
  if (given !== undefined && name !== undefined) return { [name]: given };
  if (given === undefined && name === undefined) return {};
  if (given === undefined) throw usageError(`There is no text to send as ${name}`, 'Write it behind search.');
  throw usageError(
    'The specification does not show which parameter takes a text',
    `Name it: --text-parameter NAME. A contract address goes in --contract-address ${given}.`,
    'UNKNOWN_PARAMETER',
  );
}
