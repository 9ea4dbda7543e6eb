import type { NounVerbs } from '../../cli/define.ts';
import { batch } from './batch.ts';
import { exportTransactions } from './export.ts';
import { listTransactionLedgers } from './ledgers.ts';
import { listTransactions } from './list.ts';

export const noun: NounVerbs = {
  about:
    'A transaction has incoming assets, outgoing assets and a fee. Each of these parts is a ledger. In addition to these parts, the specification defines only the id. The command shows all other fields unchanged.',
  verbs: [listTransactions, listTransactionLedgers, exportTransactions, batch],
  alone: 'list',
  sends: true,
};
