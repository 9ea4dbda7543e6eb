import { exact } from '../../../core/decimal.ts';
import { plural } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { evidenceOf, isBefore, isSameWay } from '../causes.ts';
import { aboutLeg, amountText, assetText, declareCheck, valueAtPrice } from '../check.ts';

export const openingBalance = declareCheck({
  name: 'opening-balance',
  title: 'Balances that do not start at zero',
  means:
    'The first leg of an asset in a wallet spends the asset, or the balance before this leg is not zero. Earlier history may be missing.',
  fix: 'Import the earlier history.',
  needs: ['beforeBalance'],
  isOrdered: true,
  isEffect: true,
  start(report, scope) {
    let unjudged = 0;
    let unknown = 0;
    return {
      step({ leg, pair, isFirst, firsts }) {
        if (!isFirst || !scope.fromStart) return;
        if (firsts && firsts.length > 1) {
          if (scope.asksFor(leg) && !firsts.every(startsAtZero)) unjudged += 1;
          return;
        }
        const { before, quantity } = leg;
        const parts = {
          ...aboutLeg(leg, scope),
          day: leg.time === undefined ? '' : scope.day(leg.time),
          ...{ severity: 'error' as const, lacksMore: true as const },
          key: [pair],
        };
        if (before !== null && !before.isZero()) {
          report({
            ...{ ...parts, expected: '0', actual: before.toFixed(), amount: before.abs().toFixed() },
            ...{ value: valueAtPrice(before, leg), lack: before },
            message: `The first leg starts from ${amountText(before, leg)} instead of 0: earlier transactions are missing.`,
          });
        } else if (!startsAtZero(leg)) {
          report({
            ...{ ...parts, amount: quantity?.toFixed() ?? null, value: valueAtPrice(quantity, leg) },
            lack: quantity ?? undefined,
            message: `The first leg is ${leg.type === 'fee' ? 'a fee' : leg.type} (${amountText(quantity, leg)}), but no earlier leg brought in any ${assetText(leg)}.`,
          });
        } else if (leg.start?.isZero() !== true && scope.asksFor(leg)) unknown += 1;
      },
      notPossible: () => (scope.fromStart ? undefined : 'The legs before the period are not in the file.'),
      notJudged: () =>
        [
          ...(unjudged > 0
            ? [
                `The first leg of ${plural(unjudged, 'pair', 'pairs')} of wallet and asset is unknown, because the order of legs with the same time is unknown.`,
              ]
            : []),
          ...(unknown > 0
            ? [
                `The balance before the first leg of ${plural(unknown, 'pair', 'pairs')} of wallet and asset is unknown.`,
              ]
            : []),
        ].join(' ') || undefined,
    };
  },
  cause(draft, effect) {
    if (!draft.leg || !isBefore(draft, effect) || !isSameWay(draft.lack, effect)) return undefined;
    const [known, needed] = [exact(draft.amount), exact(effect.amount)];
    // This finding proves that the earlier history is incomplete, but the missing quantity may be larger than the amount of the
    // finding.
    const isEnough = known !== null && needed !== null && known.greaterThanOrEqualTo(needed);
    return {
      cause: 'missing history',
      confidence: isEnough || draft.leg.id === effect.leg?.id ? 'high' : 'medium',
      action: historyBefore(draft.pair?.walletId, draft.day),
      ...evidenceOf(draft, effect),
    };
  },
});

/** Whether the first leg can start from a balance of zero, as far as the balances of the leg are known. */
function startsAtZero({ sign, before, quantity }: Leg): boolean {
  return (sign !== -1 || quantity?.isZero() === true) && (before === null || before.isZero());
}

/** Returns an action, for example `Import the history of wallet wal_1 before 2020-05-26.` */
export function historyBefore(walletId: string | null = '', day?: string): string {
  return `Import the history of wallet ${walletId}${day ? ` before ${day}` : ''}.`;
}
