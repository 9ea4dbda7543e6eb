import { showText } from '../../base/text.ts';
import { NAMED_SYNC_STATES } from '../../client/resources/syncs.ts';
import type { Change } from '../../client/watch.ts';
import type { Context } from '../../context.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { hiccup, showChanges, timeoutFlag } from '../changes.ts';
import { verb } from '../define.ts';
import { list } from '../flags.ts';
import { remarks } from './columns.ts';
import { cancelled, partlySynced } from './failure.ts';
import { INTEGRATION_STATUSES } from './status.ts';

const ENDS = NAMED_SYNC_STATES.join(' and ');

export const watch = verb({
  name: 'watch',
  summary: 'Print each change of a sync until it ends',
  about: `The specification names two of the seven states of a sync: ${ENDS}. These end it. The others have no names there, so that no command can know which of them are ends: name those with --until, as the service writes them. Where none is named, give a --timeout.

States of a sync are compared with states of a sync alone, letter by letter; the status of an account (COMPLETED, FAILED, …) is another vocabulary: integrations wait.`,
  operands: [{ written: '<id>', describe: 'sync id: syncId of a ledger' }],
  flags: {
    until: list('--until <states>', `further states that end it, beside ${ENDS}: a,b,c`),
    timeout: timeoutFlag,
  },
  examples: [
    {
      says: 'Until it ends, ten minutes at most',
      line: 'cryptodata sync watch SYNC_ID --until STATE --timeout 10m',
    },
    {
      says: 'A record a change',
      line: 'cryptodata sync watch SYNC_ID --until STATE --jsonl | jq -r .status',
    },
  ],
  prints: `Each change as it is seen, that of the first look included: time, status, records failed, limit, message (table),
or records { time, syncId, status, previous, record } (json; jsonl and csv as they come).
A sync that ends partially_synced or cancelled ends the command with 11.`,
  exits: [...SERVICE_EXITS, 5, 11].sort((a, b) => a - b),
  async run(context, { until, timeout }, [id = '']) {
    tellEnds(context, until);
    const client = await context.client();
    let last: Change | undefined;
    async function* changes(): AsyncGenerator<Change> {
      const options = { until, timeout, signal: context.signal, onHiccup: hiccup(context) };
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
      failed: () => (last ? (partlySynced(last.record) ?? cancelled(last.record)) : undefined),
    });
  },
});

function tellEnds(context: Context, until: readonly string[] | undefined): void {
  if (until === undefined) {
    context.note(`Ends at ${ENDS}: the specification names no other state. Further ends: --until STATE,…`);
  }
  const foreign = (until ?? []).filter((state) => INTEGRATION_STATUSES.some((status) => status === state));
  if (foreign.length > 0) {
    context.say(
      showText(
        `warning: ${foreign.join(', ')}: that is how connected accounts are spoken of; a sync has states of its own.`,
      ),
    );
  }
}
