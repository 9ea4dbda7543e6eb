import { accountId } from '../../../api/integrations.ts';
import { count, plural } from '../../../core/text.ts';
import { declareCheck } from '../check.ts';
import { accountNameOf } from './failing-source.ts';

export const staleSource = declareCheck({
  name: 'stale-source',
  title: 'Accounts that have not synced',
  means:
    'These accounts have not synced since the end of the period, so their most recent transactions may be missing.',
  fix: 'Sync the account again.',
  needs: [],
  isOfPeriod: true,
  isAboutService: 'accounts',
  start(report, scope, { integrations: all = [] }) {
    const integrations = all.filter((account) => scope.hasAccount(accountId(account) ?? null));
    const files = integrations.filter(({ type }) => type === 'csv');
    const byHand = integrations.filter((one) => one['isCustomWallet'] === true && !files.includes(one));
    const syncing = integrations.filter((one) => !files.includes(one) && !byHand.includes(one));
    const undated = syncing.filter(
      ({ lastSyncedAt }) => lastSyncedAt !== null && typeof lastSyncedAt !== 'number',
    );
    for (const account of syncing) {
      const walletId = accountId(account) ?? '';
      const synced = account['lastSyncedAt'];
      const parts = { key: [walletId], walletId, inPeriod: true, next: 'cryptodata sync status' };
      if (synced === 0 || synced === null) {
        const message = `${accountNameOf(account)} has never synced: its transactions may be missing.`;
        report({ ...parts, severity: 'warning', message, lastSyncedAt: 0 });
      } else if (typeof synced === 'number' && scope.hasEnded && synced <= (scope.period.to ?? 0)) {
        const message = `${accountNameOf(account)} last synced at ${scope.text(synced)}, before the end of the period: later transactions may be missing.`;
        report({ ...parts, severity: 'warning', message, lastSyncedAt: synced });
      }
    }
    const whenOver = syncing.length - undated.length;
    const never = [
      ...(files.length > 0 ? [`${count(files.length)} from uploaded files`] : []),
      ...(byHand.length > 0 ? [`${count(byHand.length)} entered by hand`] : []),
    ];
    const limits = [
      ...(never.length > 0
        ? [
            `${plural(files.length + byHand.length, 'account', 'accounts')} without a sync could not be checked: ${never.join(', ')}.`,
          ]
        : []),
      ...(undated.length > 0
        ? [`The last sync of ${plural(undated.length, 'account', 'accounts')} is unknown.`]
        : []),
      ...(whenOver > 0 && !scope.hasEnded
        ? ['An overdue sync can be found only after the end of the period.']
        : []),
    ];
    return { notJudged: () => limits.join(' ') || undefined };
  },
  cause(draft, effect) {
    // The last sync imported all legs before it. An overdue sync can therefore explain only findings about legs that are newer
    // than the last sync.
    if ((draft.lastSyncedAt ?? 0) >= (effect.leg?.time ?? 0)) return undefined;
    return {
      cause: 'account that has not synced',
      confidence: 'medium',
      evidence: draft.message,
      action: 'Sync the account again.',
      next: 'cryptodata sync status',
      needsService: true,
    };
  },
});
