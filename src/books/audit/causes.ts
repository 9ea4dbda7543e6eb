import { type Exact, exact } from '../../core/decimal.ts';
import { assetKey, type Pair, pairKey } from '../asset.ts';
import {
  amountText,
  assetText,
  type Check,
  type Draft,
  type DraftCause,
  explainCommand,
  type FoundLeg,
  idText,
  type NextCommand,
  nextOf,
  transactionCommand,
} from './check.ts';

const CONFIDENCE = ['high', 'medium', 'low'] as const;
/** Maximum number of causes to list. */
const MOST_CAUSES = 5;

/** A finding and the check that reported it. */
export interface ReportedDraft {
  readonly check: Check;
  readonly draft: Draft;
}

/**
 * Finds the likely causes of a finding, most likely first. A cause is another finding about the same wallet and asset, or about
 * the account of the wallet. A transfer of the asset from another wallet can also be a cause. A cause may lie before the
 * period, but not after the finding.
 */
export class Causes {
  readonly #accounts = new Map<string, ReportedDraft[]>();
  /** The findings of each pair, grouped by check and severity. */
  readonly #pairs = new Map<string, Map<string, ReportedDraft[]>>();
  readonly #departed = new Map<string, Departed[]>();

  constructor(all: readonly ReportedDraft[]) {
    for (const reported of all) {
      const { check, draft } = reported;
      const { pair, leg } = draft;
      if (!check.cause) continue;
      if (!pair) push(this.#accounts, draft.walletId ?? '', reported);
      else pushAlike(this.#pairs, pairKey(pair), reported);
      const quantity = exact(draft.amount);
      if (draft.isLost && pair && leg && quantity)
        push(this.#departed, assetKey(pair), { draft, pair, leg, quantity });
    }
  }

  of({ check, draft: effect }: ReportedDraft): DraftCause[] {
    if (!check.isEffect) return [];
    const { pair } = effect;
    const account = this.#accounts.get(pair?.walletId ?? '') ?? [];
    const alike = pair ? [...(this.#pairs.get(pairKey(pair))?.values() ?? [])] : [];
    const causes = [
      ...this.#transfers(effect),
      ...account.flatMap(({ check, draft }) => check.cause?.(draft, effect) ?? []),
      ...alike.flatMap((reported) => firstCauses(reported, effect)),
    ];
    const rank = ({ confidence }: DraftCause) => CONFIDENCE.indexOf(confidence);
    return causes.sort((left, right) => rank(left) - rank(right)).slice(0, MOST_CAUSES);
  }

  /**
   * Returns transfers that may be the cause. Each transfer moved the same asset out of another wallet, was not matched to a leg
   * that arrived, and is not later than the finding.
   */
  #transfers(effect: Draft): DraftCause[] {
    const missing = exact(effect.amount);
    if (missing === null || !effect.pair || effect.lack?.isNegative()) return [];
    const likely: DraftCause[] = [];
    const possible: DraftCause[] = [];
    for (const { draft, pair, leg, quantity } of this.#departed.get(assetKey(effect.pair)) ?? []) {
      if (likely.length === MOST_CAUSES) break;
      if (pair.walletId === effect.pair.walletId || !isBefore(draft, effect)) continue;
      const fit = quantity.comparedTo(missing);
      if (fit < 0 || (fit > 0 && (isExact(effect) || possible.length === MOST_CAUSES))) continue;
      (fit === 0 ? likely : possible).push({
        cause: 'transfer that did not arrive',
        confidence: fit === 0 ? 'high' : 'medium',
        evidence: `${amountText(quantity, pair)} left wallet ${pair.walletId} with leg ${leg.id}, but was not matched to a leg that arrived in another wallet.`,
        action: `Connect the account that received the ${assetText(pair)}, or import the history of that account.`,
        ...explainCommand(leg.id),
        ...placeOf(draft),
      });
    }
    return [...likely, ...possible];
  }
}

/** A transfer that left a wallet, but was not matched to a leg that arrived. */
interface Departed {
  readonly draft: Draft;
  readonly pair: Pair;
  readonly leg: FoundLeg;
  readonly quantity: Exact;
}

/**
 * Whether a wrongly recorded movement explains a finding: it has the direction and the quantity of the missing movement. True
 * if one of the two is unknown.
 *
 * @param movement the movement that the books lack because of the error
 */
export function explains(movement: Exact | undefined, effect: Draft): boolean {
  if (movement === undefined || effect.lack === undefined) return true;
  if (!isSameWay(movement, effect)) return false;
  const fit = movement.abs().comparedTo(effect.lack.abs());
  return fit === 0 || (fit > 0 && !isExact(effect));
}

/** Whether a movement has the direction of the movement that is missing of a finding. True if one of the two is unknown. */
export function isSameWay(movement: Exact | undefined, { lack }: Draft): boolean {
  return movement === undefined || lack === undefined || movement.isNegative() === lack.isNegative();
}

/** Whether exactly the known quantity is missing. */
function isExact({ lack, lacksMore }: Draft): boolean {
  return lack !== undefined && lacksMore !== true;
}

/**
 * Returns a cause for a later finding: a gap in the balances, or balances that do not add up. If a balance is too low from that
 * leg on, a later balance may be below zero, or may jump up again. The opposite is true for a balance that is too high.
 */
export function chainCause(draft: Draft, effect: Draft): DraftCause | undefined {
  if (!draft.leg || !isBefore(draft, effect) || !isSameWay(draft.lack?.negated(), effect)) return undefined;
  return {
    cause: 'balances that do not add up',
    confidence: 'medium',
    action: "Use the account's records to check the legs before and after this leg.",
    ...evidenceOf(draft, effect),
  };
}

/** Returns the evidence for a cause, and the command that shows the evidence. */
export function evidenceOf(draft: Draft, effect: Draft): NextCommand & Pick<DraftCause, 'evidence'> {
  const { leg, message } = draft;
  // If the cause is at the leg of the finding, `ledgers explain` would only show the finding again.
  const { id = '', transactionId = '' } = leg ?? {};
  const isHere = id === '' || id === effect.leg?.id;
  return {
    evidence: `leg ${idText({ id })}: ${message}`,
    ...(isHere && transactionId !== '' ? transactionCommand(transactionId) : nextOf({ id })),
    ...placeOf(draft),
  };
}

/** A cause is never later than the finding that it explains. A cause outside the period is therefore before the period. */
function placeOf({ inPeriod, leg }: Draft): Pick<DraftCause, 'beforePeriod'> {
  return inPeriod || leg?.time === undefined ? {} : { beforePeriod: true };
}

/** Whether `cause` is not later than `effect`. True if a time is unknown. */
export function isBefore(cause: Draft, effect: Draft): boolean {
  const [left, right] = [cause.leg?.time, effect.leg?.time];
  return left === undefined || right === undefined || left <= right;
}

/**
 * Returns the first causes among findings of one check and severity. All these findings give the same confidence, so the first
 * ones are enough.
 */
function firstCauses(alike: readonly ReportedDraft[], effect: Draft): DraftCause[] {
  const causes: DraftCause[] = [];
  for (const { check, draft } of alike) {
    const cause = draft === effect ? undefined : check.cause?.(draft, effect);
    if (cause && causes.push(cause) === MOST_CAUSES) break;
  }
  return causes;
}

function pushAlike(
  map: Map<string, Map<string, ReportedDraft[]>>,
  key: string,
  reported: ReportedDraft,
): void {
  const own = map.get(key) ?? new Map<string, ReportedDraft[]>();
  map.set(key, own);
  push(own, `${reported.check.name} ${reported.draft.severity}`, reported);
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}
