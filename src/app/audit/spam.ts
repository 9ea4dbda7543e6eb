import { joinOf } from '../../api/endpoint.ts';
import { spamJoin } from '../../api/spam.ts';
import type { Pair } from '../../books/asset.ts';
import { isRecord } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { SNAPSHOTS } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';

export interface SpamAssets {
  readonly ids: ReadonlySet<string>;
  /** Ids from fields that may not contain asset ids. If a leg has one of these ids as `assetId`, all of them are trusted. */
  readonly uncertain: ReadonlySet<string>;
  /** Number of records without an id. */
  readonly withoutId: number;
}

export const NO_SPAM: SpamAssets = { ids: new Set(), uncertain: new Set(), withoutId: 0 };

export async function spamIn(records: AsyncIterable<unknown>): Promise<SpamAssets> {
  const ids = new Set<string>();
  const uncertain = new Set<string>();
  let withoutId = 0;
  for await (const record of records) {
    const { id, isCertain } = (isRecord(record) && joinOf(record, spamJoin)) || {};
    if (id === undefined) withoutId += 1;
    else ids.add(id);
    if (id !== undefined && !isCertain) uncertain.add(id);
  }
  return { ids, uncertain, withoutId };
}

/** Returns a sentence if some spam assets cannot be found in the legs by id. Without legs, returns undefined. */
export function unjoinedSpam(
  { uncertain, withoutId }: SpamAssets,
  pairs: readonly Pair[],
): string | undefined {
  const isJoined = pairs.some(({ assetId }) => assetId !== null && uncertain.has(assetId));
  const unjoined = withoutId + (isJoined ? 0 : uncertain.size);
  if (unjoined === 0 || pairs.length === 0) return undefined;
  return `${plural(unjoined, 'spam asset has', 'spam assets have')} no id that occurs in a leg, so findings on spam assets may be included.`;
}

/** Returns a sentence that says why the list of spam assets in a mirror may be wrong; undefined if the list is verified. */
export function spamLimitOf({ update, manifest: { snapshots } }: Mirror): string | undefined {
  if (snapshots.spam?.verified) return undefined;
  if (snapshots.spam) {
    return `The list of spam assets in the mirror is not verified (${showText(snapshots.spam.why ?? 'reason unknown')}), so findings on spam assets may be included.`;
  }
  const tables = SNAPSHOTS.filter((name) => name === 'spam' || snapshots[name]);
  return `The mirror does not record which assets are spam, so findings on spam assets are included. To add the list: ${update} --tables ${tables.join(',')}`;
}
