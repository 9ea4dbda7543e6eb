import { symbolOf, textOf, timeOf } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { assetKey, isNameless, type Pair } from './asset.ts';
import { canonical, figureOf } from './figure.ts';

const SIGNS: Readonly<Record<string, 1 | -1>> = { incoming: 1, outgoing: -1, fee: -1 };

/**
 * A leg, read once. This is the only place that knows the fields of a record; every answer about the books asks a leg. Decimals
 * are parsed when they are first used.
 */
export class Leg implements Pair {
  readonly record: JsonRecord;
  /** Empty if unknown. */
  readonly id: string;
  /** Unix milliseconds; undefined if the leg has no time. */
  readonly time: number | undefined;
  /** Empty if unknown. */
  readonly walletId: string;
  readonly assetId: string | null;
  readonly type: string;
  /** 1 for incoming, -1 for outgoing and for fees; null if the type has no direction. */
  readonly sign: 1 | -1 | null;
  #symbol: string | undefined;
  #quantity: Exact | null | undefined;
  #before: Exact | null | undefined;
  #after: Exact | null | undefined;

  constructor(record: JsonRecord) {
    const { id, walletId, assetId, type } = record;
    this.record = record;
    this.id = textOf(id);
    this.time = timeOf(record);
    this.walletId = textOf(walletId);
    this.assetId = typeof assetId === 'string' ? assetId : null;
    this.type = textOf(type);
    this.sign = SIGNS[this.type] ?? null;
  }

  /** Empty if unknown. */
  get symbol(): string {
    this.#symbol ??= symbolOf(this.record);
    return this.#symbol;
  }

  get pair(): Pair {
    return { walletId: this.walletId, assetId: this.assetId, symbol: this.symbol };
  }

  /** Key of the asset. */
  get asset(): string {
    return assetKey(this);
  }

  get isNameless(): boolean {
    return isNameless(this);
  }

  /** Empty if unknown. */
  get transactionId(): string {
    return textOf(this.record['transactionId']);
  }

  /** Key of the transaction. A leg without a `transactionId` is a transaction of its own. */
  get transaction(): string {
    return this.transactionId === '' ? `leg:${this.id}` : `id:${this.transactionId}`;
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

  /** The change of the balance; null if the quantity is unknown, or the type has no direction. */
  get change(): Exact | null {
    return this.sign === null ? null : this.sign === 1 ? this.quantity : (this.quantity?.negated() ?? null);
  }

  /** Currency of the price, value, cost basis, proceeds and profit; null if unknown. */
  get currency(): string | null {
    return textOf(this.record['baseCurrency']) || null;
  }

  /**
   * Returns an amount of money. Returns null if the amount or the currency is unknown, because amounts in different currencies
   * must not be added.
   */
  money(name: MoneyName): Exact | null {
    return this.currency === null ? null : figureOf(this.record[name]);
  }

  /** The price of one unit. Null if unknown, also if the price is in another currency than the leg. */
  get price(): Exact | null {
    const { price } = this.record;
    if (!isRecord(price)) return null;
    const currency = textOf(price['baseCurrency']);
    return currency !== '' && currency !== this.currency ? null : figureOf(price['price']);
  }

  /** The ids of other wallets that `fromAccount` and `toAccount` name. */
  get otherWallets(): readonly string[] {
    return ['fromAccount', 'toAccount'].flatMap((field) => {
      const account = this.record[field];
      const walletId = isRecord(account) ? textOf(account['walletId']) : '';
      return walletId === '' || walletId === this.walletId ? [] : walletId;
    });
  }

  /** The served text of a field, exactly as the service sent it; null if missing or empty. */
  served(name: string): string | null {
    return textOf(this.record[name]) || null;
  }
}

export const MONEY = ['value', 'costbasis', 'proceeds', 'profit'] as const;
export type MoneyName = (typeof MONEY)[number];

/** Compares legs by id, then by content, so that the order of arrival does not matter. */
export function byId(left: Leg, right: Leg): number {
  if (left.id !== right.id) return left.id < right.id ? -1 : 1;
  return JSON.stringify(left.record) < JSON.stringify(right.record) ? -1 : 1;
}

/** The served balance before or after a leg, in its shortest form; null if it is not a decimal. */
export function balanceText({ record }: Leg, name: 'beforeBalance' | 'afterBalance'): string | null {
  return canonical(record[name]) ?? null;
}
