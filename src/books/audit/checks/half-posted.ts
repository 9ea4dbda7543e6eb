import { idHash } from '../../../core/id-hash.ts';
import { count } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { aboutLeg, check } from '../check.ts';
import { MARGIN } from '../margin.ts';

const CODES = ['debitCoaCode', 'creditCoaCode'] as const;

/** Number of legs of a transaction, and how many of them have an account code. */
interface Posting {
  legs: number;
  coded: number;
  /** The first leg without a code, by time and id. Known after the second read. */
  without?: Leg;
}

/** The legs of a transaction may lie far apart in time, so transactions are told apart by id. */
export const halfPosted = check({
  name: 'half-posted',
  title: 'Incomplete postings',
  means:
    'A leg has only one of its two accounts (debit, credit), or a transaction has legs with and without accounts.',
  fix: 'Complete the posting.',
  needs: [...CODES],
  start(report, scope) {
    // Only counts are kept for each transaction. If some are incomplete, a second read finds their legs.
    const counts = new Map<number, number>();
    const incomplete = new Map<string, Posting>();
    const isNear = (time: number | undefined) =>
      scope.has(time) || scope.has((time ?? 0) + MARGIN) || scope.has((time ?? 0) - MARGIN);
    const posting = (leg: Leg, message: string, key: string) =>
      report({ ...aboutLeg(leg, scope), severity: 'warning', key: [key], message });
    let hasCodes = false;
    return {
      leg(leg) {
        if (!isNear(leg.time)) return;
        const [debit, credit] = CODES.map((name) => leg.served(name) !== null);
        const transaction = idHash(leg.transaction);
        const isCoded = debit || credit;
        if (scope.has(leg.time)) hasCodes ||= isCoded === true;
        counts.set(transaction, (counts.get(transaction) ?? 0) | (isCoded ? 1 : 2));
        if (debit === credit) return;
        const [has, lacks] = debit ? ['debit', 'credit'] : ['credit', 'debit'];
        posting(leg, `The leg has a ${has} account code, but no ${lacks} account code.`, leg.id);
      },
      get readsAgain() {
        return [...counts.values()].includes(3);
      },
      again(leg) {
        if (!isNear(leg.time) || counts.get(idHash(leg.transaction)) !== 3) return;
        const found = incomplete.get(leg.transaction) ?? { legs: 0, coded: 0 };
        incomplete.set(leg.transaction, found);
        found.legs += 1;
        if (CODES.some((name) => leg.served(name) !== null)) found.coded += 1;
        else if (!found.without || isEarlier(leg, found.without)) found.without = leg;
      },
      finishAgain() {
        for (const { legs, coded, without } of incomplete.values()) {
          if (!without || coded === 0) continue;
          posting(
            without,
            `Only ${count(coded)} of ${count(legs)} legs of the transaction have account codes.`,
            without.transaction,
          );
        }
      },
      notPossible: () => (hasCodes ? undefined : 'No leg in the period has an account code.'),
    };
  },
});

function isEarlier(left: Leg, right: Leg): boolean {
  const [a, b] = [left.time ?? Number.POSITIVE_INFINITY, right.time ?? Number.POSITIVE_INFINITY];
  return a === b ? left.id < right.id : a < b;
}
