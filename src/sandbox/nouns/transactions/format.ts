// Formats a transaction as JSON with the fields `id`, `incomingAssets`, `outgoingAssets` and `fee`. Each leg is written with
// the same bytes as the ledger in GET /v1/ledgers/{id}. See "Transaction legs" and "Fields left open" in the specification.

import { FEE, INCOMING, OUTGOING } from '../../books/columns.ts';
import type { BookContext } from '../../books/context.ts';
import type { LegGroup } from '../../books/legs.ts';
import { objectText } from '../../http/lists.ts';
import type { SandboxSettings } from '../../options.ts';
import type { LedgerJson } from '../ledgers/format.ts';

export function createTransactionJson(
  { book, transactionIds }: BookContext,
  json: LedgerJson,
  shape: SandboxSettings['legShape'],
): (transaction: LegGroup) => string {
  return ({ number, rows }) => {
    const legs = (type: number, asList: boolean): string => {
      const texts = [...rows].filter((row) => book.columns.type[row] === type).map((row) => json(row));
      return asList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
    };
    return objectText({
      id: JSON.stringify(transactionIds.of(number)),
      incomingAssets: legs(INCOMING, shape !== 'single'),
      outgoingAssets: legs(OUTGOING, shape !== 'single'),
      fee: legs(FEE, shape === 'lists'),
    });
  };
}
