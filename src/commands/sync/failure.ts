import { CryptodataError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/json.ts';
import { remarks } from './columns.ts';

/** `partially_synced` is a success in which something failed ("Partial success is not an error"). */
export function partlySynced(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'partially_synced') return undefined;
  const hint =
    record['limitReached'] === true
      ? 'What did not fit is not in the books: a workspace takes no more transactions than its limit.'
      : 'What failed is not in the books. The account it belongs to says COMPLETED all the same.';
  return new CryptodataError('partial', 'PARTIALLY_SYNCED', told('The sync is partial', record), { hint });
}

export function cancelled(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'cancelled') return undefined;
  return new CryptodataError('partial', 'SYNC_CANCELLED', told('The sync was cancelled', record), {
    hint: 'A new one for every account: cryptodata sync resync-all.',
  });
}

function told(what: string, record: JsonRecord): string {
  const more = remarks(record);
  return more.length === 0 ? what : `${what}: ${more.join('; ')}`;
}
