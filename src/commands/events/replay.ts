import { int, nullable, text as string, word } from '../../api/records.ts';
import { columnsFlagOf, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { integerFlag, toggle } from '../../cli/flags.ts';
import { alsoNotes } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import { withoutQuery } from '../../core/address.ts';
import { gravestFirst, usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import { parseForwardTarget } from '../../events/deliver.ts';
import { requireColumns } from '../../formats/column-check.ts';
import { failureOf, type ResendRun, resentRow, sendAll, summary } from './resend.ts';
import { chooseDeliveries, type Selected, selectionFlags } from './selection.ts';
import { forwardFlag, signatureFlags, signatureOf } from './shared.ts';

const REPLAYED = made({
  line: int,
  id: nullable(string),
  event: nullable(string),
  received: nullable(string),
  result: word('delivered', 'failed', 'chosen'),
  status: nullable(int),
  attempts: int,
  error: nullable(string),
});

export const replay = verb({
  name: 'replay',
  summary: 'Resend stored webhook deliveries to any URL',
  about: `Reads the store that "cryptodata events listen" writes, and posts the selected deliveries one by one, in the order of receipt. Without a selection, all deliveries are sent. Bodies and delivery ids are unchanged. With all three signature flags, new signatures replace the stored signatures. A receiver should ignore delivery ids that it has already received.

Network errors, timeouts, 408, 425, 429 and 5xx are retried. Other responses are not retried. If the final attempt for a delivery gets no response, the command stops. With --keep-going, it continues with the next delivery.

With --undelivered, the command sends the deliveries that "events listen" has not forwarded, and removes each accepted delivery from FILE.pending.json. First, stop any listener that forwards from the same store. Otherwise the listener adds the deliveries to FILE.pending.json again.`,
  flags: {
    ...selectionFlags,
    forwardTo: forwardFlag('address to post to'),
    retries: integerFlag('--retries <n>', 'maximum retries per delivery', { min: 0, max: 20, default: 2 }),
    rate: integerFlag('--rate <n>', 'maximum deliveries per second', { min: 1, max: 10_000 }),
    ...signatureFlags,
    keepGoing: toggle(
      '--keep-going',
      'continue with the next delivery if the final attempt for a delivery gets no response',
    ),
    dryRun: toggle('--dry-run', 'list the selected deliveries without sending them'),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'Send all deliveries that were received since your application went down':
      'cryptodata events replay --store deliveries.jsonl --forward-to http://localhost:3000/webhooks --from 2025-07-01T12:00',
    'Send one delivery':
      'cryptodata events replay --store deliveries.jsonl --forward-to http://localhost:3000/webhooks --id whd_1',
    'Send deliveries that were not forwarded':
      'cryptodata events replay --store deliveries.jsonl --undelivered --forward-to http://localhost:3000/webhooks',
    'List the deliveries before sending them':
      'cryptodata events replay --store deliveries.jsonl --types integration.failed --dry-run',
  },
  prints: `Records { line, id, event, received, result, status, attempts, error }. "result" is "delivered", "failed" or, with --dry-run, "chosen".
On stderr: the numbers of delivered and failed deliveries. If any delivery failed, the command exits with 11. If a period is selected and some deliveries have no readable time, the command exits with 12.`,
  output: [listOf(REPLAYED)],
  exits: [0, 2, 5, 11, 12, 13, 130],
  async run(context, flags) {
    const { forwardTo, to, dryRun, columns } = flags;
    if (/^[a-z]+:\/\//i.test(to ?? '')) {
      throw usageError(
        '--to is the latest time of receipt, not an address',
        `To send deliveries: --forward-to ${to}`,
      );
    }
    if (forwardTo === undefined && !dryRun) {
      throw usageError(
        '--forward-to is missing',
        'Add --forward-to URL, or use --dry-run to list the deliveries.',
      );
    }
    requireColumns(columns ?? [], COLUMNS.csv);
    const signature = signatureOf(context, flags);
    const target = forwardTo === undefined ? undefined : parseForwardTarget(forwardTo);
    const chosen = await chooseDeliveries(context, flags);
    const { selected, inOrder, pending, read, none, warnings, failed } = chosen;
    const matches = plural(selected, 'delivery matches', 'deliveries match');
    if (target === undefined || dryRun) {
      return {
        kind: 'rows',
        rows: listed(read()),
        columns: COLUMNS,
        none,
        notes: () => [...warnings, ...(selected === 0 ? [] : [{ text: `${matches}. Nothing was sent.` }])],
        failed,
      };
    }
    const run: ResendRun = { delivered: 0, failed: 0, selected, inOrder, target: withoutQuery(target) };
    const { retries, rate, keepGoing = false } = flags;
    const options = { target, retries, rate, keepGoing, signature, pending };
    const errors = () => gravestFirst([failureOf(run), failed()]);
    return {
      kind: 'rows',
      rows: sendAll(context, read(), options, run),
      columns: COLUMNS,
      none,
      notes: () => [...warnings, ...summary(run), ...alsoNotes(errors().slice(1))],
      failed: () => errors()[0],
    };
  },
});

const COLUMNS = sameColumns(
  { key: 'line', figure: true },
  'received',
  'id',
  'event',
  'result',
  { key: 'status', figure: true },
  { key: 'attempts', figure: true },
  'error',
);

async function* listed(selected: AsyncIterable<Selected>): AsyncGenerator<JsonRecord> {
  for await (const one of selected) yield resentRow(one);
}
