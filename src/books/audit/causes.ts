import { type Exact, exact } from '../../core/decimal.ts';
import { shellWord } from '../../core/text.ts';
import { keyOfPair, type Pair } from '../pair.ts';
import type { Cause, CheckName, Draft, FoundLeg } from './finding.ts';

const CONFIDENCE = ['high', 'medium', 'low'] as const;
/** Maximum number of causes to list. */
const MOST_CAUSES = 5;

/** The checks whose findings may be effects of other findings. */
export const EFFECTS: ReadonlySet<CheckName> = new Set([
  'negative-balance',
  'opening-balance',
  'broken-chain',
]);

/**
 * Finds the likely causes of a finding, most likely first. A cause is another finding about the same wallet and asset, or about
 * the account of the wallet. A transfer of the asset from another wallet can also be a cause. A cause may lie before the
 * period, but not after the finding.
 */
export class Causes {
  readonly #accounts = new Map<string, Draft[]>();
  readonly #pairs = new Map<string, Draft[]>();
  readonly #departed = new Map<string, Departed[]>();

  constructor(drafts: readonly Draft[]) {
    for (const draft of drafts) {
      const { pair, leg } = draft;
      if (!pair) push(this.#accounts, draft.walletId ?? '', draft);
      else push(this.#pairs, keyOfPair(pair), draft);
      const quantity = exact(draft.amount);
      if (draft.check !== 'unmatched-transfer' || !draft.outgoing || !pair || !leg || !quantity) continue;
      push(this.#departed, assetOf(draft), { draft, pair, leg, quantity });
    }
  }

  of(effect: Draft): Cause[] {
    if (!EFFECTS.has(effect.check)) return [];
    const { pair } = effect;
    const here = [
      ...(this.#accounts.get(pair?.walletId ?? '') ?? []),
      ...(pair ? (this.#pairs.get(keyOfPair(pair)) ?? []) : []),
    ];
    const causes = [
      ...this.#transfers(effect),
      ...here.flatMap((draft) => (draft === effect ? [] : causeIn(draft, effect))),
    ];
    const rank = ({ confidence }: Cause) => CONFIDENCE.indexOf(confidence);
    return causes.sort((left, right) => rank(left) - rank(right)).slice(0, MOST_CAUSES);
  }

  /**
   * Returns possible causes: transfers of the same asset out of other wallets. These transfers did not arrive, and none is
   * later than the finding.
   */
  #transfers(effect: Draft): Cause[] {
    const missing = exact(effect.amount);
    if (missing === null) return [];
    const likely: Cause[] = [];
    const possible: Cause[] = [];
    for (const { draft, pair, leg, quantity } of this.#departed.get(assetOf(effect)) ?? []) {
      if (likely.length === MOST_CAUSES) break;
      if (pair.walletId === effect.pair?.walletId || !isBefore(draft, effect)) continue;
      const fit = quantity.comparedTo(missing);
      if (fit < 0 || (fit > 0 && possible.length === MOST_CAUSES)) continue;
      (fit === 0 ? likely : possible).push({
        cause: 'transfer that did not arrive',
        confidence: fit === 0 ? 'high' : 'medium',
        evidence: `${quantity.toFixed()} ${pair.symbol} left wallet ${pair.walletId} with leg ${leg.id} and arrived in no other wallet.`,
        action: `Connect the account that received the ${pair.symbol}, or import the history of that account.`,
        next: `cryptodata ledgers explain ${shellWord(leg.id)}`,
      });
    }
    return [...likely, ...possible];
  }
}

/** A transfer that left a wallet, but did not arrive in another wallet. */
interface Departed {
  readonly draft: Draft;
  readonly pair: Pair;
  readonly leg: FoundLeg;
  readonly quantity: Exact;
}

function causeIn(draft: Draft, effect: Draft): Cause[] {
  const { check, leg, message } = draft;
  if (check === 'failing-source') {
    if (draft.isPresentOnly) return [];
    return [
      {
        cause: 'account that did not sync completely',
        confidence: 'high',
        evidence: message,
        action: 'Fix the problem with the account, then sync the account again.',
        next: draft.next ?? 'cryptodata sync status',
      },
    ];
  }
  if (check === 'stale-source') {
    // The last sync imported all older legs, so an overdue sync can explain only findings that are newer than the last sync.
    if ((draft.lastSyncedAt ?? 0) >= (effect.leg?.time ?? 0)) return [];
    return [
      {
        cause: 'account that has not synced',
        confidence: 'medium',
        evidence: message,
        action: 'Sync the account again.',
        next: 'cryptodata sync status',
      },
    ];
  }
  if (!leg || !isBefore(draft, effect)) return [];
  // If the cause and the finding concern the same leg, `ledgers explain` would only show the finding again.
  const isHere = leg.id === effect.leg?.id;
  const next = isHere
    ? `cryptodata txns ledgers ${shellWord(leg.transactionId)}`
    : `cryptodata ledgers explain ${shellWord(leg.id)}`;
  const at = { evidence: `leg ${leg.id}: ${message}`, next };
  switch (check) {
    case 'opening-balance':
      return [
        {
          cause: 'missing history',
          confidence: 'high',
          action: historyBefore(draft.pair?.walletId, leg.time),
          ...at,
        },
      ];
    case 'duplicate':
      // Only a duplicate outgoing leg can make the balance negative.
      if (!draft.outgoing) return [];
      return [
        {
          cause: 'duplicate outgoing leg',
          confidence: 'high',
          action:
            'If both legs record the same movement, keep the leg that was imported from the account. Remove the other leg.',
          ...at,
        },
      ];
    case 'unmatched-transfer':
      // Most outgoing transfers are payments. Therefore, an outgoing transfer can explain a finding only if both concern the
      // same leg.
      if (!isHere || !draft.outgoing) return [];
      return [
        {
          cause: 'outgoing transfer without a destination',
          confidence: 'low',
          action: "Compare the leg's quantity and asset with the account's records.",
          ...at,
        },
      ];
    case 'broken-chain':
    case 'arithmetic':
      return [
        {
          cause: 'balances that do not add up',
          confidence: 'medium',
          action: "Use the account's records to check the legs before and after this leg.",
          ...at,
        },
      ];
    default:
      return [];
  }
}

/** Returns an action, for example `Import the history of wallet wal_1 before 2020-05-26.` */
export function historyBefore(walletId: string | null = '', time?: number | null): string {
  const day = typeof time === 'number' ? ` before ${new Date(time).toISOString().slice(0, 10)}` : '';
  return `Import the history of wallet ${walletId}${day}.`;
}

function isBefore(cause: Draft, effect: Draft): boolean {
  const [left, right] = [cause.leg?.time, effect.leg?.time];
  return left === undefined || right === undefined || left <= right;
}

function assetOf({ pair }: Draft): string {
  return pair?.assetId ?? `symbol:${pair?.symbol ?? ''}`;
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}
