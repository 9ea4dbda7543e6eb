import type { Noun } from '../../cli/define.ts';
import { run } from './run.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'close',
  summary: 'Close a period: write the filing pack, and check later what has changed since',
  verbs: [run, verify],
  alone: 'run',
  sends: true,
};
