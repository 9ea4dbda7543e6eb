import { accountId } from '../../../api/integrations.ts';
import { MINUTE } from '../../../core/instant.ts';
import { plural } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { evidenceOf } from '../causes.ts';
import {
  aboutLeg,
  amountText,
  declareCheck,
  idText,
  type MatchCounts,
  type Severity,
  valueAtPrice,
} from '../check.ts';
import { type LostMatch, TransferSearch } from '../transfers.ts';

/**
 * Searches for the other side of each transfer.
 *
 * - A leg counts as a transfer if it names another account of the user. An uncategorised leg also counts as a transfer if its
 *   transaction has no leg in the other direction.
 * - The other side is a leg of the same asset in another wallet of the user. The incoming leg is at most 1 hour earlier and at
 *   most 15 hours later than the outgoing leg. The incoming quantity equals the outgoing quantity, or is smaller by a fee.
 * - If one transaction moves the asset between two wallets, both sides are already known.
 *
 * Memory grows with the number of legs in the busiest 32 hours, and with the number of legs that name an unknown wallet.
 */
export const unmatchedTransfer = declareCheck({
  name: 'unmatched-transfer',
  title: 'Transfers with only one side',
  means:
    'An asset left or reached a wallet, but the other side of the transfer was not found, or is a guess.',
  fix: 'Connect the other account, or categorise the leg.',
  needs: ['label', 'fromAccount.walletId', 'toAccount.walletId'],
  isOrdered: true,
  start(report, scope, { integrations }) {
    /** The wallets of the user. */
    const own = new Set(integrations?.map((account) => accountId(account)));
    const whyUnknown = integrations
      ? 'which has no legs and is not a known account'
      : 'which has no known legs';
    /** Unmatched legs that name another wallet, if that wallet has no earlier leg and is not a known account. */
    const named: (readonly [leg: Leg, otherWallet: string])[] = [];
    const matches: MatchCounts = { high: 0, medium: 0, low: 0 };
    let [atEdges, unknown, foreign] = [0, 0, 0];
    const search = new TransferSearch({
      matched(out, into, confidence, rival) {
        const inPeriod = scope.has(out.time) || scope.has(into.time);
        if (!inPeriod) return;
        const leg = scope.has(out.time) ? out : into;
        // A match with low confidence is also a finding, which is about one of the two legs.
        const counted = confidence === 'low' ? [leg] : [out, into];
        if (counted.some((one) => scope.asksFor(one))) matches[confidence] += 1;
        if (confidence !== 'low') return;
        const difference = out.quantity && into.quantity && out.quantity.minus(into.quantity);
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'info', key: ['guess', out.key, into.key], legs: 2 },
          ...{ expected: out.served('quantity'), actual: into.served('quantity') },
          ...{ amount: difference?.toFixed() ?? null, value: valueAtPrice(difference, leg) },
          message: `${amountText(out.quantity, out)} left this wallet (leg ${idText(out)}), and ${amountText(into.quantity, into)} arrived in wallet ${into.walletId} ${apart(out, into)} (leg ${idText(into)}). The two legs are only a likely match (confidence: low).${difference?.isZero() ? '' : ` The difference of ${difference?.toFixed()} is treated as a fee.`}${rivalText(rival)}`,
        });
      },
      unmatched(leg, otherWallet, lost) {
        if (otherWallet === undefined) alone(leg, 'any other wallet', 'info', { lost });
        else if (own.has(otherWallet)) alone(leg, `wallet ${otherWallet}`, 'warning', { lost });
        else named.push([leg, otherWallet]);
      },
      undecided(leg) {
        if (scope.asksFor(leg)) atEdges += 1;
      },
      covers: (from, to) => scope.covers(from, to),
    });
    function alone(
      leg: Leg,
      where: string,
      severity: Severity,
      { isKnown = true, lost }: { isKnown?: boolean; lost?: LostMatch | undefined } = {},
    ): void {
      const { quantity } = leg;
      const isOut = leg.sign === -1;
      if (quantity === null) {
        if (scope.asksFor(leg)) unknown += 1;
        return;
      }
      const [left, arrived] = lost
        ? ['left this wallet', 'arrived']
        : isKnown
          ? [
              `left this wallet, but was not matched to a leg that arrived in ${where} within 15 hours`,
              `arrived, but was not matched to a leg that left ${where} in the 15 hours before`,
            ]
          : [`left this wallet for ${where}`, `arrived from ${where}`];
      const why = lost
        ? ` Leg ${movedText(lost.leg)}, fits, but was matched to leg ${movedText(lost.to)} and fits equally well.`
        : '';
      report({
        ...{ ...aboutLeg(leg, scope), severity },
        ...{ amount: quantity.toFixed(), value: valueAtPrice(quantity, leg), isLost: isOut },
        message: `${amountText(quantity, leg)} ${isOut ? left : arrived}.${why}`,
      });
    }
    return {
      matches,
      leg(leg) {
        own.add(leg.walletId);
        search.add(leg);
      },
      finish() {
        search.finish();
        for (const [leg, otherWallet] of named) {
          const where = `wallet ${otherWallet}`;
          if (own.has(otherWallet)) alone(leg, where, 'warning');
          else if (leg.isUncategorised) alone(leg, `${where}, ${whyUnknown}`, 'info', { isKnown: false });
          else if (!integrations && scope.asksFor(leg)) foreign += 1;
        }
      },
      notJudged: () =>
        [
          ...(unknown > 0
            ? [
                `${plural(unknown, 'transfer leg', 'transfer legs')} with an unknown quantity could not be checked.`,
              ]
            : []),
          ...(foreign > 0
            ? [
                `${plural(foreign, 'leg refers', 'legs refer')} to a wallet that has no known legs. Without the list of accounts, it is unknown whether ${foreign === 1 ? 'this leg is a transfer' : 'these legs are transfers'}.`,
              ]
            : []),
          ...(atEdges > 0
            ? [
                `${plural(atEdges, 'transfer leg', 'transfer legs')} at the edges of the data could not be checked, because legs from the hours before or after are unknown.`,
              ]
            : []),
        ].join(' ') || undefined,
    };
  },
  cause(draft, effect) {
    // Most outgoing transfers are payments. Therefore, an outgoing transfer explains a finding only if the finding is about the
    // leg of the transfer.
    if (!draft.outgoing || draft.leg?.id !== effect.leg?.id || effect.lack?.isNegative()) return undefined;
    return {
      cause: 'outgoing transfer without a destination',
      confidence: 'low',
      action: "Compare the leg's quantity and asset with the account's records.",
      ...evidenceOf(draft, effect),
    };
  },
});

/** The id and the wallet of a leg: `led_1, which left wallet kraken`. */
function movedText(leg: Leg): string {
  return `${idText(leg)}, which ${leg.sign === -1 ? 'left' : 'arrived in'} wallet ${leg.walletId}`;
}

/** Names the leg that makes a match a guess, because it fits at least as well. */
function rivalText(rival: 'open' | LostMatch | undefined): string {
  if (rival === undefined) return '';
  if (rival === 'open') return ' Another leg fits equally well.';
  return ` Leg ${movedText(rival.leg)}, fits at least as well, but was matched to leg ${idText(rival.to)}.`;
}

function apart(out: Leg, into: Leg): string {
  const minutes = Math.round(((into.time ?? 0) - (out.time ?? 0)) / MINUTE);
  const [number, unit] =
    Math.abs(minutes) < 120 ? [Math.abs(minutes), 'minute'] : [Math.round(Math.abs(minutes) / 60), 'hour'];
  return `${plural(number, unit, `${unit}s`)} ${minutes < 0 ? 'earlier' : 'later'}`;
}
