import { isRecord } from '../../core/json.ts';
import { shellWord, showText } from '../../core/text.ts';
import { SNAPSHOTS } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';

/** Returns the ids of the assets in a list of spam assets. The specification does not show the fields of its records. */
export async function spamIdsIn(records: AsyncIterable<unknown>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const record of records) {
    const id = isRecord(record) ? (record['assetId'] ?? record['id']) : undefined;
    if (typeof id === 'string') ids.add(id);
  }
  return ids;
}

/** Returns why the spam assets of a mirror are not known for certain, as a sentence; undefined if they are known. */
export function spamLimitOf({ directory, manifest: { snapshots } }: Mirror): string | undefined {
  if (snapshots.spam?.verified) return undefined;
  if (snapshots.spam) {
    return `The list of spam assets in the mirror is not verified (${showText(snapshots.spam.why ?? 'reason unknown')}), so findings on spam assets may be included.`;
  }
  const tables = SNAPSHOTS.filter((name) => name === 'spam' || snapshots[name]);
  return `The mirror does not record which assets are spam, so findings on spam assets are included. To add the list: cryptodata mirror ${shellWord(directory)} --tables ${tables.join(',')}`;
}
