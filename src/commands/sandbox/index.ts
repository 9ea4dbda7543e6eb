import type { Noun } from '../../cli/define.ts';
import { coverage } from './coverage.ts';
import { data } from './data.ts';
import { errors } from './errors.ts';
import { exec } from './exec.ts';
import { scenario } from './scenario.ts';
import { start } from './start.ts';

export const noun: Noun = {
  name: 'sandbox',
  anyProfile: true,
  summary: 'The whole service on this machine, with no account',
  about:
    'Speaks the service on 127.0.0.1 alone, from made-up data: the same seed gives the same data, byte for byte.',
  verbs: [start, exec, data, scenario, errors, coverage],
  alone: 'start',
};
