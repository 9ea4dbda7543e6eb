import { pathsOf } from '../api/records.ts';
import { sync } from '../api/syncs.ts';
import type { JsonRecord } from '../core/json.ts';
import { columnsAfter } from '../formats/open.ts';
import { cellText } from '../formats/text.ts';

const csv = pathsOf(sync.record).map((key) => ({ key }));

export const SYNC_COLUMNS = columnsAfter({
  table: [
    { key: 'status', state: true },
    { key: 'recordsFailed', header: 'records failed', figure: true },
    { key: 'limitReached', header: 'limit reached' },
    { key: 'message' },
  ],
  csv,
});

const LIMIT_REACHED = "stopped by the workspace's transaction limit, not by a connector failure";

/** Describes the problems of a sync: failed records, the transaction limit, and the message of the service. */
export function remarks({ recordsFailed, limitReached, message }: JsonRecord): string[] {
  const failed = cellText(recordsFailed);
  return [
    failed === '' || failed === '0' ? '' : `records failed: ${failed}`,
    limitReached === true ? LIMIT_REACHED : '',
    cellText(message),
  ].filter((text) => text !== '');
}
