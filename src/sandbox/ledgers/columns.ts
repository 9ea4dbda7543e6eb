// Ledger rows as columns of numbers, about 80 bytes a row: a million rows fit where as many objects would not.

/** Signed integers, one a row. */
export interface Wide {
  get(row: number): bigint;
}

/** Of up to 128 bits, which the balances of 18-decimal assets need. */
export class WideColumn implements Wide {
  readonly #high: BigInt64Array;
  readonly #low: BigUint64Array;

  constructor(size: number) {
    this.#high = new BigInt64Array(size);
    this.#low = new BigUint64Array(size);
  }

  get(row: number): bigint {
    return ((this.#high[row] ?? 0n) << 64n) | (this.#low[row] ?? 0n);
  }

  set(row: number, value: bigint): void {
    this.#high[row] = value >> 64n;
    this.#low[row] = value & 0xffff_ffff_ffff_ffffn;
  }
}

export const TYPES = ['incoming', 'outgoing', 'fee'] as const;
export const INCOMING = 0;
export const OUTGOING = 1;
export const FEE = 2;

/** Labels of legs; null where the service gave none. */
export const KINDS = ['Deposit', 'Withdrawal', 'Trade', 'Transfer', 'Staking', null, 'Payment'] as const;

export const NO_BALANCE = 1;
export const EDITED = 2;
export const UNPROCESSED = 4;
export const HALF_POSTED = 8;
export const COA_EDITED = 16;
export const PROFIT_OFF = 32;
/** `value` leaves with every digit of the product, more than a double holds. */
export const EVERY_DIGIT = 64;
/** No sync run produced the leg: it came from a file, or by hand. */
export const NOT_SYNCED = 128;

export interface Columns {
  readonly size: number;
  readonly transaction: Uint32Array;
  /** Index into TYPES. */
  readonly type: Uint8Array;
  readonly asset: Uint16Array;
  readonly wallet: Uint16Array;
  /** The other wallet of an own transfer, or -1. */
  readonly other: Int16Array;
  /** Index into KINDS. */
  readonly kind: Uint16Array;
  readonly flags: Uint8Array;
  /** Unix milliseconds; ascending. */
  readonly timestamp: Float64Array;
  /** Unix milliseconds; a sort key of the spec, though no field of a ledger. */
  readonly createdAt: Float64Array;
  /** NaN where no price is resolved. */
  readonly price: Float64Array;
  /** Average cost of one unit before the leg. */
  readonly unitCost: Float64Array;
  /** In 10^-18, as are the balances. */
  readonly quantity: Wide;
  readonly after: Wide;
  /** In 10^-18, undefined where tax processing has not run; without this, it follows from price and cost. */
  readonly profit?: (row: number) => bigint | undefined;
}

export interface WritableColumns extends Columns {
  readonly quantity: WideColumn;
  readonly after: WideColumn;
}

export function createColumns(size: number): WritableColumns {
  return {
    size,
    transaction: new Uint32Array(size),
    type: new Uint8Array(size),
    asset: new Uint16Array(size),
    wallet: new Uint16Array(size),
    other: new Int16Array(size).fill(-1),
    kind: new Uint16Array(size),
    flags: new Uint8Array(size),
    timestamp: new Float64Array(size),
    createdAt: new Float64Array(size),
    price: new Float64Array(size),
    unitCost: new Float64Array(size),
    quantity: new WideColumn(size),
    after: new WideColumn(size),
  };
}
