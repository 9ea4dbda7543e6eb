import type { Noun } from '../../cli/define.ts';
import { diff } from './diff.ts';
import { disposals } from './disposals.ts';
import { explainLeg } from './explain.ts';
import { exportLedgers } from './export.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { negative } from './negative.ts';
import { rollforward } from './rollforward.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'ledgers',
  summary: 'List, show, export and verify ledgers (legs of transactions)',
  about:
    'A ledger is one leg of a transaction: one asset that comes in, goes out, or is paid as a fee. Quantities and balances are decimal strings. The tool prints them exactly as the service sent them.',
  verbs: [list, get, negative, explainLeg, rollforward, disposals, exportLedgers, verify, diff],
  alone: 'list',
  sends: true,
};
