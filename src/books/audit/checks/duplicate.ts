import { IdSet } from '../../../core/id-set.ts';
import { canonical } from '../../figure.ts';
import type { Leg } from '../../leg.ts';
import type { Step } from '../../walk.ts';
import { evidenceOf, isBefore } from '../causes.ts';
import { aboutLeg, amountText, check, type Severity, valueAtPrice } from '../check.ts';

/** Maximum time difference between two imports of the same movement. The times differ if a source rounds times. */
const WINDOW = 10_000;

/** Memory grows with the number of ids, and with the legs of each wallet and asset in 10 seconds. */
export const duplicate = check({
  name: 'duplicate',
  title: 'Duplicates',
  means: 'The same movement is recorded twice.',
  fix: 'Remove one of the two imports.',
  needs: [],
  isOrdered: true,
  start(report, scope) {
    const ids = new IdSet();
    const recent = new Map<string, { readonly leg: Leg; readonly quantity: string }[]>();
    const add = (leg: Leg, severity: Severity, message: string) =>
      report({
        ...{ ...aboutLeg(leg, scope), severity, message },
        ...{ amount: leg.decimal('quantity'), value: valueAtPrice(leg.quantity, leg) },
      });
    return {
      step(step) {
        const { leg, pair } = step;
        if (leg.id !== '' && !ids.add(leg.id)) {
          add(leg, 'error', `Leg ${leg.id} is listed more than once.`);
          return;
        }
        const { time } = leg;
        const quantity = canonical(leg.decimal('quantity'));
        if (time === undefined || quantity === undefined || leg.isNameless) return;
        const near = recent.get(pair) ?? [];
        while (near[0] && (near[0].leg.time ?? 0) < time - WINDOW) near.shift();
        const other = near.find(
          (one) =>
            one.quantity === quantity && one.leg.type === leg.type && one.leg.transaction !== leg.transaction,
        )?.leg;
        if (near.push({ leg, quantity }) === 1) recent.set(pair, near);
        if (!other) return;
        const isElsewhere = leg.served('syncId') !== other.served('syncId');
        const severity = isChained(step) || !(isElsewhere || leg.time === other.time) ? 'info' : 'warning';
        const how = isElsewhere ? ' (from another sync, or entered by hand)' : '';
        add(
          leg,
          severity,
          `The same wallet has another ${leg.type} leg of ${amountText(leg.quantity, leg)} within 10 seconds: ${other.id}${how}.`,
        );
      },
    };
  },
  cause(draft, effect) {
    // Only a duplicate outgoing leg can make the balance negative.
    if (!draft.outgoing || !draft.leg || !isBefore(draft, effect)) return undefined;
    return {
      cause: 'duplicate outgoing leg',
      confidence: draft.severity === 'info' ? 'low' : 'high',
      action:
        'If both legs record the same movement, keep the leg that was imported from the account. Remove the other leg.',
      ...evidenceOf(draft, effect),
    };
  },
});

/** Whether the served balances lead through the leg, which shows that the source knows both movements. */
function isChained({ gap, error, leg }: Step): boolean {
  return leg.before !== null && gap?.isZero() === true && error?.isZero() === true;
}
