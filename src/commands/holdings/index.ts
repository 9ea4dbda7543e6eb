import type { Noun } from '../../cli/define.ts';
import { balances } from './balances.ts';
import { defi } from './defi.ts';
import { list } from './list.ts';
import { nfts } from './nfts.ts';

export const noun: Noun = {
  name: 'holdings',
  summary: 'What is held: tokens, NFTs, DeFi positions, calculated balances',
  verbs: [list, nfts, defi, balances],
  alone: 'list',
};
