import { accountId } from '../../api/integrations.ts';
import { textOf } from '../../api/ledgers.ts';
import { failedRecords } from '../../api/syncs.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import type { Draft } from './finding.ts';

/** Data about the connected accounts. A list is undefined if it could not be read. */
export interface Sources {
  /** Records of GET /v1/integrations. */
  readonly integrations: readonly JsonRecord[];
  /** The latest known sync of each integration, by integration id. Records of GET /v1/sync/{syncId}, with `syncId`. */
  readonly syncs?: ReadonlyMap<string, JsonRecord> | undefined;
  /** The health of each unhealthy provider, by provider id. For example, `down (full outage)`. */
  readonly unhealthyProviders?: ReadonlyMap<string, string> | undefined;
}

/**
 * Runs the checks `failing-source` and `stale-source`. The first check finds accounts with problems, for example accounts that
 * failed to sync. The second check finds accounts that have not synced since the end of the period.
 *
 * @param until end of the period, or the current time if the period has not ended, in Unix milliseconds
 */
export function sourceDrafts({ integrations, syncs, unhealthyProviders }: Sources, until: number): Draft[] {
  return integrations.flatMap((integration): Draft[] => {
    const walletId = accountId(integration) ?? '';
    const name = textOf(integration['alias']) || textOf(integration['providerPublicName']) || walletId;
    const parts = { key: [walletId], walletId, inPeriod: true };
    const failing = failure(integration, syncs?.get(walletId), unhealthyProviders);
    const found: Draft[] = failing.map(({ what, severity, next, isPresentOnly }) => ({
      ...parts,
      key: [walletId, what],
      check: 'failing-source',
      severity,
      message: `${name}: ${what}`,
      next: next ?? 'cryptodata sync status',
      isPresentOnly,
    }));
    const synced = integration['lastSyncedAt'];
    if (integration['type'] === 'csv' || typeof synced !== 'number' || synced >= until) return found;
    const since =
      synced === 0
        ? 'has never synced: transactions are missing'
        : `last synced at ${new Date(synced).toISOString()}, before the end of the period: later transactions are missing`;
    return [
      ...found,
      {
        ...parts,
        check: 'stale-source',
        lastSyncedAt: synced,
        severity: 'warning',
        message: `${name} ${since}.`,
        next: 'cryptodata sync status',
      },
    ];
  });
}

interface Failure {
  readonly what: string;
  readonly severity: 'error' | 'warning';
  readonly next?: string;
  readonly isPresentOnly?: boolean;
}

function failure(
  integration: JsonRecord,
  sync: JsonRecord | undefined,
  unhealthyProviders: Sources['unhealthyProviders'],
): Failure[] {
  const { status, errorMessage, provider, providerId } = integration;
  const found: Failure[] = [];
  if (status === 'FAILED') {
    const why = textOf(errorMessage);
    found.push({ what: `the last sync failed${why ? ` (${why})` : ''}.`, severity: 'error' });
  }
  if (status === 'INACTIVE') found.push({ what: 'syncing is disabled or suspended.', severity: 'warning' });
  const id = textOf(sync?.['syncId']);
  const next = id ? { next: `cryptodata sync get ${id}` } : {};
  const failed = sync ? failedRecords(sync) : 0;
  if (failed > 0) {
    found.push({
      what: `the latest known sync dropped ${plural(failed, 'record', 'records')}.`,
      severity: 'error',
      ...next,
    });
  } else if (sync?.['status'] === 'partially_synced') {
    found.push({ what: 'the latest known sync was partial.', severity: 'error', ...next });
  }
  if (sync?.['limitReached'] === true) {
    found.push({
      what: "the latest known sync stopped at the workspace's transaction limit.",
      severity: 'error',
      ...next,
    });
  }
  const health = unhealthyProviders?.get(textOf(providerId ?? provider));
  if (health !== undefined) {
    const next = `cryptodata providers get ${textOf(providerId ?? provider)}`;
    found.push({ what: `the provider is ${health}.`, severity: 'warning', next, isPresentOnly: true });
  }
  return found;
}
