import { transactionLedgers } from '../../api/transactions.ts';
import { ShownNames } from '../../app/accounts.ts';
import { listVerb } from '../../app/lists.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';

export const listTransactionLedgers = listVerb(transactionLedgers, {
  name: 'ledgers',
  summary: 'Show all legs of one transaction',
  about: 'This command puts less load on the service than cryptodata ledgers list --transaction-ids.',
  operands: [{ written: '<id>', describe: 'transaction id', listedBy: 'cryptodata txns' }],
  without: ['limit', 'offset', 'all'],
  examples: {
    'Show the legs of a transaction': 'cryptodata txns ledgers TRANSACTION_ID',
    'Print the legs as CSV': 'cryptodata txns ledgers TRANSACTION_ID --csv',
  },
  prints:
    'The ledgers of the transaction: as the service sent them (json, jsonl), or with the columns of "ledgers list" (csv).',
  exits: [...LIST_EXITS, 5],
  columns: LEDGER_COLUMNS,
  async select(context, { columns }) {
    const names = new ShownNames(context, columns, { formats: ['table', 'csv'] });
    // Read all pages, so that no leg of the transaction is missing.
    return { extent: { all: true }, columns: ledgerColumns(names.nameOf), steps: [names] };
  },
  listing: (client, query, id) => client.transactions.ledgers(id, query),
});
