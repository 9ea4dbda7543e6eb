import { isRecord } from '../../base/json.ts';
import { batchRequest } from '../../client/resources/transactions.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { openColumns } from '../../output/open.ts';
import type { Note, Part } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { readJsonInput } from '../json-input.ts';
import { asRecord } from '../lists.ts';
import { failuresIn, partialFailure, tellsErrorCount } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';

export const batch = verb({
  name: 'batch',
  summary: 'Send a batch about transactions, and check what failed in it',
  about: `The specification does not show the form of the batch: the JSON of FILE is sent as it is, once. It asks first; a batch is never repeated by itself.

409 PERIOD_LOCKED and 422 CURRENCY_CONVERSION_FAILED reject it whole: nothing is applied. A success that counts errors (data.errorCount) ends with 11.`,
  operands: [{ written: '<file>', describe: 'file of JSON, or - for stdin' }],
  flags: writeFlags,
  examples: [
    { says: 'Look first', line: 'cryptodata txns batch changes.json --dry-run' },
    { says: 'From a script', line: 'cryptodata txns batch changes.json --yes --json > outcome.json' },
  ],
  prints: 'What the service answers, as one record. On stderr: how many items failed.',
  exits: [...SERVICE_EXITS, 5, 6, 11].sort((a, b) => a - b),
  async run(context, { yes, dryRun: dry }, [file = '']) {
    const body = await readJsonInput(context, file);
    if (dry) return dryRun(context, batchRequest(body));
    const client = await context.client();
    const from = file === '-' ? 'stdin' : file;
    if (!(await confirmed(context, `Send ${sizeOf(body)} of ${from} as a batch about transactions?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
    }
    const record = await client.transactions.batch(body);
    const failed = failuresIn(record);
    const notes: Note[] = tellsErrorCount(record)
      ? failed === 0
        ? [{ text: 'The batch was taken; no item failed.' }]
        : []
      : [{ text: 'The answer does not say how many items failed (errorCount).', warning: true }];
    return {
      kind: 'record',
      record,
      columns: openColumns,
      parts: partsOf(record),
      notes: () => notes,
      failed: () => (failed === 0 ? undefined : partialFailure(failed, 'batch')),
    };
  },
});

/** `12 items`, where the body is a list or holds one. */
function sizeOf(body: unknown): string {
  const lists = isRecord(body) ? Object.values(body).filter(Array.isArray) : [body].filter(Array.isArray);
  const [list, another] = lists;
  if (list === undefined || another !== undefined) return 'the JSON';
  return list.length === 1 ? '1 item' : `${list.length.toLocaleString('en')} items`;
}

/** Lists in the answer, item by item. */
function partsOf(record: Readonly<Record<string, unknown>>): Part[] {
  return Object.entries(record).flatMap(([title, value]) =>
    Array.isArray(value) && value.length > 0
      ? [
          {
            title,
            rows: value.map(asRecord),
            columns: openColumns,
          },
        ]
      : [],
  );
}
