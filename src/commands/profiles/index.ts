import type { Noun } from '../../cli/define.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import { use } from './use.ts';

export const noun: Noun = {
  name: 'profiles',
  summary: 'The profiles of config.toml',
  about:
    'A profile holds the addresses and the client of one login. An accountant has one for each client firm.',
  verbs: [list, use, remove],
  alone: 'list',
};
