import { ledger } from '../../api/ledgers.ts';
import { ShownNames } from '../../app/accounts.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { oneOf, served } from '../../cli/output.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';
import { checkId } from '../../read/pages.ts';

export const getLedger = verb({
  name: 'get',
  summary: 'Show every field of one ledger',
  operands: [{ written: '<id>', describe: 'ledger id', listedBy: 'cryptodata ledgers' }],
  flags: { columns: columnsFlagOf(() => LEDGER_COLUMNS) },
  examples: {
    'Show every field': 'cryptodata ledgers get LEDGER_ID',
    'Print one value for a script': 'cryptodata ledgers get LEDGER_ID --json | jq -r .afterBalance',
  },
  prints: 'One ledger: one field per line (table), or the record as served (json).',
  output: [oneOf(served(ledger.record))],
  exits: [...SERVICE_EXITS, 5, 12],
  reads: true,
  async run(context, { columns }, [id = '']) {
    const client = await context.client();
    const record = await client.ledgers.getAsServed(id);
    checkId(ledger, id, record);
    const names = new ShownNames(context, columns, { formats: ['table', 'csv'] });
    for await (const _ of names.over([record]));
    const { csv } = ledgerColumns(names.nameOf);
    return {
      kind: 'record',
      record,
      columns: { table: csv, csv },
      notes: () => names.notes(),
    };
  },
});
