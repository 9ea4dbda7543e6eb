import { textOf } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import type { OpenSpan } from '../../core/span.ts';
import { count } from '../../core/text.ts';
import { addsUp, figureOf, isBelowZero, isFigure, isZero } from '../figure.ts';
import { type Episode, NegativeBalances } from '../negative.ts';
import { keyOfPair } from '../pair.ts';
import type { CheckName, Draft, Money } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

/**
 * Runs the checks `negative-balance`, `unknown-balance`, `opening-balance`, `broken-chain` and `arithmetic`. Legs must be added
 * in the order of `inBalanceOrder`. Memory grows with wallets × assets.
 */
export class BalanceChecks {
  readonly #histories = new Map<string, PairHistory>();
  readonly #negative: NegativeBalances;
  readonly #report: (draft: Draft) => void;

  constructor(period: OpenSpan, report: (draft: Draft) => void) {
    this.#negative = new NegativeBalances({ period });
    this.#report = report;
  }

  add(leg: AuditLeg): void {
    let history = this.#histories.get(leg.key);
    if (!history) {
      history = new PairHistory(this.#report);
      this.#histories.set(leg.key, history);
    }
    history.add(leg);
    this.#negative.add(leg.record, leg.key);
  }

  finish(): void {
    for (const history of this.#histories.values()) history.finish();
    for (const episode of this.#negative.finish().episodes) this.#reportNegative(episode);
  }

  #reportNegative(episode: Episode): void {
    const { first, deepest, began, end } = episode;
    if (first === null || deepest === null) return;
    const shown = began ?? first;
    const history = this.#histories.get(keyOfPair(episode));
    const missing = figureOf(deepest.afterBalance)?.negated() ?? null;
    const disposals = history?.disposalsWithoutCostSince(first.id) ?? 0;
    const have = disposals === 1 ? 'disposal has' : 'disposals have';
    const later = disposals === 0 ? '' : ` ${count(disposals)} later ${have} a missing or zero cost basis.`;
    this.#report({
      check: 'negative-balance',
      severity: 'error',
      key: [episode.walletId, episode.assetId ?? episode.symbol, shown.id],
      pair: episode,
      leg: { id: shown.id, transactionId: shown.transactionId, time: shown.timestamp ?? undefined },
      legs: episode.legs,
      expected: '0',
      actual: deepest.afterBalance,
      amount: missing?.toFixed() ?? null,
      value: history?.valueOf(missing) ?? null,
      message: `The balance falls to ${deepest.afterBalance} ${episode.symbol}${end ? '' : ' and stays negative'}${missing ? `: at least ${missing.toFixed()} ${episode.symbol} is missing` : ''}.${later}`,
      inPeriod: true,
    });
  }
}

