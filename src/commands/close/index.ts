import type { Noun } from '../../cli/define.ts';
import { runClose } from './run.ts';
import { verifyPack } from './verify.ts';

export const noun: Noun = {
  name: 'close',
  summary: 'Write a filing pack for a period, or list changes made later',
  verbs: [runClose, verifyPack],
  alone: 'run',
  sends: true,
};
