import { exact } from '../../core/decimal.ts';
import type { Cause, CheckName, Draft } from './finding.ts';

const CONFIDENCE = ['high', 'medium', 'low'] as const;
/** More causes than these are no help. */
const MOST_CAUSES = 5;

/** Findings that can be the effect of other findings. */
const EFFECTS: ReadonlySet<CheckName> = new Set(['negative-balance', 'opening-balance', 'broken-chain']);

/**
 * Ranks the likely causes of a finding among everything else that was found, also before the period. Each cause is
 * tested against the data: it concerns the same asset, and it is not later than the break.
 */
export class Causes {
  readonly #byWallet = new Map<string, Draft[]>();
  readonly #transfersByAsset = new Map<string, Draft[]>();

  constructor(drafts: readonly Draft[]) {
    for (const draft of drafts) {
      const walletId = draft.pair?.walletId ?? draft.walletId ?? '';
      push(this.#byWallet, walletId, draft);
      if (draft.check === 'unmatched-transfer') push(this.#transfersByAsset, assetOf(draft), draft);
    }
  }

  of(effect: Draft): Cause[] {
    if (!EFFECTS.has(effect.check)) return [];
    const walletId = effect.pair?.walletId ?? '';
    const here = this.#byWallet.get(walletId) ?? [];
    const causes = [
      ...this.#transfers(effect),
      ...here.flatMap((draft) => (draft === effect ? [] : causeIn(draft, effect))),
    ];
    const rank = ({ confidence }: Cause) => CONFIDENCE.indexOf(confidence);
    return causes.sort((left, right) => rank(left) - rank(right)).slice(0, MOST_CAUSES);
  }

  /** Legs of the asset that left other wallets before the break and arrived nowhere. */
  #transfers(effect: Draft): Cause[] {
    const missing = exact(effect.amount);
    const walletId = effect.pair?.walletId;
    if (missing === null) return [];
    return (this.#transfersByAsset.get(assetOf(effect)) ?? []).flatMap((draft): Cause[] => {
      const quantity = exact(draft.amount);
      const left = draft.leg;
      if (!left || quantity === null || !draft.outgoing || draft.pair?.walletId === walletId) return [];
      if (!isBefore(draft, effect) || quantity.lessThan(missing)) return [];
      return [
        {
          cause: 'transfer that did not arrive',
          confidence: quantity.equals(missing) ? 'high' : 'medium',
          evidence: `${quantity.toFixed()} ${draft.pair?.symbol} left wallet ${draft.pair?.walletId} with leg ${left.id} and arrived nowhere.`,
          next: `cryptodata ledgers get ${left.id}`,
        },
      ];
    });
  }
}

function causeIn(draft: Draft, effect: Draft): Cause[] {
  const { check, leg, message } = draft;
  if (check === 'failing-source') {
    return [
      {
        cause: 'account that did not sync completely',
        confidence: 'high',
        evidence: message,
        next: draft.next ?? 'cryptodata sync status',
      },
    ];
  }
  if (check === 'stale-source') {
    // Every leg up to the last sync is there: a later sync brings in nothing that explains an earlier break.
    if ((draft.lastSyncedAt ?? 0) >= (effect.leg?.time ?? 0)) return [];
    return [
      {
        cause: 'account that has not synced',
        confidence: 'medium',
        evidence: message,
        next: 'cryptodata sync status',
      },
    ];
  }
  if (!leg || assetOf(draft) !== assetOf(effect) || !isBefore(draft, effect)) return [];
  const at = { evidence: `leg ${leg.id}: ${message}`, next: `cryptodata ledgers get ${leg.id}` };
  switch (check) {
    case 'opening-balance':
      return [{ cause: 'missing history', confidence: 'high', ...at }];
    case 'duplicate':
      // Only what leaves the wallet twice can take its balance below zero.
      return draft.outgoing ? [{ cause: 'duplicate outgoing leg', confidence: 'high', ...at }] : [];
    case 'broken-chain':
    case 'arithmetic':
      return [{ cause: 'balances that do not add up', confidence: 'medium', ...at }];
    default:
      return [];
  }
}

function isBefore(cause: Draft, effect: Draft): boolean {
  const [left, right] = [cause.leg?.time, effect.leg?.time];
  return left === undefined || right === undefined || left <= right;
}

function assetOf({ pair }: Draft): string {
  return pair?.assetId ?? `symbol:${pair?.symbol ?? ''}`;
}

function push(map: Map<string, Draft[]>, key: string, draft: Draft): void {
  const drafts = map.get(key);
  if (drafts) drafts.push(draft);
  else map.set(key, [draft]);
}
