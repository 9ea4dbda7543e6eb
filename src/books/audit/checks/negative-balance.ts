import { count } from '../../../core/text.ts';
import { pairKey } from '../../asset.ts';
import { figureOf, isBelowZero } from '../../figure.ts';
import type { Leg } from '../../leg.ts';
import { type Episode, type EpisodeLeg, NegativeBalances } from '../../negative.ts';
import { amountText, check, type Draft, valueAtPrice } from '../check.ts';

export const negativeBalance = check({
  name: 'negative-balance',
  title: 'Balances below zero',
  means:
    'According to the records, a wallet spent more than its balance. An incoming transaction is missing.',
  fix: 'Add whatever is missing: a purchase, a transfer or an account.',
  needs: ['afterBalance'],
  isOrdered: true,
  judgesCarried: true,
  isEffect: true,
  start(report, scope) {
    const episodes = new NegativeBalances({ period: scope.period });
    const pairs = new Map<string, Costs>();
    let hasBalance = false;
    return {
      step(step) {
        const { leg, pair } = step;
        if (leg.time === undefined) return;
        hasBalance ||= step.balance !== null;
        episodes.step(step);
        let costs = pairs.get(pair);
        if (!costs) {
          costs = new Costs();
          pairs.set(pair, costs);
        }
        costs.add(leg);
      },
      finish() {
        for (const episode of episodes.finish().episodes) {
          report(draftOf(episode, pairs.get(pairKey(episode))));
        }
      },
      notPossible: () => (hasBalance ? undefined : 'No leg has a running balance.'),
    };
  },
});

/** For one wallet and asset, the disposals without a cost basis, and the last known price. */
class Costs {
  priced: Leg | undefined;
  #withoutCost = 0;
  /** For each leg that took the balance below zero, the number of earlier disposals without a cost basis. */
  readonly #before = new Map<string, number>();
  #isNegative = false;

  add(leg: Leg): void {
    if (leg.record['price'] != null) this.priced = leg;
    const isNegative = isBelowZero(leg.served('afterBalance'));
    if (isNegative && !this.#isNegative) this.#before.set(leg.id, this.#withoutCost);
    this.#isNegative = isNegative;
    if (leg.type === 'outgoing' && isMissingCost(leg)) this.#withoutCost += 1;
  }

  since(legId: string): number {
    return this.#withoutCost - (this.#before.get(legId) ?? this.#withoutCost);
  }
}

/** Whether the cost basis is null or zero. All proceeds of such a leg become profit. */
function isMissingCost({ record: { costbasis } }: Leg): boolean {
  return costbasis === null || figureOf(costbasis)?.isZero() === true;
}

function draftOf(episode: Episode, costs: Costs | undefined): Draft {
  const { legs, first, deepest, deepestOfAll, began, end, openingBalance } = episode;
  const shown = began ?? first ?? deepestOfAll;
  const missing = figureOf(deepestOfAll.afterBalance)?.negated() ?? null;
  const inPeriod = deepest ? deepest.afterBalance : openingBalance;
  const lowest = amountText(figureOf(inPeriod), episode);
  const what =
    legs > 0
      ? `The balance falls to ${lowest}${end ? '' : ' and stays negative'}`
      : `The balance is ${lowest} at the start of the period${end ? '' : ', and no leg brings it back to zero'}`;
  return {
    severity: 'error',
    key: [episode.walletId, episode.assetId ?? episode.symbol, shown.id],
    pair: { walletId: episode.walletId, assetId: episode.assetId, symbol: episode.symbol },
    leg: foundLeg(shown),
    ...{ legs, expected: '0', actual: inPeriod, inPeriod: true },
    amount: missing?.toFixed() ?? null,
    value: costs?.priced ? valueAtPrice(missing, costs.priced) : null,
    message: `${what}: at least ${amountText(missing, episode)} is missing.${costNote(costs?.since(shown.id) ?? 0)}`,
  };
}

function costNote(disposals: number): string {
  if (disposals === 0) return '';
  return ` ${count(disposals)} later ${disposals === 1 ? 'disposal has' : 'disposals have'} a missing or zero cost basis.`;
}

function foundLeg({ id, transactionId, timestamp }: EpisodeLeg) {
  return { id, transactionId, time: timestamp ?? undefined, syncId: null };
}
