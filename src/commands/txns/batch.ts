import { transactionBatch } from '../../api/transactions.ts';
import { itemsFailed, reportWrite } from '../../app/partial.ts';
import { confirmed, dryRun, writeFlags } from '../../app/writes.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { readJsonInput } from '../../cli/json-input.ts';
import { oneOf, served } from '../../cli/output.ts';
import { requestTo } from '../../client/request.ts';
import { isRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';

export const batch = verb({
  name: 'batch',
  summary: 'Send a batch of changes and list the failed items',
  about: `The specification does not define the body, so the command sends the JSON in FILE unchanged. The command asks for confirmation and sends the batch once.

After the error 409 PERIOD_LOCKED or 422 CURRENCY_CONVERSION_FAILED, no change is applied, because the service has rejected the whole batch. If the response reports failed items, for example in "data.errorCount", the command lists the failed items and exits with 11. If the response neither contains "data.errorCount" nor lists failed items, the command exits with 12.`,
  operands: [{ written: '<file>', describe: 'JSON file, or - for stdin' }],
  flags: writeFlags,
  examples: {
    'Preview the request': 'cryptodata txns batch changes.json --dry-run',
    'Send the batch from a script, without confirmation':
      'cryptodata txns batch changes.json --yes --json > outcome.json',
  },
  prints:
    "One record: the service's response. A table also lists each failed item.\nOn stderr: the number of failed items.",
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 5, 6, 11, 12],
  async run(context, { yes, dryRun: dry }, [file = '']) {
    const body = await readJsonInput(context, file);
    if (dry) return dryRun(context, requestTo(transactionBatch, { body }));
    const client = await context.client();
    const from = file === '-' ? 'stdin' : file;
    if (
      !(await confirmed(context, `Send ${sizeOf(body)} from ${from} as a batch of transaction changes?`, yes))
    ) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
    }
    return reportWrite(client.transactions.batch(body), {
      field: 'errorCount',
      done: 'The service accepted the batch; no item failed.',
      failed: (count) => itemsFailed(count, 'batch'),
    });
  },
});

/** Returns `12 items` if the body is a list, or contains exactly one list; otherwise, returns `the JSON`. */
function sizeOf(body: unknown): string {
  const lists = isRecord(body) ? Object.values(body).filter(Array.isArray) : [body].filter(Array.isArray);
  const [list, another] = lists;
  if (list === undefined || another !== undefined) return 'the JSON';
  return plural(list.length, 'item', 'items');
}
