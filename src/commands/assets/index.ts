import type { NounVerbs } from '../../cli/define.ts';
import { search } from './search.ts';

export const noun: NounVerbs = {
  verbs: [search],
  alone: 'search',
  sends: true,
};
