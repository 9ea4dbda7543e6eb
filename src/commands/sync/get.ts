import { sync } from '../../api/syncs.ts';
import { syncError } from '../../app/latest-syncs.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { SYNC_COLUMNS } from '../../app/sync-columns.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { oneOf, served } from '../../cli/output.ts';

export const getSync = verb({
  name: 'get',
  summary: 'Show one sync: its state and the records that failed',
  about: `The specification names only two of the seven sync states. If the sync is partially_synced, the status of the account is COMPLETED. If the sync is cancelled, the status of the account is FAILED.`,
  operands: [
    {
      written: '<id>',
      describe: 'sync id, from the field "syncId" of a ledger',
      listedBy: 'cryptodata ledgers --columns +syncId',
    },
  ],
  flags: { columns: columnsFlagOf(() => SYNC_COLUMNS) },
  examples: {
    'Show the state of a sync': 'cryptodata sync get SYNC_ID',
    'Show the sync that imported a ledger':
      'cryptodata sync get "$(cryptodata ledgers get LEDGER_ID --json | jq -r .syncId)"',
  },
  prints:
    'One record: the sync, as the service returned it. If the sync is partially_synced or cancelled, or dropped records in any state, the command exits with 11.',
  output: [oneOf(served(sync.record))],
  exits: [...SERVICE_EXITS, 5, 11],
  reads: true,
  async run(context, _flags, [id = '']) {
    const client = await context.client();
    const record = await client.syncs.getAsServed(id);
    const flags = await legFlags(context, {});
    return {
      kind: 'record',
      record,
      columns: SYNC_COLUMNS,
      failed: () => syncError(record, flags),
    };
  },
});
