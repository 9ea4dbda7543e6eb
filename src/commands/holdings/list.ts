import { openListVerb } from '../open-list.ts';
import { HOLDING_COLUMNS } from './columns.ts';

export const list = openListVerb({
  name: 'list',
  summary: 'List token holdings, and say what they are worth together',
  about:
    'A roiPercentage of null means that no cost basis is recorded: tables say "unknown", and it is never 0. The parameters of this endpoint are not specified; -q passes any.',
  examples: [
    { says: 'What is held', line: 'cryptodata holdings --all' },
    {
      says: 'Which have no cost basis?',
      line: 'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    },
    { says: 'Without spam', line: 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"' },
  ],
  what: 'holdings',
  listing: (client, filters) => client.holdings.list(filters),
  columns: HOLDING_COLUMNS,
});
