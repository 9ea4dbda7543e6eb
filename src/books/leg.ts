import { textOf, timeIn } from '../api/ledgers.ts';
import { type Exact, ZERO } from '../core/decimal.ts';
import { contentOf, idOf } from '../core/identity.ts';
import { isJsonNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { numberDigits } from '../core/plain.ts';
import { assetKey, isNameless, type Pair } from './asset.ts';
import { addsUp, canonicalDecimal, doubleOf, figureOf, isBelowZero, isFigure, isZero } from './figure.ts';
import { minorUnits } from './journal/minor-units.ts';

/** The types that have a direction. */
export const DIRECTIONS = ['incoming', 'outgoing', 'fee'] as const;
export type Direction = (typeof DIRECTIONS)[number];
const DIRECTION: ReadonlyMap<unknown, Direction> = new Map(DIRECTIONS.map((name) => [name, name]));

/** Values of a leg, by dotted field name. Unknown fields are missing. */
export type LegFields = ReadonlyMap<string, unknown>;

/**
 * Legs with the same key are one transaction. A leg without a `transactionId` is a transaction of its own, with its own key.
 */
export type TransactionKey = string | Leg;

/**
 * What can be wrong with the fields of a leg. An unreadable field counts as unknown. Every other field is used exactly as the
 * service sent it.
 */
export type Fault =
  | 'no-id'
  | 'no-wallet'
  | 'no-time'
  | 'odd-time'
  | 'type'
  | 'quantity'
  | 'negative-quantity'
  | 'json-number'
  | 'balance'
  | 'money'
  | 'price-currency'
  | 'value';

/** The fields that commands need to compute results, as paths in a record. */
const PATHS = {
  ...{ id: 'id', transactionId: 'transactionId', type: 'type', timestamp: 'timestamp', syncId: 'syncId' },
  ...{ walletId: 'walletId', assetId: 'assetId', symbol: 'asset.symbol', rawSymbol: 'assetRaw.symbol' },
  ...{ assetType: 'asset.type', from: 'fromAccount.walletId', to: 'toAccount.walletId' },
  ...{ quantity: 'quantity', beforeBalance: 'beforeBalance', afterBalance: 'afterBalance' },
  ...{ baseCurrency: 'baseCurrency', price: 'price.price', priceCurrency: 'price.baseCurrency' },
  ...{ value: 'value', costbasis: 'costbasis', proceeds: 'proceeds', profit: 'profit' },
  ...{ debitCoaCode: 'debitCoaCode', creditCoaCode: 'creditCoaCode' },
  ...{ label: 'label', description: 'description' },
};

export type ServedName = keyof typeof PATHS;

/** The paths of the fields that a leg reads. */
export const LEG_PATHS: readonly string[] = Object.values(PATHS);

/** The place of each field in {@link LEG_PATHS}. */
const AT = Object.fromEntries(Object.keys(PATHS).map((name, at) => [name, at])) as Record<ServedName, number>;

/**
 * The values of {@link LEG_PATHS}. Code is slow if it receives objects with many shapes, and records have many shapes. Each
 * field is therefore read once, into a list.
 */
type Served = readonly unknown[];

const PARTS = LEG_PATHS.map((path) => path.split('.') as [name: string, inner?: string]);

function servedOf(record: JsonRecord): unknown[] {
  return PARTS.map(([name, inner]) => {
    const value = record[name];
    if (inner === undefined) return value;
    if (isRecord(value)) return value[inner];
    // A price that is not an object cannot be read.
    return inner === 'price' && isServed(value) ? {} : undefined;
  });
}

/** The figures that are decimal strings. Each figure has a bit, so that a leg can store which figures are known. */
const FIGURES = { quantity: 1, beforeBalance: 2, afterBalance: 4, costbasis: 8, proceeds: 16, profit: 32 };
export type FigureName = keyof typeof FIGURES;

/** The places of all amounts. By specification, the price and the value are JSON numbers. */
const AMOUNTS = [...Object.keys(FIGURES), 'price', 'value'].map((name) => AT[name as ServedName]);

const BALANCES = FIGURES.quantity | FIGURES.beforeBalance | FIGURES.afterBalance;
const RESULTS = FIGURES.costbasis | FIGURES.proceeds | FIGURES.profit;

function knownBalances(served: Served): number {
  return (
    (isFigure(served[AT.quantity]) ? FIGURES.quantity : 0) |
    (isFigure(served[AT.beforeBalance]) ? FIGURES.beforeBalance : 0) |
    (isFigure(served[AT.afterBalance]) ? FIGURES.afterBalance : 0)
  );
}

function knownResults(served: Served): number {
  return (
    (isFigure(served[AT.costbasis]) ? FIGURES.costbasis : 0) |
    (isFigure(served[AT.proceeds]) ? FIGURES.proceeds : 0) |
    (isFigure(served[AT.profit]) ? FIGURES.profit : 0)
  );
}

/**
 * A number below `least` would be a time in the years 1966 to 1973, so it probably counts seconds. A number above `most` would
 * be a time after the year 5000.
 */
const MILLISECONDS = { least: 1e11, most: 1e14 };

/**
 * A leg whose fields are read only once. Only this class knows the fields of a record, so all results about the books use it.
 * Decimals are parsed when they are first used. An empty id counts as missing. A JSON number is read from its text. An amount
 * that is not a decimal counts as unknown.
 */
export class Leg implements Pair {
  #record: JsonRecord | (() => JsonRecord);
  /** Empty if unknown. */
  readonly id: string;
  /** The time of the leg in Unix milliseconds; undefined if the leg has no time. */
  readonly time: number | undefined;
  /** Empty if unknown. */
  readonly walletId: string;
  readonly assetId: string | null;
  readonly type: string;
  /** The type of the leg as a direction; null if the type has no direction. */
  readonly direction: Direction | null;
  /** The sign of the movement: 1 for incoming legs, -1 for outgoing legs and fees. Null if the type has no direction. */
  readonly sign: 1 | -1 | null;
  readonly #served: Served;
  /** Whether a decimal string is a JSON number instead. */
  #hasJsonNumber = false;
  /** Bits of {@link FIGURES}. */
  #known: number | undefined;
  #symbol: string | undefined;
  #asset: string | undefined;
  #error: Exact | null | undefined;
  #hasRightProfit: boolean | null | undefined;
  #quantity: Exact | null | undefined;
  #before: Exact | null | undefined;
  #after: Exact | null | undefined;

  /** Creates a leg from the columns of a file. */
  static ofFields(fields: LegFields): Leg {
    const record: Record<string, unknown> = {};
    for (const [path, value] of fields) {
      const [name = '', inner] = path.split('.');
      const outer = record[name];
      if (inner === undefined) record[name] = value;
      else record[name] = { ...(isRecord(outer) ? outer : {}), [inner]: value };
    }
    record['timestamp'] = timeIn(record['timestamp']) ?? record['timestamp'];
    return new Leg(record);
  }

  /** Returns the leg of a record. Returns a leg that was already read unchanged. */
  static of(leg: Leg | JsonRecord): Leg {
    return leg instanceof Leg ? leg : new Leg(leg);
  }

  constructor(record: JsonRecord);
  /**
   * Creates a leg without creating its record.
   *
   * @param record is called when the record is first needed
   * @param served the values of {@link LEG_PATHS}, as in the record. The leg keeps and changes this list.
   */
  constructor(record: () => JsonRecord, served: unknown[]);
  constructor(record: JsonRecord | (() => JsonRecord), served?: unknown[]) {
    this.#record = record;
    const all = served ?? servedOf(record as JsonRecord);
    this.#served = all;
    for (const at of AMOUNTS) {
      const value = all[at];
      if (!isJsonNumber(value)) continue;
      all[at] = numberDigits(value);
      if (at !== AT.price && at !== AT.value) this.#hasJsonNumber = true;
    }
    const type = this.#served[AT.type];
    const assetId = this.#served[AT.assetId];
    this.id = textOf(this.#served[AT.id]);
    this.time = timeIn(this.#served[AT.timestamp]);
    this.walletId = textOf(this.#served[AT.walletId]);
    this.assetId = typeof assetId === 'string' && assetId !== '' ? assetId : null;
    this.type = textOf(type);
    this.direction = DIRECTION.get(type) ?? null;
    this.sign = this.direction === null ? null : this.direction === 'incoming' ? 1 : -1;
  }

  get record(): JsonRecord {
    if (typeof this.#record === 'function') this.#record = this.#record();
    return this.#record;
  }

  /** Empty if unknown. */
  get symbol(): string {
    this.#symbol ??= textOf(this.#served[AT.symbol]) || textOf(this.#served[AT.rawSymbol]);
    return this.#symbol;
  }

  get pair(): Pair {
    return { walletId: this.walletId, assetId: this.assetId, symbol: this.symbol };
  }

  /** Key of the asset. */
  get asset(): string {
    this.#asset ??= assetKey(this);
    return this.#asset;
  }

  get isNameless(): boolean {
    return isNameless(this);
  }

  /** Empty if unknown. */
  get transactionId(): string {
    return textOf(this.#served[AT.transactionId]);
  }

  /**
   * The key of the leg: its id. Without an id, the content of the leg, so that an accepted finding applies only to legs with
   * this content.
   */
  get key(): string {
    return this.id || contentOf(this.record);
  }

  /** Identifies the leg like `identityOf` identifies its record. */
  get identity(): string {
    return idOf({ id: this.#served[AT.id] }) ?? contentOf(this.record);
  }

  get transaction(): TransactionKey {
    return this.transactionId || this;
  }

  get quantity(): Exact | null {
    if (this.#quantity === undefined) this.#quantity = figureOf(this.#served[AT.quantity]);
    return this.#quantity;
  }

  /** Whether the quantity is zero. */
  get movesNothing(): boolean {
    return isZero(this.#served[AT.quantity]);
  }

  get before(): Exact | null {
    if (this.#before === undefined) this.#before = figureOf(this.#served[AT.beforeBalance]);
    return this.#before;
  }

  get after(): Exact | null {
    if (this.#after === undefined) this.#after = figureOf(this.#served[AT.afterBalance]);
    return this.#after;
  }

  /** The change of the balance; null if the quantity is unknown, or the type has no direction. */
  get change(): Exact | null {
    return this.sign === null ? null : this.sign === 1 ? this.quantity : (this.quantity?.negated() ?? null);
  }

  /**
   * The balance before the leg. If the service did not send it, it is calculated from the balance after the leg. Null if
   * unknown.
   */
  get start(): Exact | null {
    if (this.before !== null) return this.before;
    return this.after === null || this.change === null ? null : this.after.minus(this.change);
  }

  /**
   * The balance after the leg. If the service did not send it, it is calculated from the balance before the leg. Null if
   * unknown.
   */
  endFrom(carried: Exact | null): Exact | null {
    if (this.after !== null) return this.after;
    const from = this.start ?? carried;
    return from === null || this.change === null ? null : from.plus(this.change);
  }

  /** `afterBalance` − (`beforeBalance` ± quantity); null if one of these values is unknown. */
  get error(): Exact | null {
    if (this.#error === undefined) this.#error = this.#errorOf();
    return this.#error;
  }

  #errorOf(): Exact | null {
    if (this.sign === null) return null;
    const served = this.#served;
    const [from, to] =
      this.sign === 1 ? [AT.beforeBalance, AT.afterBalance] : [AT.afterBalance, AT.beforeBalance];
    // For nearly all legs, the balances add up. Therefore, first add up the texts, which is fast.
    const isRight = addsUp(served[from], served[AT.quantity], served[to]);
    if (isRight !== false) return isRight && ZERO;
    const { before, after, change } = this;
    return before === null || after === null || change === null ? null : after.minus(before.plus(change));
  }

  /** The wallet on the other side of the movement. Undefined for a fee, and if the leg names no wallet except its own. */
  get otherWallet(): string | undefined {
    if (this.sign === null || this.direction === 'fee') return undefined;
    const walletId = textOf(this.#served[this.sign === 1 ? AT.from : AT.to]);
    return walletId === '' || walletId === this.walletId ? undefined : walletId;
  }

  /** Whether the label is missing or fits a transfer. All other labels, such as income and trade, point to a third party. */
  get isUncategorised(): boolean {
    return UNCATEGORISED.has((this.served('label') ?? '').toLowerCase());
  }

  get isFiat(): boolean {
    return this.#served[AT.assetType] === 'fiat';
  }

  /** Currency of the price, value, cost basis, proceeds and profit; null if unknown. */
  get currency(): string | null {
    return textOf(this.#served[AT.baseCurrency]) || null;
  }

  /**
   * Returns an amount of money. Returns null if the amount or the currency is unknown, because amounts in different currencies
   * must not be added. The value of a leg is the quantity × the price, so this value is in the currency of the price.
   */
  money(name: MoneyName): Exact | null {
    if (this.currency === null || (name === 'value' && this.hasForeignPrice)) return null;
    return figureOf(this.#served[AT[name]]);
  }

  /** Whether a figure is known. Does not parse the figure. */
  has(name: FigureName): boolean {
    // If the sums of the leg could be checked, all their figures are known. The audit checks these sums for every leg anyway.
    this.#known ??=
      (this.error === null ? knownBalances(this.#served) : BALANCES) |
      (this.hasRightProfit === null ? knownResults(this.#served) : RESULTS);
    return (this.#known & FIGURES[name]) !== 0;
  }

  /** Whether the profit equals the proceeds minus the cost basis; null if one of these values is unknown. */
  get hasRightProfit(): boolean | null {
    const served = this.#served;
    if (this.#hasRightProfit === undefined)
      this.#hasRightProfit = addsUp(served[AT.costbasis], served[AT.profit], served[AT.proceeds]);
    return this.#hasRightProfit;
  }

  /** Whether the price is not in the currency of the leg. */
  get hasForeignPrice(): boolean {
    const currency = textOf(this.#served[AT.priceCurrency]);
    return currency !== '' && this.currency !== null && currency !== this.currency;
  }

  /** The price of one unit. Null if the price is unknown, or is not in the currency of the leg. */
  get price(): Exact | null {
    const isUnusable =
      this.hasForeignPrice || (this.currency === null && textOf(this.#served[AT.priceCurrency]) !== '');
    return isUnusable ? null : figureOf(this.#served[AT.price]);
  }

  /** Whether the leg has a price, even if it is unreadable or not in the currency of the leg. */
  get hasPrice(): boolean {
    return isServed(this.#served[AT.price]);
  }

  /** Whether the leg has a price in its currency. */
  get isPriced(): boolean {
    return !this.hasForeignPrice && isFigure(this.#served[AT.price]);
  }

  /** Whether `money('value')` is known, for a leg whose price is in its currency. Does not parse the value. */
  get isValued(): boolean {
    return this.currency !== null && isFigure(this.#served[AT.value]);
  }

  get hasUnreadablePrice(): boolean {
    const price = this.#served[AT.price];
    return isServed(price) && !isFigure(price);
  }

  /**
   * Whether the value differs from the quantity times the price by more than 1 %. A wrong sign is also a difference. The
   * service may round the price or the value. Therefore, a difference of at most one minor unit of the currency is ignored. If
   * ISO 4217 does not list the currency, the eighth decimal counts as its minor unit. An unknown currency counts as a currency
   * with two decimals.
   */
  get hasOtherValue(): boolean {
    const [value, price] = [this.#served[AT.value], this.#served[AT.price]];
    if (!isServed(value) || !isServed(price) || this.hasForeignPrice) return false;
    const product = doubleOf(this.decimal('quantity')) * doubleOf(price);
    const difference = Math.abs(doubleOf(value) - product);
    if (!(difference > Math.abs(product) / 100)) return false;
    return difference > 10 ** -minorUnits(this.currency ?? '');
  }

  get hasDebitCode(): boolean {
    return textOf(this.#served[AT.debitCoaCode]) !== '';
  }

  get hasCreditCode(): boolean {
    return textOf(this.#served[AT.creditCoaCode]) !== '';
  }

  /**
   * Whether the time is probably in a unit other than milliseconds, such as seconds. The time is used unchanged, so the leg is
   * far from all other legs.
   */
  get hasOtherUnit(): boolean {
    const size = Math.abs(this.time ?? Number.NaN);
    return size < MILLISECONDS.least || size > MILLISECONDS.most;
  }

  get faults(): Fault[] {
    const { time } = this;
    const faults: Fault[] = [];
    if (this.id === '') faults.push('no-id');
    if (this.walletId === '') faults.push('no-wallet');
    if (time === undefined) faults.push('no-time');
    else if (this.hasOtherUnit || !Number.isInteger(time)) faults.push('odd-time');
    if (this.sign === null) faults.push('type');
    if (!this.has('quantity')) faults.push('quantity');
    else if (isBelowZero(this.decimal('quantity'))) faults.push('negative-quantity');
    if (this.#hasJsonNumber) faults.push('json-number');
    if (this.#isUnreadable('beforeBalance') || this.#isUnreadable('afterBalance')) faults.push('balance');
    const isMoneyUnreadable =
      this.hasUnreadablePrice ||
      (isServed(this.#served[AT.value]) && !isFigure(this.#served[AT.value])) ||
      this.#isUnreadable('costbasis') ||
      this.#isUnreadable('proceeds') ||
      this.#isUnreadable('profit');
    if (isMoneyUnreadable) faults.push('money');
    if (this.hasForeignPrice) faults.push('price-currency');
    if (this.hasOtherValue) faults.push('value');
    return faults;
  }

  /** The text of a figure, exactly as the service sent it; null if the text is not a decimal string. */
  decimal(name: FigureName): string | null {
    return this.has(name) ? (this.#served[AT[name]] as string) : null;
  }

  #isUnreadable(name: FigureName): boolean {
    return isServed(this.#served[AT[name]]) && !this.has(name);
  }

  /** The value of a field, exactly as the service sent it. */
  value(name: ServedName): unknown {
    return this.#served[AT[name]];
  }

  /** The text of a field, exactly as the service sent it; null if the field is missing or empty. */
  served(name: ServedName): string | null {
    return textOf(this.#served[AT[name]]) || null;
  }
}

const UNCATEGORISED = new Set(['', 'deposit', 'withdrawal', 'transfer']);

function isServed(value: unknown): boolean {
  return (value ?? '') !== '';
}

export const MONEY = ['value', 'costbasis', 'proceeds', 'profit'] as const;
export type MoneyName = (typeof MONEY)[number];

/** Compares legs by id, then by content, so that their order does not depend on the order in which they arrive. */
export function byId(left: Leg, right: Leg): number {
  if (left.id !== right.id) return left.id < right.id ? -1 : 1;
  return JSON.stringify(left.record) < JSON.stringify(right.record) ? -1 : 1;
}

/** The balance before or after a leg as the service sent it, in its shortest form; null if it is not a decimal. */
export function balanceText(leg: Leg, name: 'beforeBalance' | 'afterBalance'): string | null {
  return canonicalDecimal(leg.decimal(name)) ?? null;
}
