import { accountName } from '../../api/integrations.ts';
import { anything, text as textField } from '../../api/records.ts';
import { droppedRecords } from '../../api/syncs.ts';
import { fieldText } from '../../app/account-columns.ts';
import { noteDelay, showChanges, timeoutFlag } from '../../app/changes.ts';
import { type LatestSyncs, latestSyncs, unknownNotes } from '../../app/latest-syncs.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag } from '../../cli/flags.ts';
import { listOf, made } from '../../cli/output.ts';
import type { StatusChange } from '../../client/options.ts';
import { isSettled, SETTLED_STATUSES } from '../../client/watch.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, partialError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { FLAG_NAMES, spanOf } from '../../core/period.ts';
import { plural, someOf } from '../../core/text.ts';
import { cellText } from '../../formats/text.ts';

export const wait = verb({
  name: 'wait',
  summary: 'Wait until connected accounts are COMPLETED, FAILED or INACTIVE',
  about: `The command polls GET /v1/integrations. While nothing changes, it polls less often. Without an id, the command waits for all accounts. An account that disappears from the list is reported as DELETED.

Right after a resync, an account may still show its old status. With --synced-since TIME, the command also waits until every COMPLETED account has synced since TIME (lastSyncedAt is TIME or later). Uploaded files and custom wallets never sync, so --synced-since does not apply to them. A FAILED account always counts as finished, because the service does not report when the account failed.

An account whose sync dropped records is also COMPLETED. At the end, the command looks up the latest sync of each COMPLETED account. If one of these syncs dropped records, or if an account is FAILED, the command exits with 11. Accounts whose latest sync is unknown are listed in a note (see sync status --help).

When --timeout expires, the command exits with 13, and error.code is WAIT_TIMED_OUT.`,
  operands: [
    {
      written: '[id...]',
      describe: 'account ids (walletId in the output of integrations list; default: all)',
    },
  ],
  flags: {
    timeout: timeoutFlag,
    syncedSince: textFlag(
      '--synced-since <time>',
      'also wait until every COMPLETED account has synced since this time, for example 2025-07-01T12:00Z',
    ),
  },
  examples: {
    'Wait until every account has synced': 'cryptodata integrations wait --timeout 30m',
    'Wait for the syncs that a script starts':
      'start=$(date -u +%Y-%m-%dT%H:%M:%SZ); cryptodata sync resync-all --yes; cryptodata integrations wait --synced-since "$start"',
    'Wait for one account in a script': 'cryptodata integrations wait WALLET_ID --quiet && echo done',
    'List failed accounts with their reasons': `cryptodata integrations wait --jsonl | jq -r 'select(.status == "FAILED") | .record.errorMessage'`,
  },
  prints: `The current status of each account, then each change. Tables show time, status, name and id. Other formats contain records
{ time, walletId, status, previous, record }. jsonl and csv are printed as changes happen.`,
  output: [
    listOf(
      made({ time: textField, walletId: textField, status: anything, previous: anything, record: anything }),
    ),
  ],
  exits: [...SERVICE_EXITS, 5, 11],
  async run(context, { timeout, syncedSince }, given) {
    const since = await sinceIn(context, syncedSince);
    const client = await context.client();
    const latest = new Map<string, StatusChange>();
    const { signal } = context;
    let syncs: LatestSyncs | undefined;
    const flags = await legFlags(context, {});
    async function* changes(): AsyncGenerator<StatusChange> {
      const watch = client.integrations.watch([...new Set(given)], {
        timeout: timeout === undefined ? undefined : timeout * 1000,
        signal,
        onHiccup: noteDelay(context),
        ...(since === undefined ? {} : { syncedSince: since }),
      });
      for await (const change of watch) {
        latest.set(change.id, change);
        yield change;
      }
      const completed = [...latest.values()].filter(({ status }) => status === 'COMPLETED');
      syncs = await latestSyncs(
        client,
        completed.map(({ record }) => record),
        signal,
      );
    }
    return showChanges(context, {
      changes: changes(),
      id: 'walletId',
      fields: ['providerPublicName', 'alias', 'errorMessage', 'lastSyncedAt'],
      line: ({ id, status = '?', record }) => [
        status.padEnd(9),
        [accountName(record), `(${id})`].join(' '),
        status === 'FAILED' ? fieldText(record['errorMessage']) : '',
      ],
      waiting: () =>
        `Waiting for ${openOf(latest, since).length} of ${plural(latest.size, 'account', 'accounts')}`,
      open: () => {
        const open = openOf(latest, since);
        const are = open.length === 1 ? 'is' : 'are';
        return {
          text: `${open.length} of ${plural(latest.size, 'account', 'accounts')} ${are} not finished: ${named(open, ({ status = '?' }) => (SETTLED_STATUSES.includes(status) ? `${status}, not synced since ${syncedSince}` : status))}`,
          details: open.map(({ id, status = null, record }) => ({ id, name: accountName(record), status })),
        };
      },
      failed: () => failure([...latest.values()], syncs, flags),
      notes: () => (syncs ? unknownNotes(syncs) : []),
    });
  },
});

