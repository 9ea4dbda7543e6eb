import type { Noun } from '../../cli/define.ts';
import { listBalances } from './list.ts';

export const noun: Noun = {
  name: 'balances',
  summary: 'List the balance of each wallet and asset, now or at the end of a day',
  verbs: [listBalances],
  alone: 'list',
  sends: true,
};
