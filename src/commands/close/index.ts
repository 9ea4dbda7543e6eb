import type { NounVerbs } from '../../cli/define.ts';
import { runClose } from './run.ts';
import { verifyPack } from './verify.ts';

export const noun: NounVerbs = {
  verbs: [runClose, verifyPack],
  alone: 'run',
  sends: true,
};
