import type { Noun } from '../../cli/define.ts';
import { explainFinding } from './explain.ts';
import { runAudit } from './run.ts';

export const noun: Noun = {
  name: 'audit',
  summary: 'Check the books: negative balances, broken chains, lost transfers, duplicates, missing values',
  verbs: [runAudit, explainFinding],
  alone: 'run',
  sends: true,
};
