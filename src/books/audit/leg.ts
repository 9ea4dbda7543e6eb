import { symbolOf, textOf, timeOf } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { figureOf } from '../figure.ts';
import { type Pair, pairOf } from '../pair.ts';
import type { Money } from './finding.ts';

const NAMELESS = 'symbol:';

/** A leg, prepared for the checks. Parses decimals when they are first used. */
export class AuditLeg {
  readonly record: JsonRecord;
  readonly id: string;
  readonly transactionId: string;
  readonly type: string;
  /** Unix milliseconds; undefined if the leg has no time. */
  readonly time: number | undefined;
  /** Identifies the wallet and the asset of the leg. */
  readonly key: string;
  readonly inPeriod: boolean;
  #quantity: Exact | null | undefined;
  #before: Exact | null | undefined;
  #after: Exact | null | undefined;

  constructor(record: JsonRecord, pair: string, period: OpenSpan) {
    this.record = record;
    this.id = textOf(record['id']);
    this.transactionId = textOf(record['transactionId']);
    this.type = textOf(record['type']);
    this.time = timeOf(record);
    this.key = pair;
    this.inPeriod = isWithin(this.time, period);
  }

  get pair(): Pair {
    return pairOf(this.record);
  }

  get walletId(): string {
    return textOf(this.record['walletId']);
  }

  /** The asset id, or the symbol from the source if the asset is unresolved. */
  get asset(): string {
    const { assetId } = this.record;
    return typeof assetId === 'string' ? assetId : `symbol:${symbolOf(this.record)}`;
  }

  get symbol(): string {
    return symbolOf(this.record);
  }

  /** Whether asset and symbol are both unknown. Quantities of such legs cannot be added. */
  get isNameless(): boolean {
    return this.asset === NAMELESS;
  }

  /** Currency of the price, cost basis, proceeds and profit; empty if unknown. */
  get currency(): string {
    return textOf(this.record['baseCurrency']);
  }

  get quantity(): Exact | null {
    if (this.#quantity === undefined) this.#quantity = figureOf(this.record['quantity']);
    return this.#quantity;
  }

  get before(): Exact | null {
    if (this.#before === undefined) this.#before = figureOf(this.record['beforeBalance']);
    return this.#before;
  }

  get after(): Exact | null {
    if (this.#after === undefined) this.#after = figureOf(this.record['afterBalance']);
    return this.#after;
  }

  /** The change of the balance: positive for an incoming leg, negative for an outgoing leg or a fee. */
  get change(): Exact | null {
    return this.type === 'incoming' ? this.quantity : (this.quantity?.negated() ?? null);
  }

  get price(): Exact | null {
    const { price } = this.record;
    return isRecord(price) ? figureOf(price['price']) : null;
  }
}

/** Returns null if the amount or the price is unknown. */
export function valueAtPrice(amount: Exact | null, leg: AuditLeg): Money | null {
  const { price, currency } = leg;
  return amount === null || price === null ? null : { amount: amount.abs().times(price), currency };
}
