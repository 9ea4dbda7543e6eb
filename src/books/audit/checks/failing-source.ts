import { accountId } from '../../../api/integrations.ts';
import { textOf } from '../../../api/ledgers.ts';
import { failedRecords } from '../../../api/syncs.ts';
import type { JsonRecord } from '../../../core/json.ts';
import { plural } from '../../../core/text.ts';
import { type Draft, declareCheck } from '../check.ts';
import type { ServiceData } from '../service-data.ts';

export const failingSource = declareCheck({
  name: 'failing-source',
  title: 'Accounts with problems',
  means:
    'A sync failed or was partial, syncing is disabled, or the provider has problems. Transactions may be missing.',
  fix: 'Reconnect the account, or sync it again.',
  needs: [],
  isAboutService: 'accounts',
  start(report, scope, service) {
    for (const account of service.integrations ?? []) {
      const walletId = accountId(account) ?? '';
      const syncedAt = account['lastSyncedAt'];
      for (const { what, isOutage, ...found } of failuresOf(account, service.syncs?.get(walletId), service)) {
        report({
          ...found,
          ...{ key: [walletId, what], walletId, inPeriod: true },
          message: `${accountNameOf(account)}: ${what}`,
          next: found.next ?? 'cryptodata sync status',
          // An outage of the provider now does not explain which legs are missing.
          lastSyncedAt: typeof syncedAt === 'number' && !isOutage ? syncedAt : undefined,
        });
      }
    }
    const unknown = (service.unknownSyncs ?? []).filter((walletId) => scope.hasAccount(walletId)).length;
    return {
      notJudged: () =>
        [
          ...(service.unknownHealth === undefined
            ? []
            : [`The health of the providers is unknown. ${service.unknownHealth}`]),
          ...(unknown === 0
            ? []
            : [
                `The latest sync of ${plural(unknown, 'account', 'accounts')} is unknown, so records may have been dropped.`,
              ]),
        ].join(' ') || undefined,
    };
  },
  cause(draft, effect) {
    const found = {
      cause: 'account that did not sync completely',
      evidence: draft.message,
      action: 'Fix the problem with the account, then sync the account again.',
      ...{ next: draft.next ?? 'cryptodata sync status', operand: draft.operand, needsService: true },
    };
    // The times of dropped records are unknown. Therefore, a sync that dropped records can also explain a finding about a leg
    // of another sync.
    if (draft.syncId !== undefined)
      return { ...found, confidence: draft.syncId === effect.leg?.syncId ? 'high' : 'low' };
    // An account with problems can explain only findings about legs that are newer than its last sync.
    const time = effect.leg?.time;
    const isNewer = time !== undefined && draft.lastSyncedAt !== undefined && time > draft.lastSyncedAt;
    return isNewer ? { ...found, confidence: 'medium' } : undefined;
  },
});

/** The name by which the user knows an account. */
export function accountNameOf(account: JsonRecord): string {
  return (
    textOf(account['alias']) || textOf(account['providerPublicName']) || (accountId(account) ?? 'An account')
  );
}

type Failure = Pick<Draft, 'severity' | 'next' | 'operand' | 'syncId'> & {
  readonly what: string;
  readonly isOutage?: boolean;
};

function failuresOf(
  { status, errorMessage, provider, providerId }: JsonRecord,
  sync: JsonRecord | undefined,
  { unhealthyProviders }: ServiceData,
): Failure[] {
  const found: Failure[] = [];
  if (status === 'FAILED') {
    const why = textOf(errorMessage);
    found.push({ what: `the last sync failed${why ? ` (${why})` : ''}.`, severity: 'error' });
  }
  if (status === 'INACTIVE') found.push({ what: 'syncing is disabled or suspended.', severity: 'warning' });
  const id = textOf(sync?.['syncId']);
  const ofSync = id ? { next: 'cryptodata sync get', operand: id, syncId: id } : {};
  const failed = sync ? failedRecords(sync) : 0;
  if (failed > 0) {
    const what = `the latest known sync dropped ${plural(failed, 'record', 'records')}.`;
    found.push({ what, severity: 'error', ...ofSync });
  } else if (sync?.['status'] === 'partially_synced') {
    found.push({ what: 'the latest known sync was partial.', severity: 'error', ...ofSync });
  }
  if (sync?.['limitReached'] === true) {
    const what = "the latest known sync stopped at the workspace's transaction limit.";
    found.push({ what, severity: 'error', ...ofSync });
  }
  const name = textOf(providerId ?? provider);
  const health = unhealthyProviders?.get(name);
  if (health !== undefined) {
    const next = { next: 'cryptodata providers get', operand: name };
    found.push({ what: `the provider is ${health}.`, severity: 'warning', ...next, isOutage: true });
  }
  return found;
}
