import { openListVerb } from '../open-list.ts';

export const balances = openListVerb({
  name: 'balances',
  summary: 'List calculated balances',
  examples: [
    { says: 'All of them', line: 'cryptodata holdings balances --all' },
    { says: 'A record a line', line: 'cryptodata holdings balances --all --jsonl' },
  ],
  what: 'balances',
  listing: (client, filters) => client.holdings.balances(filters),
});
