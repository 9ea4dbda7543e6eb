import type { TransactionPreset } from '../../api/transactions.ts';
import type { JsonRecord } from '../../core/json.ts';

/** Data from the service, except legs. A list is undefined if it could not be read. */
export interface ServiceData {
  /** Records of GET /v1/integrations. */
  readonly integrations?: readonly JsonRecord[] | undefined;
  /**
   * The latest known sync of each account, by account id. Each sync is a record of GET /v1/sync/{syncId}, with `syncId` added.
   */
  readonly syncs?: ReadonlyMap<string, JsonRecord> | undefined;
  /** Assets marked as spam. */
  readonly spamAssetIds?: ReadonlySet<string>;
  /**
   * The accounts that have synced, but have no known latest sync. Each account is represented by its id, or by null if its id
   * is unknown.
   */
  readonly unknownSyncs?: readonly (string | null)[] | undefined;
  /** The health of each unhealthy provider, such as `down (full outage)`, by provider id. */
  readonly unhealthyProviders?: ReadonlyMap<string, string> | undefined;
  /** A sentence that says why the health of the providers is unknown. */
  readonly unknownHealth?: string | undefined;
  /** The number of transactions that each preset selects. */
  readonly presets?: Readonly<Partial<Record<TransactionPreset, number>>>;
  /** Minimum total gains for the check `high-pnl`, as a decimal string. */
  readonly minTotalGains?: string | undefined;
  /** For each check, by name: sentences about why the check cannot run, or which data it cannot check. */
  readonly whyNot?: Readonly<Record<string, string>>;
}
