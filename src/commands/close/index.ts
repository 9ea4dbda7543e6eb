import type { Noun } from '../../cli/define.ts';
import { run } from './run.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'close',
  summary: 'Write a filing pack for a period, or list changes made later',
  verbs: [run, verify],
  alone: 'run',
  sends: true,
};
