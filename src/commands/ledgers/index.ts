import type { NounVerbs } from '../../cli/define.ts';
import { diff } from './diff.ts';
import { disposals } from './disposals.ts';
import { explainLeg } from './explain.ts';
import { exportLedgersVerb } from './export.ts';
import { getLedger } from './get.ts';
import { listLedgers } from './list.ts';
import { negativeVerb } from './negative.ts';
import { rollforward } from './rollforward.ts';
import { verifyExport } from './verify.ts';

export const noun: NounVerbs = {
  about:
    'A ledger is one leg of a transaction: one asset that comes in, goes out, or is paid as a fee. Quantities and balances are decimal strings. The tool prints them exactly as the service sent them.',
  verbs: [
    listLedgers,
    getLedger,
    negativeVerb,
    explainLeg,
    rollforward,
    disposals,
    exportLedgersVerb,
    verifyExport,
    diff,
  ],
  alone: 'list',
  sends: true,
};
