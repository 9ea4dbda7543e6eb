import type { Noun } from '../../cli/define.ts';
import { search } from './search.ts';

export const noun: Noun = {
  name: 'assets',
  summary: 'Find assets by symbol, name, id or contract address',
  verbs: [search],
  alone: 'search',
  sends: true,
};
