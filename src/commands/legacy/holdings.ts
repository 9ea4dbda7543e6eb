import { openListVerb } from '../open-list.ts';
import { HOLDING_COLUMNS } from './columns.ts';

export const holdings = openListVerb({
  name: 'holdings',
  summary: 'List token holdings, as the previous API gives them',
  about:
    'An roi of 0 may mean that it is unknown; "cryptodata holdings" tells the two apart. The names of fields are the old ones: "cryptodata legacy convert" turns them into the current ones.',
  examples: [
    { says: 'What is held', line: 'cryptodata legacy holdings --all' },
    {
      says: 'The same, in the current form',
      line: 'cryptodata api GET /api/v1/holdings --legacy | cryptodata legacy convert',
    },
  ],
  what: 'holdings',
  columns: HOLDING_COLUMNS,
  listing: (client, filters) => client.legacy.holdings(filters),
});
