import { textOf } from '../../api/ledgers.ts';
import { isRecord, type JsonRecord, parseJson } from '../../core/json.ts';
import type { DeliveryEntry } from '../../events/entry.ts';
import { workspacesIn } from '../../mirror/lake.ts';
import { addMark } from '../../mirror/marks.ts';
import { openMirror } from '../../mirror/open.ts';

/**
 * Returns a function to call for each delivery. If a delivery reports edits, the function marks the affected legs of the
 * mirror, so that the next run reads them again. `costbasis.completed` marks all legs of a workspace, and `integration.updated`
 * marks the legs of one account.
 *
 * @throws usage error `NO_MIRROR`
 */
export async function marksFor(folder: string): Promise<(delivery: DeliveryEntry) => Promise<void>> {
  // A lake may contain several workspaces.
  if ((await workspacesIn(folder)).length === 0) await openMirror(folder);
  return async ({ event, body, received: at }) => {
    if (event !== 'costbasis.completed' && event !== 'integration.updated') return;
    const delivery = contentOf(body);
    const { walletId } = isRecord(delivery['data']) ? delivery['data'] : {};
    const account = event === 'integration.updated' ? textOf(walletId) || null : null;
    await addMark(folder, { why: event, at, walletId: account }, textOf(delivery['workspace_id']) || null);
  };
}

/**
 * Returns the fields of a delivery. If its body is not a JSON object, returns no fields, and the legs of all accounts are
 * marked.
 */
function contentOf(body: Uint8Array): JsonRecord {
  try {
    const delivery = parseJson(Buffer.from(body).toString('utf8'));
    return isRecord(delivery) ? delivery : {};
  } catch {
    return {};
  }
}
