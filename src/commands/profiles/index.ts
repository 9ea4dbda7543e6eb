import type { NounVerbs } from '../../cli/define.ts';
import { remove } from './delete.ts';
import { listProfiles } from './list.ts';
import { use } from './use.ts';

export const noun: NounVerbs = {
  about:
    'A profile stores the settings of one login: the service addresses and the client id. Use one profile for each client firm.',
  verbs: [listProfiles, use, remove],
  alone: 'list',
};
