import type { Noun } from '../../cli/define.ts';
import { batch } from './batch.ts';
import { exportTransactions } from './export.ts';
import { ledgers } from './ledgers.ts';
import { list } from './list.ts';

export const noun: Noun = {
  name: 'txns',
  summary: 'List and export transactions, and send batches of changes',
  about:
    'Each incoming asset, outgoing asset and fee of a transaction is a ledger. Other fields of a transaction are not in the specification, and are shown unchanged.',
  verbs: [list, ledgers, exportTransactions, batch],
  alone: 'list',
  sends: true,
};
