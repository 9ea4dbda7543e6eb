import { accountId, INTEGRATION_STATUSES, integrations } from '../../api/integrations.ts';
import { anything, nullable, text } from '../../api/records.ts';
import { droppedRecords } from '../../api/syncs.ts';
import { STATUS_COLUMNS } from '../../app/account-columns.ts';
import { type LatestSync, latestSyncs, unknownNotes } from '../../app/latest-syncs.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { listOf, part, served } from '../../cli/output.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import { asRecord } from '../../read/pages.ts';

const LATEST = part({
  syncId: text,
  status: anything,
  recordsFailed: anything,
  limitReached: anything,
  message: anything,
});

export const syncStatus = verb({
  name: 'status',
  summary: 'Show the status and the latest sync of every account',
  about: `The status of an account is QUEUED, SYNCING, COMPLETED, FAILED, DELETING or INACTIVE. An account whose sync dropped records is also COMPLETED. The command therefore also shows the latest sync of each account: sync state, failed records, and whether the transaction limit was reached.

An account record contains no sync id, so the command finds the latest sync through the newest legs of the account. A sync that added no leg cannot be found. The sync state of an account is unknown in three cases:
  - No recent leg of the account contains a sync id.
  - The sync that was found contradicts the account status, such as cancelled and COMPLETED.
  - The newest leg of the sync is more than a day older than the last sync time of the account.
On stderr, the command counts the accounts with an unknown sync state, and lists accounts that dropped records in an older sync.`,
  flags: {
    status: listFlag(
      '--status <statuses>',
      'only accounts with one of these statuses (a,b,c)',
      INTEGRATION_STATUSES,
    ),
    exitCode: toggle(
      '--exit-code',
      'exit with 10 if an account is FAILED, or if a COMPLETED account dropped records',
    ),
    parameters: parameterFlag,
    columns: columnsFlagOf(() => STATUS_COLUMNS),
  },
  examples: {
    'Show all accounts': 'cryptodata sync status',
    'List accounts that need attention': 'cryptodata sync status --status FAILED,INACTIVE',
    'List each account that dropped records, with the reason': `cryptodata sync status --json | jq '.[] | select(.latestSync.recordsFailed > 0) | [.alias, .latestSync.message]'`,
  },
  prints:
    'One record for each connected account: the fields as the service sent them, plus "latestSync" { syncId, status, recordsFailed, limitReached, message }. If the latest sync is unknown, "latestSync" is null.\nOn stderr: the number of accounts per status, and the number of COMPLETED accounts that dropped records.',
  output: [listOf(served({ ...integrations.record, latestSync: nullable(LATEST) }))],
  exits: [...SERVICE_EXITS, 10],
  reads: true,
  async run(context, { status: wanted, exitCode, parameters }) {
    const client = await context.client();
    const rows: JsonRecord[] = [];
    for await (const row of client.integrations.list({ extra: listParametersOf(parameters) }).asServed()) {
      rows.push(asRecord(row));
    }
    context.progress().update('Looking up the latest syncs');
    const syncs = await latestSyncs(client, rows, context.signal);
    const all = rows.map(
      (row): Row => ({
        ...row,
        latestSync: syncs.byAccount.get(accountId(row) ?? '') ?? null,
      }),
    );
    const shown = wanted ? all.filter((row) => wanted.some((one) => one === row['status'])) : all;
    const dropped = all.some(isIncomplete);
    return {
      kind: 'rows',
      rows: shown,
      columns: STATUS_COLUMNS,
      none: wanted
        ? `No connected account has the status ${wanted.join(' or ')}.`
        : 'No connected accounts found.',
      notes: () =>
        rows.length === 0 ? [] : [{ text: counts(all), warning: dropped }, ...unknownNotes(syncs)],
      found: () =>
        exitCode ? shown.filter((row) => row['status'] === 'FAILED' || isIncomplete(row)).length : 0,
    };
  },
});

type Row = JsonRecord & { readonly latestSync: LatestSync | null };

/** Whether the account is COMPLETED and its latest sync dropped records. */
function isIncomplete(row: Row): boolean {
  return row['status'] === 'COMPLETED' && row.latestSync !== null && droppedRecords(row.latestSync);
}

/** Example: `18 accounts: 16 COMPLETED (the latest sync of 9 accounts dropped records), 1 FAILED, 1 INACTIVE.` */
function counts(rows: readonly Row[]): string {
  const byStatus = new Map<string, number>();
  for (const row of rows) {
    const status = row['status'];
    const name = typeof status === 'string' ? status : 'without a status';
    byStatus.set(name, (byStatus.get(name) ?? 0) + 1);
  }
  const incomplete = rows.filter(isIncomplete).length;
  const parts = [...byStatus].map(([name, number]) => {
    const dropped =
      name === 'COMPLETED' && incomplete > 0
        ? ` (the latest sync of ${plural(incomplete, 'account', 'accounts')} dropped records)`
        : '';
    return `${count(number)} ${name}${dropped}`;
  });
  const accounts = plural(rows.length, 'account', 'accounts');
  return showText(`${accounts}: ${parts.join(', ')}.`);
}
