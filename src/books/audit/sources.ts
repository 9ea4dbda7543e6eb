import { textOf } from '../../api/ledgers.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import type { Draft } from './finding.ts';

/** Facts about the accounts of the legs. Lists that could not be read are undefined. */
export interface Sources {
  /** Records of GET /v1/integrations. */
  readonly integrations: readonly JsonRecord[];
  /** Latest known syncs, by integration id: records of GET /v1/sync/{syncId}. */
  readonly syncs?: ReadonlyMap<string, JsonRecord> | undefined;
  /** Health of unhealthy providers by id, for example `down (full outage)`. */
  readonly unhealthyProviders?: ReadonlyMap<string, string> | undefined;
}

/**
 * Checks accounts. failing-source finds accounts that failed, are inactive or dropped records. stale-source finds accounts that
 * have not synced since the end of the period.
 *
 * @param until the earlier of the end of the period and the present, in Unix milliseconds
 */
export function sourceDrafts({ integrations, syncs, unhealthyProviders }: Sources, until: number): Draft[] {
  return integrations.flatMap((integration): Draft[] => {
    const walletId = textOf(integration['walletId'] ?? integration['id']);
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
        ? 'has never synced'
        : `last synced at ${new Date(synced).toISOString()}, before the end of the period`;
    return [
      ...found,
      {
        ...parts,
        check: 'stale-source',
        lastSyncedAt: synced,
        severity: 'warning',
        message: `${name} ${since}: later transactions are missing.`,
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
  const id = textOf(sync?.['id'] ?? sync?.['syncId']);
  const next = id ? { next: `cryptodata sync get ${id}` } : {};
  const failed = sync?.['recordsFailed'];
  if (typeof failed === 'number' && failed > 0) {
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
      what: "the workspace's transaction limit cut the latest known sync short.",
      severity: 'error',
      ...next,
    });
  }
  const health = unhealthyProviders?.get(textOf(providerId ?? provider));
  if (health !== undefined) {
    const next = `cryptodata providers get ${textOf(providerId ?? provider)}`;
    found.push({ what: `its provider is ${health}.`, severity: 'warning', next, isPresentOnly: true });
  }
  return found;
}
