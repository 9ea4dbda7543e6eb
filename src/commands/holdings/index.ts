import { balances as declaredBalances, nfts as declaredNfts } from '../../api/holdings.ts';
import { listVerb } from '../../app/lists.ts';
import type { Noun } from '../../cli/define.ts';
import { listDefi } from './defi.ts';
import { listHoldings } from './list.ts';

const nfts = listVerb(declaredNfts, {
  name: 'nfts',
  summary: 'List NFTs and their total value',
  examples: [
    { says: 'List all NFTs', line: 'cryptodata holdings nfts --all' },
    { says: 'Export all fields as CSV', line: 'cryptodata holdings nfts --all --csv > nfts.csv' },
  ],
  listing: (client, query) => client.holdings.nfts(query),
});

const balances = listVerb(declaredBalances, {
  name: 'balances',
  summary: 'List calculated balances',
  examples: [
    { says: 'List all balances', line: 'cryptodata holdings balances --all' },
    { says: 'Print one record per line', line: 'cryptodata holdings balances --all --jsonl' },
  ],
  listing: (client, query) => client.holdings.balances(query),
});

export const noun: Noun = {
  name: 'holdings',
  summary: 'List tokens, NFTs, DeFi positions and calculated balances',
  verbs: [listHoldings, nfts, listDefi, balances],
  alone: 'list',
  sends: true,
};
