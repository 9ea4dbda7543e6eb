import { transactionLedgers } from '../../api/transactions.ts';
import { ShownNames } from '../../app/accounts.ts';
import { checkedList } from '../../app/list-verb.ts';
import { showList } from '../../app/lists.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { listOf, served } from '../../cli/output.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';

export const ledgers = verb({
  name: 'ledgers',
  summary: 'Show all legs of one transaction',
  about: 'This command puts less load on the service than cryptodata ledgers list --transaction-ids.',
  operands: [{ written: '<id>', describe: 'transaction id', listedBy: 'cryptodata txns' }],
  flags: { parameters: parameterFlag, columns: columnsFlagOf(() => LEDGER_COLUMNS) },
  examples: [
    { says: 'Show the legs of a transaction', line: 'cryptodata txns ledgers TRANSACTION_ID' },
    { says: 'Print the legs as CSV', line: 'cryptodata txns ledgers TRANSACTION_ID --csv' },
  ],
  prints:
    'The ledgers of the transaction: as the service sent them (json, jsonl), or with the columns of "ledgers list" (csv).',
  output: [listOf(served(transactionLedgers.record))],
  exits: [...LIST_EXITS, 5],
  reads: true,
  async run(context, { parameters, columns }, [id = '']) {
    const client = await context.client();
    const names = new ShownNames(context, columns, { formats: ['table', 'csv'] });
    const outcome = await showList(context, {
      ...(await checkedList(
        context,
        transactionLedgers,
        { extra: listParametersOf(parameters) },
        (query) => client.transactions.ledgers(id, query),
        id,
      )),
      // Read all pages, so that no leg of the transaction is missing.
      all: true,
      limit: undefined,
      columns: ledgerColumns(names.nameOf),
      chosen: columns,
    });
    return {
      ...outcome,
      rows: names.over(outcome.rows),
      notes: () => [...(outcome.notes?.() ?? []), ...names.notes()],
    };
  },
});
