import type { Noun } from '../define.ts';
import { search } from './search.ts';

export const noun: Noun = {
  name: 'assets',
  summary: 'Search assets',
  verbs: [search],
  alone: 'search',
};
