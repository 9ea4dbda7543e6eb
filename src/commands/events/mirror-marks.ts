import { textOf } from '../../api/ledgers.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { DeliveryEntry } from '../../events/entry.ts';
import { workspacesIn } from '../../mirror/lake.ts';
import { addMark } from '../../mirror/marks.ts';
import { openMirror } from '../../mirror/open.ts';

/**
 * Returns a function to call for each delivery. If a delivery reports edits, the function marks the affected legs of the
 * mirror, so that the next run reads them again. `costbasis.completed` marks all legs, and `integration.updated` marks the
 * legs of one account.
 *
 * @throws usage error `NO_MIRROR`
 */
export async function marksFor(folder: string): Promise<(delivery: DeliveryEntry) => Promise<void>> {
  // A lake may contain several workspaces.
  if ((await workspacesIn(folder)).length === 0) await openMirror(folder);
  return async ({ event, body, received: at }) => {
    if (event !== 'costbasis.completed' && event !== 'integration.updated') return;
    const walletId = event === 'integration.updated' ? walletIdIn(body) : null;
    await addMark(folder, { why: event, at, walletId });
  };
}

/** Returns the account id in a delivery, or null if there is none. With null, the legs of all accounts are marked. */
function walletIdIn(body: Uint8Array): string | null {
  try {
    const delivery = parseJson(Buffer.from(body).toString('utf8'));
    const data = isRecord(delivery) ? delivery['data'] : undefined;
    return isRecord(data) ? textOf(data['walletId']) || null : null;
  } catch {
    return null;
  }
}
