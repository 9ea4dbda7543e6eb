import type { Noun } from '../../cli/define.ts';
import { list } from './list.ts';

export const noun: Noun = {
  name: 'balances',
  summary: 'List the balance of each wallet and asset, now or at the end of a day',
  verbs: [list],
  alone: 'list',
  sends: true,
};
