import { textOf } from '../../api/ledgers.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { Entry } from '../../events/entry.ts';
import { addMark } from '../../mirror/marks.ts';
import { openMirror } from '../../mirror/open.ts';

/**
 * Returns a function that receives deliveries. If a delivery announces edits, the next run of the mirror reads the affected
 * legs again: all legs for `costbasis.completed`, and the legs of one account for `integration.updated`.
 *
 * @throws usage error `NO_MIRROR`
 */
export async function marksFor(folder: string): Promise<(delivery: Entry) => Promise<void>> {
  await openMirror(folder);
  return async ({ event, body, received: at }) => {
    if (event !== 'costbasis.completed' && event !== 'integration.updated') return;
    const walletId = event === 'integration.updated' ? walletIdIn(body) : null;
    await addMark(folder, { why: event, at, walletId });
  };
}

/** The account id in a delivery. Null if there is no id: the legs of all accounts are then read again. */
function walletIdIn(body: Uint8Array): string | null {
  try {
    const delivery = parseJson(Buffer.from(body).toString('utf8'));
    const data = isRecord(delivery) ? delivery['data'] : undefined;
    return isRecord(data) ? textOf(data['walletId']) || null : null;
  } catch {
    return null;
  }
}
