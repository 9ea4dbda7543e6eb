import { plural } from '../../../core/text.ts';
import { chainCause } from '../causes.ts';
import { aboutLeg, assetText, declareCheck, idText, valueAtPrice } from '../check.ts';

export const brokenChain = declareCheck({
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
    let unjudged = 0;
    /** Number of wallet/asset pairs that may have legs before the start of the file. */
    let starts = 0;
    /** Pairs in which the order of the latest legs is unknown, because these legs have the same time. */
    const open = new Set<string>();
    return {
      step(step) {
        const { leg, pair, gap, previous, firsts, openLegs } = step;
        const isOpen = openLegs > 0 || (firsts && firsts.length > 1);
        const isAfterOpen = open.delete(pair) && previous?.time !== leg.time;
        if (openLegs > 0) open.add(pair);
        hasBalance ||= scope.has(leg.time) && (leg.before !== null || leg.after !== null);
        if (gap === null && previous && scope.asksFor(leg)) unjudged += 1;
        if (step.isFirst && !scope.fromStart && scope.asksFor(leg)) starts += 1;
        if (gap === null || gap.isZero()) return;
        const [from, to] = [step.carried?.toFixed() ?? null, leg.start?.toFixed() ?? null];
        const last = previous && !isAfterOpen ? ` (${idText(previous)})` : '';
        const order = [
          ...(isOpen
            ? [' Another leg with the same time may come first, because the order of these legs is unknown.']
            : []),
          ...(isAfterOpen ? [' The order of the legs before it is unknown.'] : []),
        ].join('');
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error', expected: from, actual: to },
          ...{ amount: gap.abs().toFixed(), value: valueAtPrice(gap, leg), lack: gap },
          message: `The leg starts from ${to} ${assetText(leg)}, but the legs up to the previous one${last} lead to ${from}.${order}`,
        });
      },
      notPossible: () => (hasBalance ? undefined : 'No leg in the period has a running balance.'),
      notJudged() {
        if (!hasBalance) return undefined;
        const texts = [
          ...(unjudged > 0
            ? [
                `${plural(unjudged, 'leg', 'legs')} could not be compared with the legs before ${unjudged === 1 ? 'it' : 'them'}, because a balance is unknown.`,
              ]
            : []),
          ...(starts > 0
            ? [
                `The first ${starts === 1 ? 'leg' : 'legs'} of ${plural(starts, 'pair', 'pairs')} of wallet and asset could not be compared with the legs before the file.`,
              ]
            : []),
        ];
        return texts.join(' ') || undefined;
      },
    };
  },
  cause: chainCause,
});
