import { textOf } from '../../api/ledgers.ts';
import { isDecimal } from '../../core/decimal.ts';
import { figureOf } from '../figure.ts';
import type { Draft } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

/** Two imports of one movement may differ by seconds: sources round times. */
const WINDOW = 10_000;

/**
 * Finds legs that appear twice: the same id, or the same wallet, asset, type and quantity within 10 seconds under
 * different ids in different transactions. Memory grows with the legs of 10 seconds and one short text for each id.
 */
export class DuplicateCheck {
  readonly #report: (draft: Draft) => void;
  readonly #ids = new Set<string>();
  readonly #recent = new Map<string, AuditLeg[]>();
  readonly #window: AuditLeg[] = [];

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  add(leg: AuditLeg): void {
    if (leg.id !== '' && this.#ids.has(leg.id)) {
      this.#report(draftOf(leg, 'error', `Leg ${leg.id} is listed more than once.`));
      return;
    }
    this.#ids.add(leg.id);
    if (leg.time === undefined || !isDecimal(textOf(leg.record['quantity']))) return;
    this.#forgetBefore(leg.time - WINDOW);
    const key = keyOf(leg);
    const same = this.#recent.get(key) ?? [];
    const other = same.find(({ transactionId }) => transactionId !== leg.transactionId);
    if (other) this.#report(this.#duplicate(leg, other));
    this.#recent.set(key, [...same, leg]);
    this.#window.push(leg);
  }

  #duplicate(leg: AuditLeg, other: AuditLeg): Draft {
    const [sync, otherSync] = [leg.record['syncId'] ?? null, other.record['syncId'] ?? null];
    const severity = sync !== otherSync || leg.time === other.time ? 'warning' : 'info';
    const how = sync === otherSync ? '' : ', from another sync or entered by hand';
    const quantity = `${leg.quantity?.toFixed()} ${leg.symbol}`;
    return draftOf(
      leg,
      severity,
      `The same wallet has the same ${leg.type} leg of ${quantity} within 10 seconds: ${other.id}${how}.`,
    );
  }

  #forgetBefore(time: number): void {
    while (this.#window[0] && (this.#window[0].time ?? 0) < time) {
      const leg = this.#window.shift();
      if (!leg) return;
      const key = keyOf(leg);
      const left = (this.#recent.get(key) ?? []).filter((other) => other !== leg);
      if (left.length === 0) this.#recent.delete(key);
      else this.#recent.set(key, left);
    }
  }
}

function keyOf(leg: AuditLeg): string {
  return `${leg.key} ${leg.type} ${normalised(textOf(leg.record['quantity']))}`;
}

/** `1.50` and `1.5` are one quantity. */
function normalised(decimal: string): string {
  const isPlain = /^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(decimal);
  return isPlain ? decimal : (figureOf(decimal)?.toFixed() ?? decimal);
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
