import { CryptodataError } from '../../base/errors.ts';
import { SETTLED_STATUSES } from '../../client/accounts.ts';
import type { Change } from '../../client/watch.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { hiccup, showChanges, timeoutFlag } from '../changes.ts';
import { verb } from '../define.ts';
import { accountName, textOf } from './columns.ts';

export const wait = verb({
  name: 'wait',
  summary: 'Wait until connected accounts are COMPLETED, FAILED or INACTIVE',
  about: `Looks at GET /v1/integrations again and again: soon after a change, less often while nothing moves, and no sooner than a rate limit allows. Without an id it waits for every account. One that goes from the list is told as DELETED.

COMPLETED is also said of a sync that dropped records: sync get tells. An account whose sync was only just asked for may still stand as it was before.`,
  operands: [
    {
      written: '[id...]',
      describe: 'ids of the accounts: walletId in integrations list; all where none is named',
    },
  ],
  flags: { timeout: timeoutFlag },
  examples: [
    { says: 'Until everything has synced', line: 'cryptodata integrations wait --timeout 30m' },
    { says: 'One account, in a script', line: 'cryptodata integrations wait WALLET_ID --quiet && echo done' },
    {
      says: 'Those that failed, and why',
      line: `cryptodata integrations wait --jsonl | jq -r 'select(.status == "FAILED") | .record.errorMessage'`,
    },
  ],
  prints: `Each change as it is seen, those of the first look included: time, status, name and id (table), or records
{ time, walletId, status, previous, record } (json; jsonl and csv as they come).`,
  exits: [...SERVICE_EXITS, 5, 11].sort((a, b) => a - b),
  async run(context, { timeout }, given) {
    const client = await context.client();
    const latest = new Map<string, Change>();
    const { signal } = context;
    async function* changes(): AsyncGenerator<Change> {
      const watch = client.integrations.watch([...new Set(given)], {
        timeout,
        signal,
        onHiccup: hiccup(context),
      });
      for await (const change of watch) {
        latest.set(change.id, change);
        yield change;
      }
    }
    return showChanges(context, {
      changes: changes(),
      id: 'walletId',
      fields: ['providerPublicName', 'alias', 'errorMessage', 'lastSyncedAt'],
      line: ({ id, status = '?', record }) => [
        status.padEnd(9),
        [accountName(record), `(${id})`].join(' '),
        status === 'FAILED' ? textOf(record['errorMessage']) : '',
      ],
      waiting: () => {
        const open = [...latest.values()].filter(({ status = '' }) => !SETTLED_STATUSES.includes(status));
        return `Waiting for ${open.length} of ${latest.size} accounts`;
      },
      failed: () => failure([...latest.values()]),
    });
  },
});

function failure(latest: readonly Change[]): CryptodataError | undefined {
  const failed = latest.filter(({ status }) => status === 'FAILED');
  if (failed.length === 0) return undefined;
  const named = failed.slice(0, 5).map(({ id, record }) => {
    const why = textOf(record['errorMessage']) || 'the service gives no reason';
    return `${[accountName(record), `(${id})`].join(' ').trim()}: ${why}`;
  });
  const more = failed.length > 5 ? [`and ${failed.length - 5} more`] : [];
  return new CryptodataError(
    'partial',
    'SYNC_FAILED',
    `${failed.length} of ${latest.length} accounts FAILED: ${[...named, ...more].join('; ')}`,
    {
      hint: 'Check the credentials of each at its provider, and whether the provider works: cryptodata providers get ID.',
    },
  );
}
