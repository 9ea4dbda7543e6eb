import type { Noun } from '../../cli/define.ts';
import { call } from './call.ts';

export const noun: Noun = {
  name: 'api',
  summary: 'Send any request with the current credentials',
  verbs: [call],
  sends: true,
};
