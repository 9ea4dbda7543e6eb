import { chainCause } from '../causes.ts';
import { aboutLeg, check, valueAtPrice } from '../check.ts';

export const brokenChain = check({
  name: 'broken-chain',
  title: 'Gaps between balances',
  means:
    'The balance before a leg differs from the balance that the earlier legs lead to. A leg may be missing.',
  fix: 'Look for a deleted or missing leg.',
  needs: ['beforeBalance', 'afterBalance'],
  isOrdered: true,
  isEffect: true,
  start(report, scope) {
    let hasBalance = false;
    return {
      step(step) {
        const { leg, gap, previous } = step;
        hasBalance ||= gap !== null || step.isFirst;
        if (gap === null || gap.isZero()) return;
        const [from, to] = [step.carried?.toFixed() ?? null, leg.start?.toFixed() ?? null];
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error', key: [leg.id], expected: from, actual: to },
          ...{ amount: gap.abs().toFixed(), value: valueAtPrice(gap, leg) },
          message: `The leg starts from ${to} ${leg.symbol}, but the legs up to the previous one (${previous?.id}) lead to ${from}.`,
        });
      },
      notPossible: () => (hasBalance ? undefined : 'No leg has a running balance.'),
    };
  },
  cause: chainCause,
});
