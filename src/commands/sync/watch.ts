import { INTEGRATION_STATUSES } from '../../api/integrations.ts';
import { anything, text } from '../../api/records.ts';
import { NAMED_SYNC_STATES } from '../../api/syncs.ts';
import { noteDelay, showChanges, timeoutFlag } from '../../app/changes.ts';
import { syncError } from '../../app/latest-syncs.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { remarks } from '../../app/sync-columns.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag } from '../../cli/flags.ts';
import { listOf, made } from '../../cli/output.ts';
import type { StatusChange } from '../../client/options.ts';
import type { Context } from '../../context.ts';
import { showText } from '../../core/text.ts';

const ENDS = NAMED_SYNC_STATES.join(' and ');

export const watch = verb({
  name: 'watch',
  summary: 'Print each change to a sync until the sync ends',
  about: `The specification names only two of the seven sync states: ${ENDS}. The command ends when the sync reaches one of them. To add other final states, use --until, and spell each state as the service does. To limit the wait, set --timeout.

The status of an account (COMPLETED, FAILED, …) is not a sync state. To wait for an account, run cryptodata integrations wait.

When --timeout expires, the command exits with 13, and error.code is WAIT_TIMED_OUT.`,
  operands: [
    {
      written: '<id>',
      describe: 'sync id, from the field "syncId" of a ledger',
      listedBy: 'cryptodata ledgers --columns +syncId',
    },
  ],
  flags: {
    until: listFlag('--until <states>', `final states in addition to ${ENDS}: a,b,c`),
    timeout: timeoutFlag,
  },
  examples: {
    'Watch for at most ten minutes': 'cryptodata sync watch SYNC_ID --until STATE --timeout 10m',
    'Print one record per change': 'cryptodata sync watch SYNC_ID --until STATE --jsonl | jq -r .status',
  },
  prints: `The current state, then each change as soon as it happens. In a table, each line contains the time, the status, the failed records, the limit and the message.
With jsonl and csv, each change is a record { time, syncId, status, previous, record }.
If the sync ends as partially_synced or cancelled, or dropped records in any state, the command exits with 11.`,
  output: [
    listOf(made({ time: text, syncId: text, status: anything, previous: anything, record: anything })),
  ],
  exits: [...SERVICE_EXITS, 5, 11],
  async run(context, { until, timeout }, [id = '']) {
    await noteFinalStates(context, until);
    const client = await context.client();
    const flags = await legFlags(context, {});
    let last: StatusChange | undefined;
    async function* changes(): AsyncGenerator<StatusChange> {
      const limit = timeout === undefined ? undefined : timeout * 1000;
      const options = { until, timeout: limit, signal: context.signal, onHiccup: noteDelay(context) };
      for await (const change of client.syncs.watch(id, options)) {
        last = change;
        yield change;
      }
    }
    return showChanges(context, {
      changes: changes(),
      id: 'syncId',
      fields: ['recordsFailed', 'limitReached', 'message'],
      line: ({ status = '?', record }) => [status, ...remarks(record)],
      waiting: () => `Waiting for sync ${id}: ${last?.status ?? '?'}`,
      failed: () => last && syncError(last.record, flags),
    });
  },
});

async function noteFinalStates(context: Context, until: readonly string[] | undefined): Promise<void> {
  if (until === undefined) {
    context.note(
      `Final states: ${ENDS}. The specification names no other final states; add more with --until STATE,…`,
    );
  }
  const foreign = (until ?? []).filter((state) => INTEGRATION_STATUSES.some((status) => status === state));
  if (foreign.length > 0) {
    context.say(
      showText(
        `warning: ${foreign.join(', ')} is an account status, not a sync state. To wait for an account, run: cryptodata integrations wait${await legFlags(context, {})}`,
      ),
    );
  }
}
