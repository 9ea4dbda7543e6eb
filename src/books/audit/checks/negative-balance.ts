import { accountId } from '../../../api/integrations.ts';
import { plural } from '../../../core/text.ts';
import { type Pair, pairKey } from '../../asset.ts';
import { figureOf } from '../../figure.ts';
import type { Leg } from '../../leg.ts';
import {
  type Episode,
  type EpisodeLeg,
  type EpisodeRun,
  episodeKey,
  lowestInPeriod,
  NegativeBalances,
  type NegativeOpening,
} from '../../negative.ts';
import type { Scope } from '../../scope.ts';
import { aboutLeg, amountText, type Draft, declareCheck, valueAtPrice } from '../check.ts';

export const negativeBalance = declareCheck({
  name: 'negative-balance',
  title: 'Balances below zero',
  means:
    'According to the records, a wallet spent more than its balance. An incoming transaction may be missing, or an outgoing one may be recorded twice.',
  fix: 'Add whatever is missing: a purchase, a transfer or an account. Remove duplicates.',
  needs: ['afterBalance'],
  isOrdered: true,
  judgesCarried: true,
  isEffect: true,
  start(report, scope, { integrations }) {
    const episodes = new NegativeBalances({ period: scope.period });
    const own = new Set(integrations?.map((account) => accountId(account)));
    /** The last leg with a price, for each pair of wallet and asset. */
    const priced = new Map<string, Leg>();
    let hasBalance = false;
    let [unjudged, unopened, uncarried] = [0, 0, 0];
    return {
      step(step) {
        const { leg, pair } = step;
        episodes.step(step);
        own.add(leg.walletId);
        if (leg.time === undefined) return;
        hasBalance ||= leg.after !== null;
        if (!step.isKnown && scope.asksFor(leg)) unjudged += 1;
        if (step.isFirst && !scope.fromStart && step.before === null && scope.asksFor(leg)) unopened += 1;
        if (leg.hasPrice) priced.set(pair, leg);
      },
      finish() {
        const found = episodes.finish();
        uncarried = found.unopened.filter(scope.isChosen).length;
        for (const run of found.runs) {
          const areAllKnown = integrations !== undefined;
          const costless = run.costless.count({ isOwn: (walletId) => own.has(walletId), areAllKnown });
          report(draftOf(run, costless, priced.get(pairKey(run.episode)), scope));
        }
        for (const opening of found.openings)
          report(openingDraft(opening, scope, priced.get(pairKey(opening.leg.pair))));
      },
      notPossible: () => (hasBalance ? undefined : 'No leg has a running balance.'),
      notJudged: () =>
        [
          ...(unjudged > 0 ? [`The balance after ${plural(unjudged, 'leg', 'legs')} is unknown.`] : []),
          ...(unopened > 0
            ? [
                `The balance before the first leg of ${plural(unopened, 'pair', 'pairs')} of wallet and asset is unknown.`,
              ]
            : []),
          ...(uncarried > 0
            ? [
                `The balance of ${plural(uncarried, 'pair', 'pairs')} of wallet and asset at the start of the period is unknown.`,
              ]
            : []),
        ].join(' ') || undefined,
    };
  },
});

/**
 * @param costless the disposals with a missing or zero cost basis
 * @param priced the last leg of the wallet and asset that has a price
 */
function draftOf(
  { episode, shown, syncId }: EpisodeRun,
  costless: CostlessCount,
  priced: Leg | undefined,
  scope: Scope,
): Draft {
  const { legs, deepestOfAll, openingBalance, sinceBefore } = episode;
  const lowest = figureOf(deepestOfAll.afterBalance);
  // A file may lack earlier legs, so the balance at its start may be lower than the balance after each of its legs.
  const opening = sinceBefore ? figureOf(openingBalance) : null;
  const missing = (lowest && opening?.lessThan(lowest) ? opening : lowest)?.negated() ?? null;
  return {
    severity: 'error',
    key: [...pairNames(episode), episodeKey(shown)],
    pair: { walletId: episode.walletId, assetId: episode.assetId, symbol: episode.symbol },
    leg: foundLeg(shown, syncId),
    ...{ legs, expected: '0', actual: lowestInPeriod(episode), inPeriod: true },
    ...{ amount: missing?.toFixed() ?? null, lack: missing ?? undefined, lacksMore: true },
    value: priced ? valueAtPrice(missing, priced) : null,
    // The quantity that raises the lowest balance to zero also ends the other episodes.
    stake: pairKey(episode),
    message: `${courseOf(episode)}${earlierLow(episode, scope)}: at least ${amountText(missing, episode)} is missing.${costNote(costless)}`,
  };
}

