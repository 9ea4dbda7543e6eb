import type { Noun } from '../../cli/define.ts';
import { callApi } from './call.ts';

export const noun: Noun = {
  name: 'api',
  summary: 'Send any request with the current credentials',
  verbs: [callApi],
  sends: true,
};
