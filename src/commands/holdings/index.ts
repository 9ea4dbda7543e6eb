import { balances as declaredBalances } from '../../api/holdings.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';
import { listDefi } from './defi.ts';
import { listHoldings } from './list.ts';
import { listNfts } from './nfts.ts';

const balances = listVerb(declaredBalances, {
  name: 'balances',
  summary: 'List calculated balances',
  examples: {
    'List all calculated balances': 'cryptodata holdings balances --all',
    'Print one record per line': 'cryptodata holdings balances --all --jsonl',
  },
  listing: (client, query) => client.holdings.balances(query),
});

export const noun: NounVerbs = {
  verbs: [listHoldings, listNfts, listDefi, balances],
  alone: 'list',
  sends: true,
};
