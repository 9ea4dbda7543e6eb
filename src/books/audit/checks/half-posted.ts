import { IdHashes } from '../../../core/id-hash.ts';
import { count } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { aboutLeg, check } from '../check.ts';
import { MARGIN } from '../margin.ts';

const CODES = ['debitCoaCode', 'creditCoaCode'] as const;

/** Number of legs of a transaction, and how many of them have an account code. */
interface Posting {
  legs: number;
  coded: number;
  /** The first leg without a code, by time and id; one of the period, if there is any. Known after the second read. */
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
    // Only hashes of transactions are kept. If some are incomplete, a second read finds their legs.
    const [coded, uncoded] = [new IdHashes(), new IdHashes()];
    const both = new Set<string>();
    const incomplete = new Map<string, Posting>();
    const isNear = (time: number | undefined) =>
      scope.has(time) || scope.has((time ?? 0) + MARGIN) || scope.has((time ?? 0) - MARGIN);
    const posting = (leg: Leg, message: string, key: string) =>
      report({ ...aboutLeg(leg, scope), severity: 'warning', key: [key], message });
    const isBetter = (leg: Leg, other: Leg) =>
      scope.has(leg.time) === scope.has(other.time) ? isEarlier(leg, other) : scope.has(leg.time);
    let hasCodes = false;
    return {
      leg(leg) {
        if (!isNear(leg.time)) return;
        const { debitCoaCode, creditCoaCode } = leg.record;
        const [debit, credit] = [isCode(debitCoaCode), isCode(creditCoaCode)];
        const isCoded = debit || credit;
        const { transaction } = leg;
        hasCodes ||= isCoded && scope.has(leg.time);
        (isCoded ? coded : uncoded).add(transaction);
        const others = isCoded ? uncoded : coded;
        if (others.size > 0 && others.has(transaction)) both.add(transaction);
        if (debit === credit) return;
        const [has, lacks] = debit ? ['debit', 'credit'] : ['credit', 'debit'];
        posting(leg, `The leg has a ${has} account code, but no ${lacks} account code.`, leg.id);
      },
      get readsAgain() {
        return both.size > 0;
      },
      again(leg) {
        if (!isNear(leg.time) || !both.has(leg.transaction)) return;
        const found = incomplete.get(leg.transaction) ?? { legs: 0, coded: 0 };
        incomplete.set(leg.transaction, found);
        found.legs += 1;
        if (CODES.some((name) => isCode(leg.record[name]))) found.coded += 1;
        else if (!found.without || isBetter(leg, found.without)) found.without = leg;
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

function isCode(code: unknown): boolean {
  return (code ?? '') !== '';
}

function isEarlier(left: Leg, right: Leg): boolean {
  const [a, b] = [left.time ?? Number.POSITIVE_INFINITY, right.time ?? Number.POSITIVE_INFINITY];
  return a === b ? left.id < right.id : a < b;
}
