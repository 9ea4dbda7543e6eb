// Ledgers that change while somebody pages through them.

import type { Ledgers } from '../ledgers/index.ts';
import { createRandom } from '../random.ts';
import type { Fault } from './fault.ts';

export interface DriftParts {
  readonly ledgers: Pick<Ledgers, 'insert' | 'remove' | 'store' | 'formatter' | 'books'>;
  readonly clock: () => number;
}

/** Which rows, and where, is chosen by `salt` alone. */
export function createDrift({ ledgers, clock }: DriftParts): (fault: Fault, salt: string) => void {
  const { store, formatter } = ledgers;
  const { size, timestamp } = ledgers.books.columns;

  return ({ rows = 'insert', count = 1 }, salt) => {
    const random = createRandom(salt);
    for (let done = 0; done < count; done += 1) {
      if (rows === 'delete') removeAt(random.next());
      else ledgers.insert([{ timestamp: rows === 'insert' ? clock() : past(random.next()) }]);
    }
  };

  function past(share: number): number {
    const [first = clock(), last = first] = size === 0 ? [] : [timestamp[0], timestamp[size - 1]];
    return Math.floor(first + (last - first) * share);
  }

  function removeAt(share: number): void {
    const { total } = pageAt(0);
    const [row] = pageAt(Math.floor(share * total)).rows;
    if (row === undefined) return;
    const record: unknown = JSON.parse(formatter.json(row));
    if (typeof record === 'object' && record !== null && 'id' in record) ledgers.remove(String(record.id));
  }

  function pageAt(offset: number) {
    const filters = {
      ...{ transactionIds: undefined, assetIds: undefined, types: undefined, providers: undefined },
      ...{ hasMissingPrice: undefined, hasMissingAsset: undefined, startTime: undefined, endTime: undefined },
      ...{ lessThan: undefined, greaterThan: undefined },
    };
    return store.page({ filters, sortBy: 'timestamp', ascending: true, limit: 1, offset });
  }
}
