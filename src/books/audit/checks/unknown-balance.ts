import { plural } from '../../../core/text.ts';
import type { WalkStep } from '../../step.ts';
import { amountText, assetText, declareCheck, foundLeg } from '../check.ts';
import { Tallies } from '../tally.ts';

export const unknownBalance = declareCheck({
  name: 'unknown-balance',
  title: 'Legs without a balance',
  means:
    'The service reports no balance after these legs, or their order is unknown, so the balances cannot be checked.',
  fix: 'If legs have no running balance, resolve their asset, or wait until the service has processed them. If the order of legs is unknown, compare the balance with the account.',
  needs: ['afterBalance'],
  isOfPeriod: true,
  judgesCarried: true,
  start(report, scope) {
    const tallies = new Tallies();
    const last = new Map<string, WalkStep>();
    return {
      step(step) {
        const { leg, pair } = step;
        last.set(pair, step);
        if (scope.has(leg.time) && leg.decimal('afterBalance') === null) tallies.add(pair, leg);
      },
      finish() {
        for (const [pair, tally] of tallies) {
          const { legs, first, quantity } = tally;
          const total = quantity === null ? '' : ` (${amountText(quantity, first)} in total)`;
          const isOpen = last.get(pair)?.isKnown === false;
          last.delete(pair);
          report(
            tally.draft(
              'warning',
              `${plural(legs, 'leg has', 'legs have')} no running balance${total}. Balance filters skip ${legs === 1 ? 'this leg' : 'these legs'}.${isOpen ? ' The closing balance is unknown.' : ''}`,
            ),
          );
        }
        for (const { leg, pair, balance, openLegs } of last.values()) {
          if (balance !== null) continue;
          const { time = 0 } = leg;
          const why =
            openLegs > 0
              ? `the order of ${plural(openLegs, 'leg', 'legs')} at ${scope.text(time)} is unknown`
              : leg.time === undefined
                ? 'a leg has no time'
                : 'the last leg has no running balance';
          report({
            ...{ severity: 'warning', key: [pair, 'closing'], pair: leg.pair, leg: foundLeg(leg), legs: 0 },
            ...{
              message: `The closing balance of ${assetText(leg)} is unknown: ${why}.`,
              inPeriod: true,
            },
          });
        }
      },
    };
  },
});
