import { IdHashes } from '../../../core/id-hash.ts';
import { count } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { aboutLeg, declareCheck } from '../check.ts';
import { MARGIN } from '../margin.ts';

/** Number of legs of a transaction, and how many of them have an account code. */
interface Posting {
  legs: number;
  coded: number;
  /** The first leg without a code, by time and id. A leg in the period takes precedence over a leg outside the period. */
  without: Leg | undefined;
}

/**
 * The legs of a transaction may be far apart in time, so the check finds them by the transaction id. After 16 hours without a
 * leg, only the hash of a transaction is kept. If a later leg belongs to such a transaction, a second read finds all its legs.
 */
export const halfPosted = declareCheck({
  name: 'half-posted',
  title: 'Incomplete postings',
  means:
    'A leg has only one of its two accounts (debit, credit), or a transaction has legs with and without accounts.',
  fix: 'Add the missing account code.',
  needs: ['debitCoaCode', 'creditCoaCode'],
  start(report, scope) {
    let [current, previous] = [new Map<string, Posting>(), new Map<string, Posting>()];
    let since = Number.NEGATIVE_INFINITY;
    const old = new IdHashes();
    const incomplete = new Map<string, Posting>();
    /** The transactions with legs more than 16 hours apart. */
    const spread = new Map<string, Posting>();
    let hasCodes = false;
    const isNear = (time: number | undefined) => scope.isNear(time, MARGIN);
    const isBetter = (leg: Leg, other: Leg) =>
      scope.has(leg.time) === scope.has(other.time) ? isEarlier(leg, other) : scope.has(leg.time);
    const add = (posting: Posting, leg: Leg) => {
      posting.legs += 1;
      if (leg.hasDebitCode || leg.hasCreditCode) posting.coded += 1;
      else if (!posting.without || isBetter(leg, posting.without)) posting.without = leg;
    };
    const rotate = () => {
      for (const [transaction, posting] of previous) {
        if (!old.add(transaction)) spread.set(transaction, newPosting());
        if (posting.coded > 0 && posting.coded < posting.legs) incomplete.set(transaction, posting);
      }
      [current, previous] = [new Map(), current];
    };
    const draft = (leg: Leg, message: string, more: { readonly key?: readonly string[] } = {}) =>
      report({ ...aboutLeg(leg, scope), severity: 'warning', message, ...more });
    const reportAll = (postings: ReadonlyMap<string, Posting>) => {
      for (const [transaction, { legs, coded, without }] of postings) {
        if (!without || coded === 0) continue;
        const message = `Only ${count(coded)} of ${count(legs)} legs of the transaction have account codes.`;
        draft(without, message, { key: [`id:${transaction}`] });
      }
    };
    return {
      leg(leg) {
        const { time, transaction } = leg;
        if (!isNear(time)) return;
        const { hasDebitCode: debit, hasCreditCode: credit } = leg;
        hasCodes ||= (debit || credit) && scope.has(time);
        if (debit !== credit) {
          const [has, lacks] = debit ? ['debit', 'credit'] : ['credit', 'debit'];
          draft(leg, `The leg has a ${has} account code, but no ${lacks} account code.`);
        }
        // Skip a leg without a transaction id: as a transaction of one leg, it cannot have both coded and uncoded legs.
        if (typeof transaction !== 'string') return;
        if (time !== undefined && time - since > MARGIN) {
          rotate();
          since = time;
        }
        let posting = current.get(transaction);
        if (!posting) {
          posting = previous.get(transaction);
          if (posting) previous.delete(transaction);
          else posting = newPosting();
          current.set(transaction, posting);
        }
        add(posting, leg);
      },
      finish() {
        rotate();
        rotate();
        for (const transaction of spread.keys()) incomplete.delete(transaction);
        reportAll(incomplete);
      },
      get readsAgain() {
        return spread.size > 0;
      },
      again(leg) {
        const { time, transaction } = leg;
        const posting = typeof transaction === 'string' && isNear(time) ? spread.get(transaction) : undefined;
        if (posting) add(posting, leg);
      },
      finishAgain: () => reportAll(spread),
      notPossible: () => (hasCodes ? undefined : 'No leg in the period has an account code.'),
      notJudged: () =>
        !hasCodes || scope.readsAround(MARGIN)
          ? undefined
          : 'Legs from the hours before or after the data are unknown, so transactions may have more legs.',
    };
  },
});

function newPosting(): Posting {
  return { legs: 0, coded: 0, without: undefined };
}

function isEarlier(left: Leg, right: Leg): boolean {
  const [a, b] = [left.time ?? Number.POSITIVE_INFINITY, right.time ?? Number.POSITIVE_INFINITY];
  return a === b ? left.id < right.id : a < b;
}