function openingDraft({ leg, balance, ends }: NegativeOpening, scope: Scope, priced: Leg | undefined): Draft {
  const missing = figureOf(balance)?.negated() ?? null;
  const lasts = ends ? '' : ' and stays negative as far as is known';
  return {
    ...{ ...aboutLeg(leg, scope), severity: 'error', key: [...pairNames(leg.pair), leg.key], legs: 0 },
    ...{ expected: '0', actual: balance, amount: missing?.toFixed() ?? null },
    ...{ lack: missing ?? undefined, lacksMore: true },
    value: priced ? valueAtPrice(missing, priced) : null,
    stake: pairKey(leg.pair),
    message: `The balance is ${amountText(figureOf(balance), leg)} before this leg${lasts}: at least ${amountText(missing, leg)} is missing.`,
  };
}

/**
 * Describes how the balance moves in the period. A balance that is below zero at the start may rise and still stay below zero.
 */
function courseOf(episode: Episode): string {
  const { deepest, end, openingBalance, sinceBefore, unknownLegs = 0 } = episode;
  const [opening, lowest] = [figureOf(openingBalance), figureOf(deepest?.afterBalance ?? null)];
  const falls = lowest && !(sinceBefore && opening?.lessThanOrEqualTo(lowest));
  const parts = [
    ...(sinceBefore && opening ? [`is ${amountText(opening, episode)} at the start of the period`] : []),
    ...(sinceBefore && !opening ? ['was below zero before the period'] : []),
    ...(falls && sinceBefore && !opening ? [`is ${amountText(lowest, episode)} in the period`] : []),
    ...(falls && (!sinceBefore || opening) ? [`falls to ${amountText(lowest, episode)}`] : []),
    ...(opening || lowest ? [] : ['is unknown at the start of the period']),
    ...(end || !(opening || lowest) ? [] : [`stays negative${unknownLegs > 0 ? ' as far as is known' : ''}`]),
  ];
  return `The balance ${[parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ')}`;
}

function pairNames({ walletId, assetId, symbol }: Pair): string[] {
  return [walletId, assetId ?? symbol];
}

/**
 * If the balance was lower before the period, returns a sentence with the lowest balance and its day. This balance determines
 * the missing quantity.
 */
function earlierLow(episode: Episode, scope: Scope): string {
  const { timestamp, afterBalance } = episode.deepestOfAll;
  const [lowest, inPeriod] = [figureOf(afterBalance), figureOf(lowestInPeriod(episode))];
  if (!lowest || timestamp === null || scope.has(timestamp)) return '';
  if (inPeriod && !lowest.lessThan(inPeriod)) return '';
  return `. The lowest balance was ${amountText(lowest, episode)}, before the period (${scope.day(timestamp)})`;
}

type CostlessCount = ReturnType<EpisodeRun['costless']['count']>;

function costNote({ disposals, unclear }: CostlessCount): string {
  const named = [
    ...(disposals > 0 ? [plural(disposals, 'disposal', 'disposals')] : []),
    ...(unclear > 0 ? [plural(unclear, 'leg that may be a transfer', 'legs that may be transfers')] : []),
  ];
  if (named.length === 0) return '';
  const verb = disposals + unclear === 1 ? 'has' : 'have';
  return ` While the balance is below zero, ${named.join(' and ')} ${verb} a missing or zero cost basis.`;
}

function foundLeg({ id, transactionId, timestamp }: EpisodeLeg, syncId: string | null) {
  return { id, transactionId, time: timestamp ?? undefined, syncId };
}
