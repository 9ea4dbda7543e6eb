import { transactionBatch } from '../../api/transactions.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { readJsonInput } from '../../cli/json-input.ts';
import { requestTo } from '../../client/service.ts';
import { isRecord } from '../../core/json.ts';
import { itemsFailed, reportWrite } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';

export const batch = verb({
  name: 'batch',
  summary: 'Send a batch of changes and list the failed items',
  about: `The specification does not show the body of the batch: the command sends the JSON of FILE as it is. It asks first and sends the batch once.

409 PERIOD_LOCKED and 422 CURRENCY_CONVERSION_FAILED reject the whole batch: nothing is applied. If the answer counts errors (data.errorCount), the command exits with 11 and lists every item that the answer names. An answer without errorCount exits with 12.`,
  operands: [{ written: '<file>', describe: 'file of JSON, or - for stdin' }],
  flags: writeFlags,
  examples: [
    { says: 'Look first', line: 'cryptodata txns batch changes.json --dry-run' },
    { says: 'From a script', line: 'cryptodata txns batch changes.json --yes --json > outcome.json' },
  ],
  prints:
    'The answer of the service as one record, and each failed item that it names.\nOn stderr: how many items failed.',
  exits: [...SERVICE_EXITS, 5, 6, 11, 12].sort((a, b) => a - b),
  async run(context, { yes, dryRun: dry }, [file = '']) {
    const body = await readJsonInput(context, file);
    if (dry) return dryRun(context, requestTo(transactionBatch, { body }));
    const client = await context.client();
    const from = file === '-' ? 'stdin' : file;
    if (!(await confirmed(context, `Send ${sizeOf(body)} of ${from} as a batch about transactions?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
    }
    return reportWrite(client.transactions.batch(body), {
      field: 'errorCount',
      done: 'The service accepted the batch; no item failed.',
      failed: (count) => itemsFailed(count, 'batch'),
    });
  },
});

/** `12 items`, where the body is a list or holds one. */
function sizeOf(body: unknown): string {
  const lists = isRecord(body) ? Object.values(body).filter(Array.isArray) : [body].filter(Array.isArray);
  const [list, another] = lists;
  if (list === undefined || another !== undefined) return 'the JSON';
  return list.length === 1 ? '1 item' : `${list.length.toLocaleString('en')} items`;
}
