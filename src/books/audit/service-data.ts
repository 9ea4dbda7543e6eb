import type { TransactionPreset } from '../../api/transactions.ts';
import type { JsonRecord } from '../../core/json.ts';

/** Data from the service, other than legs. A list is undefined if it could not be read. */
export interface ServiceData {
  /** Records of GET /v1/integrations. */
  readonly integrations?: readonly JsonRecord[] | undefined;
  /** The latest known sync of each account, by account id. Records of GET /v1/sync/{syncId}, with `syncId`. */
  readonly syncs?: ReadonlyMap<string, JsonRecord> | undefined;
  /** Assets marked as spam. */
  readonly spamAssetIds?: ReadonlySet<string>;
  /** Number of accounts that have synced, but whose latest sync is unknown. */
  readonly unknownSyncs?: number | undefined;
  /** The health of each unhealthy provider, by provider id. For example, `down (full outage)`. */
  readonly unhealthyProviders?: ReadonlyMap<string, string> | undefined;
  /** Why the health of the providers is unknown, as a sentence. */
  readonly unknownHealth?: string | undefined;
  /** The number of transactions that each preset selects. */
  readonly presets?: Readonly<Partial<Record<TransactionPreset, number>>>;
  /** Minimum total gains for the check `high-pnl`, as a decimal string. */
  readonly minTotalGains?: string | undefined;
  /** Why a check cannot run, or covers only a part, by the name of the check. Each is a sentence. */
  readonly whyNot?: Readonly<Record<string, string>>;
}