async function sinceIn(context: Context, given: string | undefined): Promise<number | undefined> {
  if (given === undefined) return undefined;
  const { timeZone } = await context.view();
  const { from } = await spanOf({ from: given, to: undefined, period: undefined }, timeZone, context.now(), {
    ...FLAG_NAMES,
    from: '--synced-since',
  });
  return from;
}

function openOf(latest: ReadonlyMap<string, StatusChange>, since: number | undefined): StatusChange[] {
  return [...latest.values()].filter(({ record, status }) => !isSettled(record, status, since));
}

function failure(
  latest: readonly StatusChange[],
  syncs: LatestSyncs | undefined,
  flags: string,
): CryptodataError | undefined {
  const failed = latest.filter(({ status }) => status === 'FAILED');
  const dropped = latest.filter(({ id, status }) => {
    const sync = syncs?.byAccount.get(id);
    return status === 'COMPLETED' && sync !== undefined && droppedRecords(sync);
  });
  const why = ({ record }: StatusChange) =>
    fieldText(record['errorMessage']) || 'the service reports no reason';
  const lost = ({ id }: StatusChange) => lossOf(syncs?.byAccount.get(id) ?? {});
  const of = `of ${plural(latest.length, 'account', 'accounts')}`;
  const texts = [
    ...(failed.length > 0 ? [`${failed.length} ${of} FAILED: ${named(failed, why)}`] : []),
    ...(dropped.length > 0
      ? [
          `${dropped.length} ${of} ${dropped.length === 1 ? 'is' : 'are'} COMPLETED but dropped records: ${named(dropped, lost)}`,
        ]
      : []),
  ];
  if (texts.length === 0) return undefined;
  const hints = [
    ...(failed.length > 0
      ? [
          `Check the credentials of each failed account. To see whether a provider has an outage: cryptodata providers get ID${flags}.`,
        ]
      : []),
    ...(dropped.length > 0
      ? [
          `Dropped records are counted for the latest sync only. To see each sync: cryptodata sync status${flags}.`,
        ]
      : []),
  ];
  return partialError(
    texts.join('. '),
    {
      hint: hints.join(' '),
      details: [
        ...failed.map((change) => ({ id: change.id, name: accountName(change.record), reason: why(change) })),
        ...dropped.map((change) => ({
          id: change.id,
          name: accountName(change.record),
          latestSync: syncs?.byAccount.get(change.id),
        })),
      ],
    },
    failed.length > 0 ? 'SYNC_FAILED' : 'PARTIALLY_SYNCED',
  );
}

/** Returns text such as `30 records failed: the transaction limit is reached`. */
function lossOf({ recordsFailed, limitReached, message }: JsonRecord): string {
  const failed = cellText(recordsFailed);
  const count = failed === '' || failed === '0' ? 'partially synced' : `${failed} records failed`;
  const why = fieldText(message) || (limitReached === true ? 'the transaction limit is reached' : '');
  return why === '' ? count : `${count}: ${why}`;
}

/** Lists up to five accounts, each with a description, and the number of remaining accounts. */
function named(changes: readonly StatusChange[], describe: (change: StatusChange) => string): string {
  const texts = changes.map((change) => {
    const label = [accountName(change.record), `(${change.id})`].join(' ').trim();
    return `${label}: ${describe(change)}`;
  });
  return someOf(texts, { by: '; ' });
}
