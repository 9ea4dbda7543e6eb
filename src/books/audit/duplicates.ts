import { textOf } from '../../api/ledgers.ts';
import { IdSet } from '../../core/id-set.ts';
import { canonical } from '../figure.ts';
import type { Draft } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

/** Maximum time difference between two imports of the same movement. The times differ if a source rounds times. */
const WINDOW = 10_000;

/**
 * Finds duplicate legs. Legs with the same id are duplicates. Legs of different transactions are duplicates if they have the
 * same wallet, asset, type and quantity, and are at most 10 seconds apart. Memory grows with the number of ids, and with the
 * number of legs in the busiest 10 seconds.
 */
export class DuplicateCheck {
  readonly #report: (draft: Draft) => void;
  readonly #ids = new IdSet();
  /**
   * Legs of the last 10 seconds. The outer key is the wallet and asset; the inner key is the type and quantity. Legs in the
   * same list may be duplicates.
   */
  readonly #recent = new Map<string, Map<string, AuditLeg[]>>();
  readonly #window: { readonly leg: AuditLeg; readonly time: number; readonly key: string }[] = [];

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  add(leg: AuditLeg): void {
    if (leg.id !== '' && !this.#ids.add(leg.id)) {
      this.#report(draftOf(leg, 'error', `Leg ${leg.id} is listed more than once.`));
      return;
    }
    const { time } = leg;
    const quantity = canonical(textOf(leg.record['quantity']));
    if (time === undefined || quantity === undefined) return;
    this.#forgetBefore(time - WINDOW);
    const key = `${leg.type} ${quantity}`;
    this.#window.push({ leg, time, key });
    let ofPair = this.#recent.get(leg.key);
    if (!ofPair) {
      ofPair = new Map();
      this.#recent.set(leg.key, ofPair);
    }
    const same = ofPair.get(key);
    if (!same) {
      ofPair.set(key, [leg]);
      return;
    }
    const other = same.find(({ transactionId }) => transactionId !== leg.transactionId);
    if (other) this.#report(this.#duplicate(leg, other));
    same.push(leg);
  }

  #duplicate(leg: AuditLeg, other: AuditLeg): Draft {
    const [sync, otherSync] = [leg.record['syncId'] ?? null, other.record['syncId'] ?? null];
    const severity = sync !== otherSync || leg.time === other.time ? 'warning' : 'info';
    const how = sync === otherSync ? '' : ' (from another sync, or entered by hand)';
    const quantity = `${leg.quantity?.toFixed()} ${leg.symbol}`;
    return draftOf(
      leg,
      severity,
      `The same wallet has another ${leg.type} leg of ${quantity} within 10 seconds: ${other.id}${how}.`,
    );
  }

  #forgetBefore(time: number): void {
    for (let first = this.#window[0]; first && first.time < time; first = this.#window[0]) {
      this.#window.shift();
      // The lists in `#recent` have the same order as `#window`. Therefore, `first` is always at the beginning of its list.
      const ofPair = this.#recent.get(first.leg.key);
      const same = ofPair?.get(first.key);
      if (same && same.length > 1) same.shift();
      else ofPair?.delete(first.key);
    }
  }
}

function draftOf(leg: AuditLeg, severity: 'error' | 'warning' | 'info', message: string): Draft {
  return {
    check: 'duplicate',
    severity,
    key: [leg.id],
    pair: leg.pair,
    leg,
    legs: 1,
    outgoing: leg.type !== 'incoming',
    amount: textOf(leg.record['quantity']) || null,
    value: valueAtPrice(leg.quantity, leg),
    message,
    inPeriod: leg.inPeriod,
  };
}
