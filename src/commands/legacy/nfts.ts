import { columnsFlag } from '../../cli/common-flags.ts';
import { type Flag, verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { choice, integer, list, text, toggle } from '../../cli/flags.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { usageError } from '../../core/errors.ts';
import { showList } from '../lists.ts';
import { NFT_COLUMNS } from './columns.ts';

const MOST_VALUES = 30;

export const nfts = verb({
  name: 'nfts',
  summary: 'List NFTs, as the previous API gives them',
  about: 'Needs the scope portfolios:read. Now: "cryptodata holdings nfts".',
  flags: {
    source: few('--source <list>', 'held at these sources: at most 30'),
    collection: few('--collection <ids>', 'of these collections: at most 30'),
    chain: choice('--chain <chain>', 'ethereum or polygon', ['ethereum', 'polygon']),
    tokenId: text('--token-id <id>', 'with this token id'),
    contract: text('--contract <address>', 'of this contract'),
    limit: integer('--limit <n>', 'number of rows to show, over as many pages as it takes', { min: 1 }),
    offset: integer('--offset <n>', 'rows to skip', { min: 0 }),
    all: toggle('--all', 'follow the pages to the end'),
    parameters: parameterFlag,
    columns: columnsFlag,
  },
  examples: [
    { says: 'All of them', line: 'cryptodata legacy nfts --all' },
    { says: 'On one chain, as CSV', line: 'cryptodata legacy nfts --chain polygon --all --csv > nfts.csv' },
  ],
  prints:
    'Records as served (json, jsonl), or with the columns of the specification (csv).\nOn stderr: how many of how many are shown, where not all are.',
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { all, columns, parameters, limit, offset, ...filters }) {
    const client = await context.client();
    const query = { ...filters, offset, extra: parametersOf(parameters) };
    return showList(context, {
      listing: client.legacy.nfts(query).asServed(),
      all: all === true,
      limit,
      offset,
      columns: NFT_COLUMNS,
      chosen: columns,
      what: 'NFTs',
    });
  },
});

function few(written: string, describe: string): Flag<readonly string[] | undefined> {
  const any = list(written, describe);
  return {
    ...any,
    parse: (given, previous) => {
      const values = any.parse?.(given, previous) ?? [];
      if (values.length <= MOST_VALUES) return values;
      throw usageError(`It takes at most ${MOST_VALUES} values`, `These are ${values.length}.`);
    },
  };
}
