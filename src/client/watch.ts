import type { JsonRecord } from '../core/json.ts';

/** Something that was seen to move, or stands as it does at the first look. */
export interface Change {
  /** When it was seen, in Unix milliseconds. */
  readonly time: number;
  /** `walletId` of a connected account, or id of a sync. */
  readonly id: string;
  /** Undefined where the record has no such text. */
  readonly status: string | undefined;
  /** The one before; undefined at the first look. */
  readonly previous: string | undefined;
  /** As served. */
  readonly record: JsonRecord;
}

export function statusOf({ status }: JsonRecord): string | undefined {
  return typeof status === 'string' ? status : undefined;
}
