// One transaction as it is served: id, incomingAssets, outgoingAssets and fee, of which each leg is a ledger, the same
// bytes as GET /v1/ledgers/{id} gives (spec: Transaction legs; Fields left open).

import { FEE, INCOMING, OUTGOING } from '../ledgers/columns.ts';
import type { Formatter } from '../ledgers/format.ts';
import type { Ids } from '../ledgers/ids.ts';
import { objectText } from '../lists.ts';
import type { Span } from './gathered.ts';

/**
 * Whether a leg stands alone or in a list is not shown. `by-name`: the plural names hold lists, `fee` is one ledger
 * or null. `lists`: all three are lists. `single`: each is one ledger, the first, or null.
 */
export type LegShape = 'by-name' | 'lists' | 'single';

export interface TransactionFormatOptions {
  readonly ids: Ids;
  readonly ledgers: Formatter;
  readonly shape: LegShape;
}

export function createTransactionFormatter(options: TransactionFormatOptions): (span: Span) => string {
  const { ids, ledgers, shape } = options;
  return ({ transaction, start, end, legs: { columns, rowOf } }) => {
    const legs = (type: number, asList: boolean): string => {
      const texts: string[] = [];
      for (let index = start; index < end; index += 1) {
        if (columns.type[index] === type) texts.push(ledgers.json(rowOf(index)));
      }
      return asList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
    };
    return objectText({
      id: JSON.stringify(ids.of(transaction)),
      incomingAssets: legs(INCOMING, shape !== 'single'),
      outgoingAssets: legs(OUTGOING, shape !== 'single'),
      fee: legs(FEE, shape === 'lists'),
    });
  };
}
