import { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { remarks } from './columns.ts';

/** `partially_synced` is a success with failed records ("Partial success is not an error"). */
export function partlySynced(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'partially_synced') return undefined;
  const hint =
    record['limitReached'] === true
      ? 'The remaining records are missing from the books: the workspace accepts no more transactions.'
      : 'The failed records are missing from the books, although the account shows COMPLETED.';
  return new CryptodataError('partial', 'PARTIALLY_SYNCED', withRemarks('The sync is partial', record), {
    hint,
  });
}

export function cancelled(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'cancelled') return undefined;
  return new CryptodataError('partial', 'SYNC_CANCELLED', withRemarks('The sync was cancelled', record), {
    hint: 'Start a new sync of every account: cryptodata sync resync-all.',
  });
}

function withRemarks(what: string, record: JsonRecord): string {
  const more = remarks(record);
  return more.length === 0 ? what : `${what}: ${more.join('; ')}`;
}
