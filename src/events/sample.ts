import type { JsonRecord } from '../core/json.ts';

/** What a made-up delivery is made of. */
export interface SampleParts {
  /** Unix milliseconds. */
  readonly now: number;
  /** Random text for ids, different at each call. */
  readonly unique: () => string;
}

/**
 * A delivery as the service would send it, with made-up data: the envelope of the specification ("Events"), and of its
 * data every field that is always there.
 */
export function sample(kind: string, { now, unique }: SampleParts): JsonRecord {
  return {
    id: `whd_${unique()}`,
    event: kind,
    timestamp: new Date(now).toISOString(),
    grant_id: `cgrant_${unique()}`,
    workspace_id: `ws_${unique()}`,
    data: dataOf(kind, now, unique),
  };
}

/** Fields that the specification names, and that are not in every delivery. */
export function optionalPaths(kind: string): readonly string[] {
  return kind.startsWith('integration.') ? ['data.errorMessage'] : [];
}

/** Fields that may be null. */
export const NULLABLE: ReadonlySet<string> = new Set(['workspace_id', 'data.reason']);

const DAY = 86_400_000;
const ACTIONS: Readonly<Record<string, string>> = {
  transfer_detection: 'DETECT_TRANSFER',
  costbasis: 'ACCOUNT_MANAGER',
};
const REASONS: Readonly<Record<string, string>> = {
  transfer_detection: 'Transfer detection timed out',
  costbasis: 'The cost basis of an asset could not be calculated',
};

function dataOf(kind: string, now: number, unique: () => string): JsonRecord {
  const [category = '', status = ''] = kind.split('.');
  if (category === 'integration') return integration(kind, now, unique);
  const reason = status === 'failed' ? (REASONS[category] ?? null) : null;
  return { action: ACTIONS[category] ?? '', status, reason, timestamp: now };
}

/** Of a new connection nothing is known yet but that it is queued. */
function integration(kind: string, now: number, unique: () => string): JsonRecord {
  const isNew = kind === 'integration.created';
  const status = STATUSES[kind] ?? 'COMPLETED';
  const lastSyncedAt = isNew ? 0 : status === 'COMPLETED' ? now : now - DAY;
  return {
    provider: 'kraken',
    providerPublicName: 'Kraken',
    // Empty, and never null, for what is connected by API keys.
    publicAddress: '',
    walletId: unique(),
    logoUrl: '',
    isContract: false,
    alias: 'Trading desk',
    status,
    ...(status === 'FAILED' ? { errorMessage: 'The exchange rejected the API key' } : {}),
    addedOn: isNew ? now : now - 90 * DAY,
    lastSyncedAt,
    category: 'exchange',
    type: 'api',
    totalTransactions: isNew ? 0 : 1284,
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  'integration.created': 'QUEUED',
  'integration.updated': 'COMPLETED',
  'integration.deleted': 'DELETED',
  'integration.failed': 'FAILED',
};
