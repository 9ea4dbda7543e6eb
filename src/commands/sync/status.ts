import type { JsonRecord } from '../../base/json.ts';
import { showText } from '../../base/text.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { verb } from '../define.ts';
import { list } from '../flags.ts';
import { STATUS_COLUMNS } from '../integrations/columns.ts';
import { asRecord } from '../lists.ts';
import { parameterFlag, parametersOf } from '../parameters.ts';
import { columnsFlag } from '../shared.ts';

/** "Integration status", without DELETED, which only an event says. */
export const INTEGRATION_STATUSES = [
  'QUEUED',
  'SYNCING',
  'COMPLETED',
  'FAILED',
  'DELETING',
  'INACTIVE',
] as const;

export const status = verb({
  name: 'status',
  summary: 'How every connected account stands: its status, last sync and error',
  about: `These are words of accounts: QUEUED, SYNCING, COMPLETED, FAILED, DELETING, INACTIVE. COMPLETED is also said where a sync dropped records, and FAILED where it was cancelled; what a sync says of itself: sync get.`,
  flags: {
    status: list('--status <statuses>', 'only accounts with one of these: a,b,c', INTEGRATION_STATUSES),
    parameters: parameterFlag,
    columns: columnsFlag,
  },
  examples: [
    { says: 'All accounts', line: 'cryptodata sync status' },
    { says: 'What needs somebody to look at it?', line: 'cryptodata sync status --status FAILED,INACTIVE' },
  ],
  prints:
    'Connected accounts as served (json, jsonl), with the columns of the specification (csv), or how they do (table).\nOn stderr: how many are in each status.',
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { status: wanted, parameters, columns }) {
    const client = await context.client();
    const rows: JsonRecord[] = [];
    for await (const row of client.integrations.list({ extra: parametersOf(parameters) }).asServed()) {
      rows.push(asRecord(row));
    }
    const shown = wanted ? rows.filter((row) => wanted.some((one) => one === row['status'])) : rows;
    return {
      kind: 'rows',
      rows: shown,
      columns: STATUS_COLUMNS,
      chosen: columns,
      none: wanted ? `No connected account is ${wanted.join(' or ')}.` : 'No connected accounts found.',
      notes: () => (rows.length === 0 ? [] : [{ text: counts(rows) }]),
    };
  },
});

/** `16 accounts: 14 COMPLETED, 1 FAILED, 1 INACTIVE`. */
function counts(rows: readonly JsonRecord[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of rows) {
    const name = typeof status === 'string' ? status : 'without a status';
    byStatus.set(name, (byStatus.get(name) ?? 0) + 1);
  }
  const parts = [...byStatus].map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  return showText(`${rows.length.toLocaleString('en')} accounts: ${parts.join(', ')}.`);
}
