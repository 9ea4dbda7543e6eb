import type { Noun } from '../../cli/define.ts';
import { call } from './call.ts';

export const noun: Noun = {
  name: 'api',
  summary: 'Make any call with the credentials of the session',
  verbs: [call],
};