/** The state of the audit for one wallet and asset. */
class PairHistory {
  readonly #report: (draft: Draft) => void;
  #last: AuditLeg | undefined;
  #isNegative = false;
  #unknown: { readonly first: AuditLeg; legs: number; quantity: Exact | null } | undefined;
  #disposalsWithoutCost = 0;
  /**
   * For each leg that may start a negative balance, the number of earlier disposals without a cost basis. The key is the leg
   * id.
   */
  readonly #disposalsAt = new Map<string, number>();
  #negativeInPeriod = false;
  #priced: AuditLeg | undefined;

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  finish(): void {
    if (!this.#unknown) return;
    const { first, legs } = this.#unknown;
    const quantity = first.isNameless ? null : this.#unknown.quantity;
    const { symbol } = first;
    this.#report({
      check: 'unknown-balance',
      severity: 'warning',
      key: [first.key],
      pair: first.pair,
      leg: first,
      legs,
      amount: quantity?.toFixed() ?? null,
      value: valueAtPrice(quantity, first),
      message: `${count(legs)} ${legs === 1 ? 'leg has' : 'legs have'} no running balance${quantity ? ` (${quantity.toFixed()} ${symbol} in total)` : ''}. Filters and checks of balances skip ${legs === 1 ? 'this leg' : 'these legs'}.`,
      inPeriod: true,
    });
  }

  disposalsWithoutCostSince(legId: string): number {
    return this.#disposalsWithoutCost - (this.#disposalsAt.get(legId) ?? this.#disposalsWithoutCost);
  }

  /** The value of `amount` at the last known price of the asset. */
  valueOf(amount: Exact | null): Money | null {
    return this.#priced ? valueAtPrice(amount, this.#priced) : null;
  }

  add(leg: AuditLeg): void {
    if (leg.record['price'] != null) this.#priced = leg;
    if (!this.#last) this.#checkOpening(leg);
    else this.#checkChain(this.#last, leg);
    const after = leg.record['afterBalance'];
    if (!this.#checkArithmetic(leg) && !isFigure(after)) this.#countUnknown(leg);
    const isNegative = isBelowZero(textOf(after));
    if (isNegative) this.#mark(leg);
    if (leg.type === 'outgoing' && isMissingCost(leg)) this.#disposalsWithoutCost += 1;
    this.#last = leg;
    this.#isNegative = isNegative;
  }

  #mark(leg: AuditLeg): void {
    if (this.#isNegative && (!leg.inPeriod || this.#negativeInPeriod)) return;
    this.#negativeInPeriod = leg.inPeriod;
    this.#disposalsAt.set(leg.id, this.#disposalsWithoutCost);
  }

  #checkOpening(leg: AuditLeg): void {
    const { before, symbol } = leg;
    const starts = before !== null && !before.isZero();
    if (!starts && leg.type === 'incoming') return;
    if (before === null && leg.after === null) return;
    const parts = {
      check: 'opening-balance',
      severity: 'error',
      key: [leg.key],
      pair: leg.pair,
      leg,
      legs: 1,
      inPeriod: leg.inPeriod,
    } as const;
    if (starts) {
      const amount = before.toFixed();
      this.#report({
        ...parts,
        expected: '0',
        actual: amount,
        amount: before.abs().toFixed(),
        value: valueAtPrice(before, leg),
        message: `The first leg starts from ${amount} ${symbol} instead of 0: earlier transactions are missing.`,
      });
      return;
    }
    const quantity = leg.quantity?.toFixed() ?? null;
    this.#report({
      ...parts,
      amount: quantity,
      value: valueAtPrice(leg.quantity, leg),
      message: `The first leg is ${leg.type === 'fee' ? 'a fee' : leg.type} (${quantity ?? 'an unknown quantity of'} ${symbol}), but no earlier leg brought in any ${symbol}.`,
    });
  }

  #checkChain(previous: AuditLeg, leg: AuditLeg): void {
    if (leg.record['beforeBalance'] === previous.record['afterBalance']) return;
    const [expected, actual] = [previous.after, leg.before];
    if (expected === null || actual === null || expected.equals(actual)) return;
    this.#reportMismatch(
      { check: 'broken-chain', leg, expected, actual },
      `The leg starts from ${actual.toFixed()} ${leg.symbol}, but the previous leg (${previous.id}) ends at ${expected.toFixed()}.`,
    );
  }

  #reportMismatch(
    {
      check,
      leg,
      expected,
      actual,
    }: {
      readonly check: CheckName;
      readonly leg: AuditLeg;
      readonly expected: Exact;
      readonly actual: Exact;
    },
    message: string,
  ): void {
    const difference = actual.minus(expected);
    this.#report({
      check,
      severity: 'error',
      key: [leg.id],
      pair: leg.pair,
      leg,
      legs: 1,
      expected: expected.toFixed(),
      actual: actual.toFixed(),
      amount: difference.abs().toFixed(),
      value: valueAtPrice(difference, leg),
      message,
      inPeriod: leg.inPeriod,
    });
  }

  /** Returns true if the balances before and after the leg are known and differ by the quantity of the leg. */
  #checkArithmetic(leg: AuditLeg): boolean {
    const { beforeBalance, afterBalance, quantity } = leg.record;
    const [from, to] =
      leg.type === 'incoming' ? [beforeBalance, afterBalance] : [afterBalance, beforeBalance];
    const adds = addsUp(from, quantity, to);
    if (adds !== false) return adds === true;
    const { before, after, change } = leg;
    if (before === null || after === null || change === null) return false;
    const expected = before.plus(change);
    this.#reportMismatch(
      { check: 'arithmetic', leg, expected, actual: after },
      `${before.toFixed()} ${change.isNegative() ? '−' : '+'} ${change.abs().toFixed()} is ${expected.toFixed()} ${leg.symbol}, but the balance after the leg is ${after.toFixed()}.`,
    );
    return false;
  }

  #countUnknown(leg: AuditLeg): void {
    if (!leg.inPeriod) return;
    if (!this.#unknown) {
      this.#unknown = { first: leg, legs: 1, quantity: leg.quantity };
      return;
    }
    this.#unknown.legs += 1;
    const { quantity } = this.#unknown;
    this.#unknown.quantity = quantity === null || leg.quantity === null ? null : quantity.plus(leg.quantity);
  }
}

/** Whether the cost basis is null or zero. All proceeds of such a leg become profit. */
function isMissingCost(leg: AuditLeg): boolean {
  const cost = leg.record['costbasis'];
  if (typeof cost === 'string') return isZero(cost);
  return cost === null || figureOf(cost)?.isZero() === true;
}
