import type { NounVerbs } from '../../cli/define.ts';
import { callApi } from './call.ts';

export const noun: NounVerbs = {
  verbs: [callApi],
  sends: true,
};
